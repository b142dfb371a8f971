"""Weak labels in the light of a trained model: the least likely are dropped, or all are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.lab.detector.network import Trained
from unslant.lab.detector.predict import encode_for, head_specs, network_output, predict
from unslant.lab.detector.rows import Sample
from unslant.neural.decoder import Decoder, GatedSpanHead, HeadSelection, Prediction

__all__ = ["drop_least_likely", "relabel"]


def _head(trained: Trained, type_: str) -> str | None:
    heads = trained.network.plan.heads
    return next((name for name, plan in heads.items() if plan.type == type_), None)


def _predict(trained: Trained, samples: Sequence[Sample]) -> list[Prediction]:
    """Return what the first sentence head and the first span head predict."""
    sentence, spans = _head(trained, "sentence"), _head(trained, "spans")
    if sentence is None:
        raise ConfigError("dropping or replacing weak labels needs a head of type 'sentence' in the recipe")
    pairs = (GatedSpanHead(spans, sentence),) if spans else ()
    network = trained.network
    decoder = Decoder(
        head_specs(network, trained.decisions),
        HeadSelection("weak labels", sentence=sentence, span_heads=pairs),
    )
    rows = encode_for(trained, samples)
    outputs = predict(trained, rows, heads={name for name in (sentence, spans) if name})
    return [decoder.decode(network_output(network, outputs, row, at)) for at, row in enumerate(rows)]


def drop_least_likely(trained: Trained, samples: Sequence[Sample], share: float) -> list[Sample]:
    """Drop the share of the positives that the model finds least likely; everything else stays, in order."""
    positives = [at for at, sample in enumerate(samples) if sample.example.label]
    if not positives:
        return list(samples)
    scores = [prediction.score for prediction in _predict(trained, [samples[at] for at in positives])]
    ranked = sorted(range(len(positives)), key=lambda number: (scores[number], number))
    dropped = {positives[number] for number in ranked[: round(share * len(positives))]}
    return [sample for at, sample in enumerate(samples) if at not in dropped]


def relabel(trained: Trained, samples: Sequence[Sample], corpora: Sequence[str]) -> list[Sample]:
    """Replace the labels and spans of some corpora by what the model predicts."""
    chosen = [at for at, sample in enumerate(samples) if sample.part.name in corpora]
    if not chosen:
        return list(samples)
    marks = _head(trained, "spans") is not None
    result = list(samples)
    predictions = _predict(trained, [samples[at] for at in chosen])
    for at, prediction in zip(chosen, predictions, strict=True):
        example = samples[at].example
        spans = tuple(LabelledSpan(one.span) for one in prediction.spans) if marks else example.spans
        fresh = replace(example, label=prediction.slanted, share=prediction.probability, spans=spans)
        result[at] = replace(samples[at], example=fresh)
    return result
