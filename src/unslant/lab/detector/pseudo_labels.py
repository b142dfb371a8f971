"""Labels from trained models: soft labels of teachers, stored on disk, and filtered or replaced weak labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.lab.detector.network import Trained, load_trained
from unslant.lab.detector.predict import encode_for, head_specs, network_output, predict
from unslant.lab.detector.rows import SoftLabels, TrainingSample
from unslant.neural.decoder import Decoder, GatedSpanHead, HeadSelection, Prediction

SoftTargets = list[dict[str, SoftLabels]]


def ask_teachers(
    folders: Sequence[str | Path],
    samples: Sequence[TrainingSample],
    progress: Callable[[int], None] | None = None,
    *,
    heads: Sequence[str] = (),
) -> SoftTargets:
    """Return the mean of the teachers' logits for every sample, by head; ``heads`` selects heads, empty for all.

    Teachers may tokenize differently: at the subword level, each is read at the start offsets of the first teacher.
    """
    outputs = [_ask(folder, samples, progress, heads) for folder in folders]
    merged: SoftTargets = []
    for row in zip(*outputs, strict=True):
        names = set.intersection(*(set(output) for output in row))
        merged.append({name: _mean([output[name] for output in row]) for name in sorted(names)})
    return merged


def _ask(
    folder: str | Path,
    samples: Sequence[TrainingSample],
    progress: Callable[[int], None] | None,
    wanted: Sequence[str],
) -> SoftTargets:
    trained = load_trained(folder)
    rows = encode_for(trained, samples)
    heads = {
        name: head
        for name, head in trained.network.heads.items()
        if getattr(head, "distilled", True) and (not wanted or name in wanted)
    }
    outputs = predict(trained, rows, progress=progress, heads=heads)
    found: SoftTargets = []
    for at, row in enumerate(rows):
        # special tokens have no position in the text
        real = [subword for subword, (start, end) in enumerate(row.offsets) if start < end]
        answer: dict[str, SoftLabels] = {}
        for name, head in heads.items():
            values = outputs[name][at].numpy().astype(np.float16)
            if head.level == "subword":
                answer[name] = SoftLabels(values[real], tuple(row.offsets[subword][0] for subword in real))
            else:
                answer[name] = SoftLabels(values.reshape(-1))
        found.append(answer)
    return found


def _mean(answers: Sequence[SoftLabels]) -> SoftLabels:
    first = answers[0]
    if not first.starts:
        return SoftLabels(
            np.mean([soft.values.astype(np.float32) for soft in answers], axis=0).astype(np.float16)
        )
    # several subwords can start at one place; the others are only read at the last of them
    total = first.values.astype(np.float32)
    count = np.ones((len(first.starts), 1), np.float32)
    places = {start: at for at, start in enumerate(first.starts)}
    for soft in answers[1:]:
        for start, values in zip(soft.starts, soft.values, strict=True):
            if start in places:
                total[places[start]] += values
                count[places[start]] += 1
    return SoftLabels((total / count).astype(np.float16), first.starts)


def attach_soft_labels(samples: Sequence[TrainingSample], targets: SoftTargets) -> list[TrainingSample]:
    """Return the samples with their soft labels."""
    return [replace(sample, soft=soft) for sample, soft in zip(samples, targets, strict=True)]


def save_soft_labels(targets: SoftTargets, path: Path) -> None:
    """Write soft labels as one safetensors file."""
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {}
    for name in targets[0] if targets else ():
        values = [target[name].values for target in targets]
        starts = [target[name].starts for target in targets]
        arrays[f"{name}.values"] = np.concatenate([value.reshape(-1, value.shape[-1]) for value in values])
        arrays[f"{name}.sizes"] = np.array([len(row) for row in starts], np.int64)
        arrays[f"{name}.starts"] = np.array([start for row in starts for start in row], np.int64)
    save_file(arrays, path)


def load_soft_labels(path: Path) -> SoftTargets:
    """Read what :func:`save_soft_labels` wrote."""
    from safetensors.numpy import load_file

    arrays = load_file(path)
    names = sorted({name.rpartition(".")[0] for name in arrays})
    targets: SoftTargets = []
    for name in names:
        values, sizes, starts = (arrays[f"{name}.{what}"] for what in ("values", "sizes", "starts"))
        targets = targets or [{} for _ in sizes]
        at = place = 0
        for number, size in enumerate(sizes.tolist()):
            places = tuple(starts[place : place + size].tolist())
            soft = SoftLabels(values[at : at + size], places) if size else SoftLabels(values[at])
            targets[number][name] = soft
            at, place = at + max(size, 1), place + size
    return targets


def _head(trained: Trained, type_: str) -> str | None:
    heads = trained.network.plan.heads
    return next((name for name, plan in heads.items() if plan.type == type_), None)


def _predict(trained: Trained, samples: Sequence[TrainingSample]) -> list[Prediction]:
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


def drop_least_likely(
    trained: Trained, samples: Sequence[TrainingSample], share: float
) -> list[TrainingSample]:
    """Drop the share of the positives that the model finds least likely; everything else stays, in order."""
    positives = [at for at, sample in enumerate(samples) if sample.example.label]
    if not positives:
        return list(samples)
    scores = [prediction.score for prediction in _predict(trained, [samples[at] for at in positives])]
    ranked = sorted(range(len(positives)), key=lambda number: (scores[number], number))
    dropped = {positives[number] for number in ranked[: round(share * len(positives))]}
    return [sample for at, sample in enumerate(samples) if at not in dropped]


def relabel(
    trained: Trained, samples: Sequence[TrainingSample], corpora: Sequence[str]
) -> list[TrainingSample]:
    """Replace the labels and spans of some corpora by what the model predicts."""
    chosen = [at for at, sample in enumerate(samples) if sample.part.name in corpora]
    if not chosen:
        return list(samples)
    marks = _head(trained, "spans") is not None
    result = list(samples)
    predictions = _predict(trained, [samples[at] for at in chosen])
    for at, prediction in zip(chosen, predictions, strict=True):
        example = samples[at].example
        spans = tuple(LabelledSpan(span.span) for span in prediction.spans) if marks else example.spans
        fresh = replace(example, label=prediction.slanted, share=prediction.probability, spans=spans)
        result[at] = replace(samples[at], example=fresh)
    return result
