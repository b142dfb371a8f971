"""The product as a user runs it, on the editors' corpus: how many findings an editor accepts, and what it misses.

Whole documents are checked with the settings that ship. A finding is *accepted* if it shares a character with words
that an editor marked, ``must`` or ``may``; it *meets a must* if they are graded ``must``. A ``must`` is *found* if some
finding touches it. All other findings are *wrong*, counted per 1,000 words. Intervals resample documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from unslant.core.example import LabelledSpan
from unslant.core.types import Finding, Severity
from unslant.lab import corpora
from unslant.lab.corpora.passages import EDITOR, MarkedPassage, read_passages
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.stats.bootstrap import Resampling
from unslant.lab.stats.metrics import Metric, calibration_error

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.evaluation.lineage import Lineage
    from unslant.lab.stats.metrics import Numbers
    from unslant.spec import Spec

__all__ = [
    "CheckedDocument",
    "check_passages",
    "findings",
    "measure_findings",
]

ORIGINS = ("allsides", "ptc", "wikibias")
"""The corpora that the editors' corpus takes its text from."""
_LOWER = ("wrong findings per 1,000 words", "calibration error")


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A passage, and what the product reports about it."""

    passage: MarkedPassage
    findings: tuple[Finding, ...]

    def accepted(self, finding: Finding, grades: Sequence[str] = ("must", "may")) -> bool:
        """Say whether an editor marked some of the same words."""
        return any(span.grade in grades and span.span.overlaps(finding.span) for span in self.passage.marked)

    def found(self, marked: LabelledSpan, findings: Iterable[Finding]) -> bool:
        """Say whether any finding touches these words."""
        return any(finding.span.overlaps(marked.span) for finding in findings)


def check_passages(
    passages: Sequence[MarkedPassage], spec: Spec, progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[CheckedDocument]:
    """Check each passage as a user would."""
    from unslant.pipeline import Pipeline
    from unslant.text.reading import read

    pipeline = Pipeline(spec)
    checked = []
    documents = (read(passage.text, "text", passage.id) for passage in passages)
    for number, (passage, report) in enumerate(zip(passages, pipeline.check(documents), strict=True), 1):
        checked.append(CheckedDocument(passage, report.findings))
        progress("documents", number, len(passages))
    return checked


def measure_findings(checked: Sequence[CheckedDocument], resampling: Resampling, model: str) -> Result:
    """Return the figures: all findings, then by severity, genre, leaning, origin and technique."""
    sections = [Section("all findings", _figures(checked, lambda _: True, resampling))]
    for severity in reversed(Severity):
        chosen = _figures(checked, partial(_has_severity, severity), resampling)
        if chosen[0].items and chosen[0].estimate.value is not None:
            sections.append(Section(f"{severity.value}s", chosen, "by severity"))
    for name, some in _groups(checked):
        sections.append(Section(name, _figures(some, lambda _: True, resampling), "by text"))
    for origin in sorted({finding.origin for document in checked for finding in document.findings}):
        chosen = _figures(checked, partial(_has_origin, origin), resampling)
        sections.append(Section(f"from {origin}", chosen, "by origin"))
    for technique in sorted({span.technique or "" for item in checked for span in item.passage.marked}):
        sections.append(Section(technique, _recall_of(checked, technique, resampling), "by technique"))
    notes = (
        "accepted: an editor marked some of the same words, must or may; recall: of what editors must change",
        "intervals resample documents",
    )
    return Result("findings", model, tuple(sections), notes)


def _has_severity(severity: Severity, finding: Finding) -> bool:
    return finding.severity is severity


def _has_origin(origin: str, finding: Finding) -> bool:
    return finding.origin == origin


def _groups(checked: Sequence[CheckedDocument]) -> Iterator[tuple[str, list[CheckedDocument]]]:
    for genre in dict.fromkeys(item.passage.genre for item in checked):
        yield genre, [item for item in checked if item.passage.genre == genre]
    for leaning in ("left", "center", "right"):
        some = [item for item in checked if item.passage.leaning == leaning]
        if some:
            yield f"news, {leaning}", some


def _figures(
    checked: Sequence[CheckedDocument], wanted: Callable[[Finding], bool], resampling: Resampling
) -> tuple[Figure, ...]:
    counts = _counts(checked, wanted)
    judged = [
        (document.passage.id, finding.probability, document.accepted(finding))
        for document in checked
        for finding in document.findings
        if wanted(finding) and finding.probability is not None
    ]
    measures = {
        "accepted": Metric(counts, lambda sums: sums[..., 1] / sums[..., 0]),
        "meets a must": Metric(counts, lambda sums: sums[..., 2] / sums[..., 0]),
        "recall of must": Metric(counts, lambda sums: sums[..., 4] / sums[..., 3]),
        "wrong findings per 1,000 words": Metric(
            counts, lambda sums: 1000 * (sums[..., 0] - sums[..., 1]) / sums[..., 5]
        ),
    }
    if judged:
        measures["calibration error"] = calibration_error(
            [probability for _, probability, _ in judged], [accepted for _, _, accepted in judged]
        ).group_items([document for document, _, _ in judged])
    return figures("findings", measures, resampling, _LOWER)


def _counts(checked: Sequence[CheckedDocument], wanted: Callable[[Finding], bool]) -> Numbers:
    """Return one row per document: findings, accepted, meeting a must; musts, musts found; words."""
    import numpy as np

    rows = []
    for document in checked:
        findings = [finding for finding in document.findings if wanted(finding)]
        musts = [span for span in document.passage.marked if span.grade == "must"]
        rows.append(
            (
                len(findings),
                sum(document.accepted(finding) for finding in findings),
                sum(document.accepted(finding, ("must",)) for finding in findings),
                len(musts),
                sum(document.found(span, findings) for span in musts),
                document.passage.words,
            )
        )
    return np.array(rows, dtype=float).reshape(len(rows), 6)


def _recall_of(
    checked: Sequence[CheckedDocument], technique: str, resampling: Resampling
) -> tuple[Figure, ...]:
    import numpy as np

    rows = []
    for document in checked:
        musts = [
            span for span in document.passage.marked if span.grade == "must" and span.technique == technique
        ]
        rows.append((len(musts), sum(document.found(span, document.findings) for span in musts)))
    counts = np.array(rows, dtype=float).reshape(len(rows), 2)
    measures = {"recall of must": Metric(counts, lambda sums: sums[..., 1] / sums[..., 0])}
    return figures("findings", measures, resampling)


def findings(spec: Spec, lineage: Lineage, setting: Setting, *, part: str, model: str) -> Result:
    """Run the product with these settings on one part of the editors' corpus.

    Leaves out, and counts, text that the model or a model it was trained from has learned from.
    """
    passages = list(read_passages(corpora.load(EDITOR, setting.data), part))
    learned = {corpus for corpus in ORIGINS if lineage.learned_from(corpus, unless_guarding=EDITOR)}
    unseen = [passage for passage in passages if passage.origin not in learned]
    checked = check_passages(unseen, spec, setting.progress)
    result = measure_findings(checked, setting.resampling, model)
    left_out = len(passages) - len(unseen)
    if left_out:
        names = ", ".join(sorted(learned))
        note = f"{left_out} of {len(passages)} documents are left out: the model learned from text of {names}"
        result = replace(result, notes=(*result.notes, note))
    return replace(result, notes=(f"{part} part, {len(unseen)} documents", *result.notes))
