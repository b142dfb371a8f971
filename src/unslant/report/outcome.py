"""The input of every output format: one outcome per file, their totals, and the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from unslant.core.types import Note, Report, Severity

__all__ = ["Outcome", "RenderSettings", "RuleInfo", "Summary", "Tally"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of one file: a report, or the sentence that says why there is none."""

    path: str
    """The path as the user knows it."""
    report: Report | None = None
    error: str | None = None

    def __post_init__(self) -> None:
        if (self.report is None) == (self.error is None):
            raise ValueError(f"{self.path}: an outcome has either a report or an error")

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the writer should know beside the findings."""
        return self.report.notes if self.report is not None else ()


@dataclass(frozen=True, slots=True)
class Summary:
    """How many files and findings there were."""

    files: int
    """Files that were checked."""
    failed: int
    """Files that could not be checked."""
    notes: int
    severities: Mapping[Severity, int]
    """Findings by severity; every severity is present."""
    kinds: Mapping[str, int]
    """Findings by kind; only kinds that were found."""
    foreign: int = 0
    """Files that were not judged because they are not in English; part of ``files``."""
    interrupted: bool = False
    """Whether the user stopped the run before all files were seen."""

    @property
    def findings(self) -> int:
        """How many findings there were in all."""
        return sum(self.severities.values())

    @property
    def worst(self) -> Severity | None:
        """The highest severity that was found, or None."""
        found = [severity for severity, count in self.severities.items() if count]
        return max(found, key=lambda severity: severity.rank, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "files": self.files,
            "failed": self.failed,
            "notes": self.notes,
            "foreign": self.foreign,
            "findings": self.findings,
            "severities": {severity.value: count for severity, count in self.severities.items()},
            "kinds": dict(self.kinds),
            "interrupted": self.interrupted,
        }


class Tally:
    """Counts outcomes while they stream past, and keeps none of them."""

    def __init__(self) -> None:
        self._files = 0
        self._failed = 0
        self._notes = 0
        self._severities = dict.fromkeys(Severity, 0)
        self._kinds: dict[str, int] = {}
        self._foreign = 0
        self._interrupted = False

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the same outcomes, counted.

        An interruption (Ctrl-C) while the next outcome is being made ends the stream quietly, so that every
        format still closes what it has opened and shows what was found so far; the summary says so.
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
        self._foreign += outcome.report.document.language is not None
        for finding in outcome.report.findings:
            self._severities[finding.severity] += 1
            self._kinds[finding.kind] = self._kinds.get(finding.kind, 0) + 1

    def summary(self) -> Summary:
        """Return the count so far."""
        return Summary(
            self._files,
            self._failed,
            self._notes,
            dict(self._severities),
            dict(sorted(self._kinds.items())),
            self._foreign,
            self._interrupted,
        )


class RuleInfo(Protocol):
    """What the formats say about a rule."""

    @property
    def id(self) -> str:
        """The stable id, such as ``framing/peacock``."""
        ...

    @property
    def title(self) -> str:
        """Two or three words for a heading."""
        ...

    @property
    def kind(self) -> str:
        """How it slants."""
        ...

    @property
    def dimension(self) -> str | None:
        """Against whom, if anybody."""
        ...

    @property
    def severity(self) -> Severity:
        """How much its findings matter unless the configuration says otherwise."""
        ...

    @property
    def why(self) -> str:
        """One kind sentence for the writer."""
        ...

    @property
    def source(self) -> str:
        """The guidance behind it, by name."""
        ...


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How the output looks; nothing here changes what is found."""

    color: bool = False
    """Whether the text format may use colour and underlining."""
    width: int = 80
    """How many cells wide a line of the text format may be."""
    root: Path = field(default_factory=Path)
    """The folder that file names are given relative to, in SARIF and GitHub annotations."""
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    """What is known of each rule, by id; may be lazy, is asked only by formats that show it."""
    verbose: bool = False
    """Whether the text format also shows the guidance behind a rule, and how sure an analyzer is."""
    version: str = ""
    """The version of unslant, where a format names the tool."""
