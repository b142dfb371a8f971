"""How well the judge of edits tells good edits from wrong ones, on documents that it was not fitted on.

*Ranked right* is the share of pairs of a good and a wrong edit in which the good one gets the higher probability (the
area under the ROC curve; 0.5 is chance). At the threshold from which edits are offered, *wrong edits refused* and *good
edits kept* are the shares of each that the judge decides correctly. Intervals resample documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.rewriters.judged_edits import JudgedEdit, judged_edits, offered_edits
from unslant.lab.stats.bootstrap import estimates
from unslant.lab.stats.metrics import Metric
from unslant.rewrite.edit_judge import EditJudge, load_judge, shipped_judge
from unslant.spec import TIERS, Spec

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling
    from unslant.lab.stats.metrics import Numbers

__all__ = ["edit_judge", "measure_judge"]

_SOURCES = {
    "all": ("fix", "judged", "contrast", "damaged", "offered"),
    "edits that unslant could offer": ("offered",),
    "judged by reading": ("judged", "fix"),
    "contrast pairs": ("contrast",),
    "damaged fixes": ("fix", "damaged"),
}


def edit_judge(model: str, setting: Setting, *, part: str) -> Result:
    """Measure a judge on one part: ``dev``, or ``calibration``, the training documents that it has not seen."""
    judge = shipped_judge() if model == "default" else load_judge(Path(model))
    edits = [edit for edit in judged_edits(setting.data) if edit.part == part]
    edits += offered_edits(setting.data, Spec(analyzers=TIERS["all"]), part)
    return measure_judge(judge, edits, setting.resampling, model)


def measure_judge(
    judge: EditJudge, edits: Sequence[JudgedEdit], resampling: Resampling, model: str
) -> Result:
    """Return the figures, for all edits and by the source of their verdicts."""
    scored = [(edit, judge.probability(edit.before, edit.after)) for edit in edits]
    sections = []
    for title, sources in _SOURCES.items():
        some = [(edit, chance) for edit, chance in scored if edit.source in sources]
        if {edit.good for edit, _ in some} == {True, False}:
            sections.append(Section(title, _figures(some, judge.offered, resampling), "edits"))
    notes = (
        f"{len(edits)} edits, {sum(edit.good for edit in edits)} of them good",
        f"offered from a probability of {judge.offered}; intervals resample documents",
    )
    return Result("edit-judge", model, tuple(sections), notes)


def _figures(
    scored: Sequence[tuple[JudgedEdit, float]], offered: float, resampling: Resampling
) -> tuple[Figure, ...]:
    import numpy as np

    documents = list(dict.fromkeys(edit.document for edit, _ in scored))
    place = {name: number for number, name in enumerate(documents)}
    homes = np.array([place[edit.document] for edit, _ in scored])
    chances = [chance for _, chance in scored]
    labels = [edit.good for edit, _ in scored]

    def ranked(weights: Numbers) -> Numbers:
        return np.array([_weighted_auc(chances, labels, row[homes]) for row in np.atleast_2d(weights)])

    counts = np.array(
        [
            (edit.good, edit.good and chance >= offered, not edit.good, not edit.good and chance < offered)
            for edit, chance in scored
        ],
        dtype=float,
    )
    names = [edit.document for edit, _ in scored]
    measures = {
        "good edits kept": Metric(counts, lambda sums: sums[..., 1] / sums[..., 0]).group_items(names),
        "wrong edits refused": Metric(counts, lambda sums: sums[..., 3] / sums[..., 2]).group_items(names),
    }
    found = estimates({"ranked right": ranked}, len(documents), resampling)["ranked right"]
    return (Figure("ranked right", found, len(scored)), *figures("edit-judge", measures, resampling))


def _weighted_auc(chances: Sequence[float], labels: Sequence[bool], weights: Numbers) -> float:
    """Return the area under the ROC curve with a weight for each item."""
    import numpy as np

    order = np.argsort(chances, kind="stable")
    good = np.asarray(labels)[order] * weights[order]
    bad = weights[order] - good
    total = good.sum() * bad.sum()
    below = np.cumsum(bad) - bad
    return float((good * below).sum() / total) if total else float("nan")
