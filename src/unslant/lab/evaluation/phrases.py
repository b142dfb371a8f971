"""Which words carry the bias of a comment: the phrases of RedditBias."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.evaluation.held_out import Setting, ask, part_of, single
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.spans import SpanPrediction, exact_f1, overlap_f1, token_f1, token_f1_mean

__all__ = ["phrases"]

CORPUS = "reddit_bias"


def phrases(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on the biased comments of the held-out part, each of which has one phrase."""
    model = single(models, "phrases")
    need(model, "spans", "phrases")
    model.lineage.check(model.name, CORPUS)
    examples = [one for one in part_of(CORPUS, setting) if one.spans]
    marked = [
        SpanPrediction(
            one.example.text,
            tuple(span.span for span in one.example.spans or ()),
            tuple(span.span for span in one.prediction.spans),
        )
        for one in ask(model, examples, CORPUS, setting)
    ]
    measures = {
        "token F1, mean of texts": token_f1_mean(marked),
        "token F1, all together": token_f1(marked),
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
    }
    notes = (
        "a stand-in: the published figures are for the rationales of CAD, which are not in this copy",
        *model.lineage.notes(CORPUS),
    )
    section = Section(f"{len(marked):,} biased comments", figures("phrases", measures, setting.resampling))
    return Result("phrases", model.name, (section,), notes)
