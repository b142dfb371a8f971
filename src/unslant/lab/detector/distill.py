"""What teachers say of texts, asked once and kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unslant.lab.detector.network import load_trained
from unslant.lab.detector.predict import encode_for, predict
from unslant.lab.detector.rows import Sample, Soft

__all__ = ["SoftTargets", "ask_teachers", "load_soft", "save_soft", "with_soft"]

SoftTargets = list[dict[str, Soft]]


def ask_teachers(
    folders: Sequence[str | Path],
    samples: Sequence[Sample],
    tell: Callable[[int], None] | None = None,
    *,
    heads: Sequence[str] = (),
) -> SoftTargets:
    """Return the mean of the teachers' logits for every sample, by head; ``heads`` are those that are wanted, or all.

    Teachers of piecewise heads may cut texts differently: each is read at the places where the first one's pieces
    begin.
    """
    answers = [_ask(folder, samples, tell, heads) for folder in folders]
    merged: SoftTargets = []
    for one in zip(*answers, strict=True):
        names = set.intersection(*(set(answer) for answer in one))
        merged.append({name: _mean([answer[name] for answer in one]) for name in sorted(names)})
    return merged


def _ask(
    folder: str | Path, samples: Sequence[Sample], tell: Callable[[int], None] | None, wanted: Sequence[str]
) -> SoftTargets:
    trained = load_trained(folder)
    rows = encode_for(trained, samples)
    heads = {
        name: head
        for name, head in trained.network.heads.items()
        if getattr(head, "distilled", True) and (not wanted or name in wanted)
    }
    outputs = predict(trained, rows, tell=tell, heads=heads)
    found: SoftTargets = []
    for at, row in enumerate(rows):
        # Marks of the tokenizer have no place in the text.
        real = [piece for piece, (start, end) in enumerate(row.offsets) if start < end]
        answer: dict[str, Soft] = {}
        for name, head in heads.items():
            values = outputs[name][at].numpy().astype(np.float16)
            if head.level == "subword":
                answer[name] = Soft(values[real], tuple(row.offsets[piece][0] for piece in real))
            else:
                answer[name] = Soft(values.reshape(-1))
        found.append(answer)
    return found


def _mean(answers: Sequence[Soft]) -> Soft:
    first = answers[0]
    if not first.starts:
        return Soft(np.mean([one.values.astype(np.float32) for one in answers], axis=0).astype(np.float16))
    total = np.zeros(first.values.shape, np.float32)
    count = np.zeros((len(first.starts), 1), np.float32)
    places = {start: at for at, start in enumerate(first.starts)}
    for one in answers:
        for start, values in zip(one.starts, one.values, strict=True):
            if start in places:
                total[places[start]] += values
                count[places[start]] += 1
    return Soft((total / count).astype(np.float16), first.starts)


def with_soft(samples: Sequence[Sample], targets: SoftTargets) -> list[Sample]:
    """Return the samples with what the teachers said of each."""
    return [replace(sample, soft=soft) for sample, soft in zip(samples, targets, strict=True)]


def save_soft(targets: SoftTargets, path: Path) -> None:
    """Write them as one safetensors file."""
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {}
    for name in targets[0] if targets else ():
        values = [one[name].values for one in targets]
        starts = [one[name].starts for one in targets]
        arrays[f"{name}.values"] = np.concatenate([value.reshape(-1, value.shape[-1]) for value in values])
        arrays[f"{name}.sizes"] = np.array([len(one) for one in starts], np.int64)
        arrays[f"{name}.starts"] = np.array([start for one in starts for start in one], np.int64)
    save_file(arrays, path)


def load_soft(path: Path) -> SoftTargets:
    """Read what :func:`save_soft` wrote."""
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
            soft = Soft(values[at : at + size], places) if size else Soft(values[at])
            targets[number][name] = soft
            at, place = at + max(size, 1), place + size
    return targets
