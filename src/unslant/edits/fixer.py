"""The one path from a report to fixed text: combine its edits, apply them, and say what else is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span
from unslant.edits.combine import Choice, Combined, apart, by_sentence, combine
from unslant.edits.decide import DOCUMENT_PLACES, fits
from unslant.edits.result import Fixed, Suggestion
from unslant.edits.types import Reason
from unslant.pipeline import Pipeline
from unslant.profiles import profile_of
from unslant.spec import Spec
from unslant.text.edits import apply_edits

_DISPLAY, _REVIEW, _SAFE = Applicability.DISPLAY, Applicability.REVIEW, Applicability.SAFE


class Fixer:
    """Fixes documents by one spec. Building it loads what the spec names; the same text then gives the same result.

    With ``unsafe``, edits that need review are applied as well as the safe ones. A ``pipeline`` of the same spec can be
    given to share what it remembers about sentences.
    """

    def __init__(
        self,
        spec: Spec | None = None,
        *,
        unsafe: bool = False,
        progress: Callable[[int], None] | None = None,
        pipeline: Pipeline | None = None,
    ) -> None:
        self.spec = (spec or Spec()).with_wordings()
        self._unsafe = unsafe
        self._pipeline = pipeline or Pipeline(self.spec, progress)
        self._pipeline.load_rewriter()  # one that cannot be used is an error whatever the texts say

    def fix(self, documents: Iterable[Document]) -> Iterator[Fixed]:
        """Yield each document with its edits, in order; documents are taken only as results are asked for."""
        for report in self._pipeline.check(documents):
            yield self.fix_report(report)

    def safe_edits(self, document: Document) -> tuple[Edit, ...]:
        """Return only the edits that ``fix`` applies."""
        (report,) = self._pipeline.check([document])
        return tuple(choice.edit for choice in self._combine(report, _SAFE).choices)

    def fix_report(self, report: Report) -> Fixed:
        """Return a checked document with its edits."""
        made = self._combine(report, _SAFE)
        if self._unsafe:
            made = self._further(report, made)
        # a sentence without findings is edited where an edit elsewhere leads to one
        sentences = {choice.sentence: list[Finding]() for choice in made.choices} | dict(by_sentence(report))
        suggestions = [
            each for span, findings in sentences.items() for each in _suggest(report, span, findings, made)
        ]
        document = report.document
        return Fixed(
            document,
            report,
            tuple(sorted(suggestions, key=lambda each: (each.edit.start, each.edit.end, not each.applied))),
            apply_edits(document.source, [each.edit for each in suggestions if each.applied]),
            (*report.notes, *_limits(report)),
        )

    def _combine(self, report: Report, level: Applicability) -> Combined:
        profile = profile_of(report.document, self.spec)

        def check(document: Document) -> Report:
            """Read a text again under the standard of the document that it was made from."""
            return self._pipeline.check_within(document, [Span(0, len(document.source))], profile)

        if not any(edit.applicability.rank <= level.rank for each in report.findings for edit in each.edits):
            return Combined((), {})
        return combine(report, level, self.spec.budget, check)

    def _further(self, report: Report, safe: Combined) -> Combined:
        """Choose edits to review as well as safe ones."""
        further = self._combine(report, _REVIEW)
        edited = {choice.sentence for choice in further.choices}
        edited |= further.held.keys()  # a sentence that does not come to rest stays as it was
        kept = [choice for choice in safe.choices if choice.sentence not in edited]
        both = sorted((*further.choices, *kept), key=lambda choice: choice.edit.start)
        return Combined(tuple(both), {**safe.held, **further.held})


def _suggest(report: Report, span: Span, findings: Sequence[Finding], made: Combined) -> Iterator[Suggestion]:
    """Yield what is applied in a sentence, then what is offered beside it; any of these go together."""
    source = report.document.source
    text = source[span.start : span.end]
    choices = [choice for choice in made.choices if choice.sentence == span]
    for choice in choices:
        yield _applied(choice, findings, text)
    open_findings = [
        finding
        for finding in findings
        if finding.edits
        and not any(
            finding in choice.findings or choice.edit.span.contains(finding.span) for choice in choices
        )
    ]
    made_edits = [choice.edit for choice in choices]
    best: dict[int, Edit] = {}
    for number, finding in enumerate(open_findings):
        others = [*made_edits, *best.values()]
        for edit in finding.edits:
            if edit.applicability is not _DISPLAY and _free(text, span, edit, others):
                best[number] = edit
                break
    for number, finding in enumerate(open_findings):
        beside = [*made_edits, *(edit for at, edit in best.items() if at != number)]
        edits = [
            edit
            if edit.applicability is _DISPLAY or _free(text, span, edit, beside)
            else replace(edit, applicability=_DISPLAY, note=Reason.BESIDE.note)
            for edit in finding.edits
        ]
        first, *rest = sorted(edits, key=lambda edit: edit.applicability is _DISPLAY)
        held = made.held.get(span)
        if held is Reason.MARKUP and first.applicability is not _DISPLAY:
            first = replace(first, applicability=_DISPLAY, note=held.note)
        elif first.applicability is _SAFE:
            # it could be made without review, but not together with the rest of the sentence
            first = replace(first, applicability=_REVIEW, note=(held or Reason.BESIDE).note)
        yield Suggestion(first, span, text, (finding,), False, tuple(rest))


def _free(text: str, span: Span, edit: Edit, others: Sequence[Edit]) -> bool:
    return all(apart(text, edit.shift(-span.start), other.shift(-span.start)) for other in others)


def _applied(choice: Choice, findings: Sequence[Finding], text: str) -> Suggestion:
    answers = tuple(
        finding
        for finding in findings
        if finding in choice.findings or choice.edit.span.contains(finding.span)
    )
    others = [
        edit for finding in choice.findings for edit in finding.edits if edit.change != choice.edit.change
    ]
    different = {edit.change: edit for edit in others if edit.start < choice.edit.end}
    return Suggestion(choice.edit, choice.sentence, text, answers, True, tuple(different.values()))


def _limits(report: Report) -> Iterator[Note]:
    """Yield what the writer should know about sentences that got no wordings."""
    long = [span for span, findings in by_sentence(report) if not fits(len(span), len(findings))]
    if long:
        which = (
            "this sentence has"
            if len(long) == 1
            else f"{len(long)} sentences, of which this is the first, have"
        )
        yield Note(
            f"{which} too many places to change at once; they are reported but not edited. Shorter sentences, or full "
            "stops between the items of a list, help",
            long[0],
        )
    if len(report.findings) > DOCUMENT_PLACES:
        yield Note(
            f"only the first {DOCUMENT_PLACES:,} places were considered; from here on they are reported but not "
            "edited. Fix the text again to continue",
            report.findings[DOCUMENT_PLACES].span,
        )
