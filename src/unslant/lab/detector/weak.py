"""Weak labels seen through a model that has learned already: the least likely left out, or all written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.lab.detector.network import Trained
from unslant.lab.detector.predict import Outputs, encode_for, predict
from unslant.lab.detector.rows import Row, Sample
from unslant.neural.spans import decode_scores

__all__ = ["drop_least_likely", "relabel"]


def _head(trained: Trained, type_: str) -> str | None:
    heads = trained.network.plan.heads
    return next((name for name, plan in heads.items() if plan.type == type_), None)


def _asked(trained: Trained) -> set[str]:
    return {name for type_ in ("sentence", "spans") if (name := _head(trained, type_))}


def _probabilities(trained: Trained, outputs: Outputs) -> list[float]:
    name = _head(trained, "sentence")
    if name is None:
        raise ConfigError("leaving out or relabelling weak labels needs a head of the type 'sentence'")
    decision = trained.decisions.get(name, {})
    logits = torch.stack(outputs[name]) * decision.get("scale", 1.0) + decision.get("offset", 0.0)
    chances: list[float] = torch.sigmoid(logits).tolist()
    return chances


def drop_least_likely(trained: Trained, samples: Sequence[Sample], share: float) -> list[Sample]:
    """Leave out the share of the positives that the model finds least likely; everything else stays, in order."""
    positives = [at for at, sample in enumerate(samples) if sample.example.label]
    if not positives:
        return list(samples)
    rows = encode_for(trained, [samples[at] for at in positives])
    chances = _probabilities(trained, predict(trained, rows, heads=_asked(trained)))
    ranked = sorted(range(len(positives)), key=lambda one: (chances[one], one))
    out = {positives[one] for one in ranked[: round(share * len(positives))]}
    return [sample for at, sample in enumerate(samples) if at not in out]


def relabel(trained: Trained, samples: Sequence[Sample], corpora: Sequence[str]) -> list[Sample]:
    """Replace the labels and marks of some corpora by what the model says."""
    chosen = [at for at, sample in enumerate(samples) if sample.part.name in corpora]
    if not chosen:
        return list(samples)
    rows = encode_for(trained, [samples[at] for at in chosen])
    outputs = predict(trained, rows, heads=_asked(trained))
    chances = _probabilities(trained, outputs)
    result = list(samples)
    for number, at in enumerate(chosen):
        example = samples[at].example
        spans = _spans(trained, outputs, rows[number], number)
        label = chances[number] >= 0.5
        fresh = replace(example, label=label, share=chances[number], spans=spans)
        result[at] = replace(samples[at], example=fresh)
    return result


def _spans(trained: Trained, outputs: Outputs, row: Row, number: int) -> tuple[LabelledSpan, ...] | None:
    name = _head(trained, "spans")
    if name is None:
        return row.sample.example.spans
    decision = trained.decisions.get(name, {})
    chances = torch.softmax(outputs[name][number], dim=-1).tolist()
    return tuple(LabelledSpan(one) for one in decode_scores(row.text, row.offsets, chances, decision))
