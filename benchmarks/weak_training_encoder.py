"""Does training on weak labels help a pretrained tagger? The second half of ``weak_training.py``.

Each training is a separate run, stored under RUNS as JSON with the words it marked in each test sentence. Finished runs
are not repeated, and an interrupted run resumes from its last checkpoint.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.own_files import example_to_json
from unslant.lab.corpora.wikipedia import read_gold
from unslant.lab.evaluation.weak_labels import gold_pairs
from unslant.lab.stats.bootstrap import Resampling, compare_paired
from unslant.lab.stats.metrics import Metric
from unslant.lab.stats.spans import SpanPrediction, exact_f1, overlap_f1
from unslant.lab.wiki.weak_labels import label_pair

SEEDS = (1, 2, 3)
_STAGE = {"batch": 16, "lr": 1e-4, "metric": ("spans.exact_f1", "spans.overlap_f1")}


@dataclass(frozen=True)
class Setting:
    """How much is labelled by hand, and how the rest is used."""

    name: str
    manual: float
    """The share of the training pairs that is labelled by hand."""
    rest: str
    """``none``, ``weak`` or ``manual``: the labels of the other pairs."""
    epochs: int = 2


SETTINGS = (
    Setting("manual two thirds", 2 / 3, "none"),
    Setting("and the third, labelled weakly", 2 / 3, "weak"),
    Setting("and the third, labelled by hand", 2 / 3, "manual"),
    Setting("manual tenth", 1 / 10, "none", 10),
    Setting("and nine tenths, labelled weakly", 1 / 10, "weak"),
)
_ORDER = [(at, seed) for some in ((0, 1, 2), (3, 4)) for seed in SEEDS for at in some]
PAIRED = ((1, 0), (2, 0), (1, 2), (4, 3), (4, 2))
"""The settings that are compared."""


def compare(data: str, encoder: str, runs: Path) -> None:
    """Train what is missing, then print figures and differences."""
    runs.mkdir(parents=True, exist_ok=True)
    for at, seed in _ORDER:
        if not _kept(runs, at, seed).is_file():
            figures = _train(data, encoder, SETTINGS[at], seed, runs / f"run-{at}-{seed}")
            _kept(runs, at, seed).write_text(json.dumps(figures), "utf-8")
            shutil.rmtree(runs / f"run-{at}-{seed}")
            print(f"{SETTINGS[at].name}, seed {seed}: done", flush=True)
    report(data, runs)


def _kept(runs: Path, at: int, seed: int) -> Path:
    return runs / f"setting-{at}-seed-{seed}.json"


def _train(data: str, encoder: str, setting: Setting, seed: int, folder: Path) -> dict[str, Any]:
    """Train a tagger on sources and return the words it marks in the test split; dev selects epoch and threshold."""
    from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage
    from unslant.lab.detector.run import TrainSettings, train
    from unslant.lab.evaluation.models import RunModel

    folder.mkdir(parents=True, exist_ok=True)
    learned, dev = folder / "learned.jsonl", folder / "dev.jsonl"
    if not learned.is_file():
        pairs = _unguarded(data, encoder)
        _write(dev, [replace(source, source="dev") for source, _ in pairs if source.split == "dev"])
        _write(learned, _examples([pair for pair in pairs if pair[0].split == "train"], setting, seed))
    stage = Stage(
        "tagging",
        (Part(str(learned)),),
        (Part(str(dev), splits=("dev",)),),
        epochs=setting.epochs,
        **_STAGE,  # type: ignore[arg-type]
    )
    recipe = Recipe(setting.name, encoder, {"spans": HeadPlan("spans")}, (stage,), seed=seed)
    model = RunModel(train(recipe, folder / "run", TrainSettings(data, resume=True, checkpoint_every=25)))
    said = model.predict([item.text for item in _test(data)], "wikibias")
    return {
        "learned": sum(1 for _ in learned.open()),
        "marked": [[[span.span.start, span.span.end] for span in item.spans] for item in said],
    }


def _unguarded(data: str, encoder: str) -> list[tuple[Example, Example]]:
    """Return train and dev without exact or near duplicates of dev and test."""
    from unslant.lab.detector.data import Data
    from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage

    stage = Stage("tagging", (Part("wikibias"),))
    guarded = Recipe("", encoder, {"spans": HeadPlan("spans")}, (stage,), guard=("wikibias",))
    blocked = Data(guarded, data).held_out_duplicates("wikibias")
    return [pair for pair in gold_pairs(data) if pair[0].split != "test" and pair[0].id not in blocked]


def _examples(pairs: Sequence[tuple[Example, Example]], setting: Setting, seed: int) -> Iterator[Example]:
    """Yield the training sources in the order of the corpus, so that only labels differ between settings."""
    order = list(range(len(pairs)))
    random.Random(seed).shuffle(order)  # noqa: S311
    manual = set(order[: round(len(pairs) * setting.manual)])
    for at, (source, target) in enumerate(pairs):
        if at in manual or setting.rest == "manual":
            yield source
        elif setting.rest == "weak":
            spans = label_pair(source.text, target.text).spans
            yield replace(source, label=bool(spans), spans=tuple(map(LabelledSpan, spans)), kinds=None)


def _write(path: Path, examples: Sequence[Example] | Iterator[Example]) -> None:
    part = path.with_suffix(".part")
    part.write_text("".join(json.dumps(example_to_json(example)) + "\n" for example in examples), "utf-8")
    part.replace(path)


def _test(data: str) -> list[Example]:
    from unslant.lab import corpora

    return list(read_gold(corpora.load("wikibias", data).source))


def report(data: str, runs: Path) -> None:
    """Print the figures of finished runs, and the differences over the seeds that both sides have."""
    test = _test(data)
    found: dict[str, dict[tuple[int, int], Metric]] = {"exact F1": {}, "overlap F1": {}}
    for at, setting in enumerate(SETTINGS):
        kept = {seed: _kept(runs, at, seed) for seed in SEEDS if _kept(runs, at, seed).is_file()}
        for seed, path in kept.items():
            run = json.loads(path.read_text("utf-8"))
            found["exact F1"][at, seed] = exact_f1(_marked(test, run))
            found["overlap F1"][at, seed] = overlap_f1(_marked(test, run))
            if seed == SEEDS[0]:
                print(f"{setting.name} ({run['learned']} sentences)")
        for name, measures in found.items():
            values = [100 * (measures[at, seed].value or 0.0) for seed in kept]
            if values:
                print(f"  {name:<10} {mean(values):.1f} ({', '.join(f'{value:.1f}' for value in values)})")
    for item, other in PAIRED:
        seeds = [
            seed for seed in SEEDS if _kept(runs, item, seed).is_file() and _kept(runs, other, seed).is_file()
        ]
        if not seeds:
            continue
        print(f"{SETTINGS[item].name}, against: {SETTINGS[other].name} ({len(seeds)} seeds)")
        for name, measures in found.items():
            sides = [_mean([measures[at, seed] for seed in seeds]) for at in (item, other)]
            gain = compare_paired(*sides, Resampling(2000))
            print(f"  {name:<10} {100 * gain.value:+.1f} [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]")


def _marked(test: Sequence[Example], kept: Mapping[str, Any]) -> list[SpanPrediction]:
    return [
        SpanPrediction(
            item.text, tuple(m.span for m in item.spans or ()), tuple(Span(*place) for place in places)
        )
        for item, places in zip(test, kept["marked"], strict=True)
    ]


def _mean(measures: Sequence[Metric]) -> Metric:
    """Return the mean of a figure over seeds, each on the same resample of sentences."""
    import numpy as np

    width = measures[0].counts.shape[1]
    cuts = [slice(at * width, (at + 1) * width) for at in range(len(measures))]
    return Metric(
        np.concatenate([measure.counts for measure in measures], axis=1),
        lambda sums: np.mean([measures[0].formula(sums[..., cut]) for cut in cuts], axis=0),
    )
