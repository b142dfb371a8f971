"""How good the edits are that the model of edits lets through, on the frozen test set of edits that were read.

*Ranked right* is the share of pairs of a good and another edit in which the good one gets the higher probability (the
area under the ROC curve; 0.5 is chance). *Offered* is the share of the edits that would still be offered today; of
these, *good* and *ungrammatical* are the shares that readers called so. Intervals resample documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unslant.edits.decide import EditPolicy, load_policy
from unslant.edits.model import EditModel, load_model
from unslant.lab.edits.verdicts import JudgedEdit, is_frozen, judged_edits, read_verdicts
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.stats.metrics import Metric, roc_auc
from unslant.spec import Spec

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling

_SHIPPED = Path(load_model.__code__.co_filename).with_name("weights")


def edits(verdicts: Sequence[Path], model: str, setting: Setting) -> Result:
    """Measure a model of edits and its policy on the documents that it has not learned from."""
    folder = _SHIPPED if model == "default" else Path(model)
    rows = [row for row in read_verdicts(verdicts) if is_frozen(str(row["document"]))]
    judged = judged_edits(rows, setting.data, Spec(), lambda *_: None)
    return measure_edits(load_model(folder), load_policy(folder), judged, setting.resampling, model)


def measure_edits(
    model: EditModel, policy: EditPolicy, judged: Sequence[JudgedEdit], resampling: Resampling, name: str
) -> Result:
    """Return the figures, by the source of the edits."""
    scored = [
        (edit, chance := model.probability(edit.inputs), policy.line(edit.edit_class, chance))
        for edit in judged
        if edit.with_network
    ]
    offered = [(edit, not edit.refused and chance >= line.offered) for edit, chance, line in scored]
    safe = [(edit, not edit.refused and chance >= line.safe) for edit, chance, line in scored]
    sections = [
        Section("all edits", _figures(offered, resampling), "edits"),
        Section("made without review", _figures(safe, resampling), "edits"),
    ]
    for source in sorted({edit.source for edit in judged}):
        some = [(edit, kept) for edit, kept in offered if edit.source == source]
        sections.append(Section(f"from {source}", _figures(some, resampling), "edits"))
    ranked = roc_auc([chance for _, chance, _ in scored], [edit.good for edit, _, _ in scored])
    notes = (
        f"{len(scored)} edits of documents that the model has not learned from, "
        f"{sum(edit.good for edit, _, _ in scored)} of them good; ranked right {ranked or 0.0:.3f}",
        "intervals resample documents",
    )
    return Result("edits", name, tuple(sections), notes)


def _figures(judged: Sequence[tuple[JudgedEdit, bool]], resampling: Resampling) -> tuple[Figure, ...]:
    if not judged:
        return ()
    counts = np.array(
        [(1, kept, kept and edit.good, kept and edit.verdict == "ungrammatical") for edit, kept in judged],
        dtype=float,
    )

    def share(part: int, whole: int) -> Metric:
        return Metric(counts, lambda sums: np.asarray(sums[..., part] / np.maximum(sums[..., whole], 1e-9)))

    measures = {"offered": share(1, 0), "good": share(2, 1), "ungrammatical": share(3, 1)}
    return figures("edits", measures, resampling, groups=[edit.document for edit, _ in judged])
