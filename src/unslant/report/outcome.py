"""The input of every output format: one outcome per file, their totals, and the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from unslant.core.types import Note, Report, Severity

if TYPE_CHECKING:
    from unslant.spec import Spec


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result for one file: a report, or an error message."""

    path: str
    """The path as the user typed it."""
    report: Report | None = None
    error: str | None = None
    accepted: int = 0
    """Findings that are left out of the report because a baseline accepts them."""

    def __post_init__(self) -> None:
        if (self.report is None) == (self.error is None):
            raise ValueError(f"{self.path}: an outcome has either a report or an error")

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks that are not findings."""
        return self.report.notes if self.report is not None else ()


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The number of files and findings in a run."""

    files: int
    """Files that were checked."""
    failed: int
    """Files that could not be checked."""
    notes: int
    severities: Mapping[Severity, int]
    """Findings by severity; every severity is present."""
    kinds: Mapping[str, int]
    """Findings by kind; only kinds with findings are present."""
    foreign: int = 0
    """Files that were skipped because they are not in English; included in ``files``."""
    interrupted: bool = False
    """Whether the user stopped the run before all files were checked."""
    accepted: int = 0
    """Findings that a baseline accepts; not included in the others."""
    kept: int = 0
    """Findings that ``.unslant-ignore`` lists; not included in the others."""

    @property
    def findings(self) -> int:
        """The number of findings."""
        return sum(self.severities.values())

    @property
    def worst(self) -> Severity | None:
        """The highest severity found, or None."""
        found = [severity for severity, count in self.severities.items() if count]
        return max(found, key=lambda severity: severity.rank, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "files": self.files,
            "failed": self.failed,
            "notes": self.notes,
            "foreign": self.foreign,
            "findings": self.findings,
            "severities": {severity.value: count for severity, count in self.severities.items()},
            "kinds": dict(self.kinds),
            "accepted": self.accepted,
            "kept": self.kept,
            "interrupted": self.interrupted,
        }


class Tally:
    """Counts outcomes as they stream past, without keeping them."""

    def __init__(self) -> None:
        self._files = 0
        self._failed = 0
        self._notes = 0
        self._severities = dict.fromkeys(Severity, 0)
        self._kinds: dict[str, int] = {}
        self._foreign = 0
        self._interrupted = False
        self._accepted = 0
        self._kept = 0

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the same outcomes and count them.

        Ctrl-C ends the stream without an error, so that every format can finish its output with the findings so
        far; the summary records the interruption.
        """
        stream = iter(outcomes)
        while True:
            try:
                outcome = next(stream)
            except StopIteration:
                return
            except KeyboardInterrupt:
                self._interrupted = True
                return
            self._count(outcome)
            yield outcome

    def _count(self, outcome: Outcome) -> None:
        self._notes += len(outcome.notes)
        if outcome.report is None:
            self._failed += 1
            return
        self._files += 1
        self._accepted += outcome.accepted
        kept = outcome.report.provenance.get("kept", 0)
        self._kept += kept if isinstance(kept, int) else 0
        self._foreign += outcome.report.document.language is not None
        for finding in outcome.report.findings:
            self._severities[finding.severity] += 1
            self._kinds[finding.kind] = self._kinds.get(finding.kind, 0) + 1

    def summary(self) -> RunSummary:
        """Return the totals so far."""
        return RunSummary(
            self._files,
            self._failed,
            self._notes,
            dict(self._severities),
            dict(sorted(self._kinds.items())),
            self._foreign,
            self._interrupted,
            self._accepted,
            self._kept,
        )


class RuleInfo(Protocol):
    """What the formats show about a rule."""

    @property
    def id(self) -> str:
        """The stable id, such as ``framing/praise-adjective``."""
        ...

    @property
    def title(self) -> str:
        """Two or three words for a heading."""
        ...

    @property
    def kind(self) -> str:
        """The kind of slant."""
        ...

    @property
    def dimension(self) -> str | None:
        """The group concerned, if any."""
        ...

    @property
    def severity(self) -> Severity:
        """The severity of its findings, unless the configuration overrides it."""
        ...

    @property
    def why(self) -> str:
        """One sentence for the writer."""
        ...

    @property
    def source(self) -> str:
        """The guidance behind the rule."""
        ...


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How the output looks; this does not affect what is found."""

    color: bool = False
    """Whether the text format uses colour and underlining."""
    width: int = 80
    """The width of the text format in terminal cells."""
    root: Path = field(default_factory=Path)
    """The folder that paths in the formats for other tools are relative to."""
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    """The rules by id; may be lazy, because only some formats use it."""
    verbose: bool = False
    """Whether the text format also shows the source of a rule and the probability."""
    source: bool = True
    """Whether the text format shows the sentence around a finding."""
    statistics: bool = False
    """Whether to show counts by rule and file instead of the findings."""
    judged: bool = False
    """Whether ``unslant fix`` has judged the edits of the findings; only then may a format offer them as safe."""
    version: str = ""
    """The version of unslant, for formats that name the tool."""
    skipped: Spec | None = None
    """The settings that leave some of the text alone, if that is to be shown."""
