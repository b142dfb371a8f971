"""Checking one text at a time, away from the event loop."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unslant.config import Settings
from unslant.core.errors import SourceError, UnslantError
from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Report, Sentence, Span
from unslant.editor.configuration import Configuration, excluded, format_for
from unslant.editor.documents import OpenDocument, Positions
from unslant.pipeline import Pipeline
from unslant.protocols import Analyzer
from unslant.spec import Spec
from unslant.text.edits import minimal_change
from unslant.text.reading import read

if TYPE_CHECKING:
    from unslant.rewrite import Fixer
    from unslant.rewrite.planning import Planner

__all__ = ["About", "Checked", "Checker", "Key", "Remembering", "alternatives", "differing", "narrowed"]

Key = tuple[int, int]
"""The state of a text and the generation of the settings; equal keys mean equal findings."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_SLOW = ("model", "hf:", "llm:")
"""Analyzers that judge a sentence by its own words, and take their time."""
_JUDGED = 20
"""Findings that are judged for one menu; nobody reads a longer one."""
_PIPELINES = 4
"""How many specs are kept loaded; a workspace seldom has more."""


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What is known of one state of a text."""

    key: Key
    document: OpenDocument
    positions: Positions
    report: Report | None = None
    """None: it could not be checked, or the settings leave it out."""
    spec: Spec | None = None
    problem: str = ""
    """One sentence that says why it could not be checked."""


class _Stale(Exception):
    """The text has changed while it was checked."""


class Checker:
    """Holds what the specs load. Used by one thread only."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._pipelines: dict[Spec, Pipeline] = {}
        self._fixers: dict[Spec, Fixer] = {}
        self._planners: dict[Spec, Planner] = {}
        self._stale: Callable[[], bool] = lambda: False

    def check(
        self, document: OpenDocument, encoding: str, key: Key, stale: Callable[[], bool]
    ) -> Checked | None:
        """Return what is found in a text, or None as soon as ``stale`` says that nobody needs it any more."""
        if stale():
            return None
        self._stale = stale
        positions = Positions(document.text, encoding)
        try:
            settings = self._configuration.settings(document)
            if document.path is not None and excluded(document.path, settings):
                return Checked(key, document, positions)
            report = next(self._pipeline(settings.spec).check([_read(document, settings)]))
        except _Stale:
            return None
        except UnslantError as error:
            return Checked(key, document, positions, problem=str(error))
        except Exception as error:  # a front door: an editor must outlive a bug of ours
            return Checked(key, document, positions, problem=_bug(error))
        return Checked(key, document, positions, report, settings.spec)

    def safe_edits(self, checked: Checked) -> tuple[tuple[Edit, ...], str]:
        """Return the edits that ``unslant fix --write`` would make, which together fit, and what stood in the way."""
        if checked.report is None or checked.spec is None:
            return (), ""
        try:
            fixed = next(self._fixer(checked.spec).fix([checked.report.document]))
        except UnslantError as error:
            return (), str(error)
        except Exception as error:
            return (), _bug(error)
        return tuple(one.edit for one in fixed.edits if one.applied), ""

    def suggestions(self, checked: Checked, findings: Sequence[Finding]) -> dict[Finding, tuple[Edit, ...]]:
        """Return what could stand in the place of each finding, the best first, judged as ``unslant fix`` does."""
        if checked.report is None or checked.spec is None or not findings:
            return {}
        document = narrowed(checked.report, findings[:_JUDGED])
        try:
            judged = alternatives(self._planner(checked.spec), document)
        except Exception:  # a front door: the findings have wordings of their own
            judged = {}
        return {
            one: differing(document.source, (*judged.get((one.span, one.rule, one.kind), ()), *one.edits))
            for one in findings
        }

    def _pipeline(self, spec: Spec) -> Pipeline:
        pipeline = self._pipelines.pop(spec, None)
        if pipeline is None:
            pipeline = Pipeline(spec, progress=self._stop_if_stale, around=_around)
            while len(self._pipelines) >= _PIPELINES:
                del self._pipelines[next(iter(self._pipelines))]
        self._pipelines[spec] = pipeline
        return pipeline

    def _fixer(self, spec: Spec) -> Fixer:
        """Return the fixer of a spec; the last is kept, as it knows the sentences that it has judged."""
        from unslant.rewrite import Fixer

        if spec not in self._fixers:
            self._fixers = {spec: Fixer(spec)}
        return self._fixers[spec]

    def _planner(self, spec: Spec) -> Planner:
        from unslant.rewrite.planning import Planner

        if spec not in self._planners:
            self._planners = {spec: Planner(spec)}
        return self._planners[spec]

    def _stop_if_stale(self, _: int) -> None:
        if self._stale():
            raise _Stale


def _around(name: str, analyzer: Analyzer) -> Analyzer:
    """Let models read only sentences that have changed; rules are quick, and look beyond their sentence."""
    return Remembering(analyzer) if name.startswith(_SLOW) else analyzer


def _read(document: OpenDocument, settings: Settings) -> Document:
    name = settings.relative(document.path) if document.path else document.uri
    if len(document.text) > settings.max_bytes:
        raise SourceError(
            f"{name!r} is longer than the {settings.max_bytes:,} bytes that 'max-bytes' allows; "
            "split it or raise 'max-bytes'"
        )
    # half a character, as only JSON can send it; no model reads such a thing
    text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", document.text)
    return read(text, format_for(document, settings), name)


def _bug(error: Exception) -> str:
    """Say what went wrong without the error's own words, which may hold words of the text."""
    return f"a bug in unslant, sorry: {type(error).__name__}. Please report it."


_REMEMBERED = 20_000
"""Sentences: several books."""


class Remembering:
    """Asks an analyzer only about sentences that it has not seen, wherever they stand now.

    Right only for an analyzer that judges a sentence by its own words, prose and source, and by nothing around it.
    """

    def __init__(self, analyzer: Analyzer, room: int = _REMEMBERED) -> None:
        self._analyzer = analyzer
        self._room = room
        self._known: dict[tuple[str, str], tuple[int, Analysis]] = {}

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        keys = [(one.text, one.document.source[one.span.start : one.span.end]) for one in sentences]
        new = {key: one for key, one in zip(keys, sentences, strict=True) if key not in self._known}
        answers = dict(zip(new, self._analyzer.analyze(list(new.values())), strict=True)) if new else {}
        said = []
        for key, sentence in zip(keys, sentences, strict=True):
            # taken out and put in again, so that what was not asked for longest comes first
            known = self._known.pop(key, None) or (new[key].span.start, answers[key])
            self._known[key] = known
            said.append(_moved(known[1], sentence.span.start - known[0]))
        while len(self._known) > self._room:
            del self._known[next(iter(self._known))]
        return said


def _moved(analysis: Analysis, by: int) -> Analysis:
    if by == 0 or not (analysis.findings or analysis.proposals):
        return analysis
    return replace(
        analysis,
        findings=tuple(_moved_finding(one, by) for one in analysis.findings),
        proposals=tuple(edit.shift(by) for edit in analysis.proposals),
    )


def _moved_finding(finding: Finding, by: int) -> Finding:
    return replace(
        finding,
        span=_moved_span(finding.span, by),
        edits=tuple(edit.shift(by) for edit in finding.edits),
    )


def _moved_span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


About = tuple[Span, str | None, str]
"""What tells findings of one text apart: the words, the rule and the kind."""

_WRITTEN = re.compile(r"[^\r\n]")


def narrowed(report: Report, findings: Sequence[Finding]) -> Document:
    """Return the document with no prose but the sentences in which the findings stand."""
    prose = report.document.prose
    parts: list[str] = []
    at = 0
    for sentence in report.sentences:
        span = sentence.span
        if any(span.overlaps(finding.span) for finding in findings):
            parts += (_WRITTEN.sub(" ", prose[at : span.start]), prose[span.start : span.end])
            at = span.end
    return replace(report.document, prose="".join((*parts, _WRITTEN.sub(" ", prose[at:]))))


def alternatives(planner: Planner, document: Document) -> dict[About, tuple[Edit, ...]]:
    """Return what could be written for each finding of a document, the best first, each judged by itself."""
    (plan,) = planner.plan([document])
    found: dict[About, tuple[Edit, ...]] = {}
    for sentence in plan.sentences:
        for suggestion in (suggestion for slot in sentence.slots for suggestion in slot):
            for finding in suggestion.findings:
                about = (finding.span, finding.rule, finding.kind)
                found[about] = (*found.get(about, ()), suggestion.edit.shift(sentence.start))
    return found


def differing(source: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that may be made at all; of those that leave the same text, the first decides."""
    first: dict[tuple[int, int, str], Edit] = {}
    for edit in edits:
        first.setdefault(minimal_change(source, edit), edit)
    return tuple(edit for edit in first.values() if edit.applicability is not Applicability.DISPLAY)
