"""Does training on weak labels help? A small tagger with and without them.

Usage: python benchmarks/weak_training.py DATA
       python benchmarks/weak_training.py DATA --encoder DIR --runs DIR

One third of WIKIBIAS train is treated as unlabelled. A linear word tagger (logistic regression on words, suffixes and
neighbours; no pretrained model) is trained on the other two thirds alone, on these plus the third with weak labels, and
on these plus the third with manual labels. It is measured by words on the sources of the test split, with the threshold
that is best on dev. Figures are means over three divisions into thirds.

With ``--encoder``, a pretrained encoder is trained by the code of ``unslant train`` instead and measured by exact and
overlap F1 of spans, with intervals for the differences. Its runs are kept under ``--runs``, and the command can be
interrupted and repeated.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from unslant.core.types import Span
from unslant.lab.evaluation.weak_labels import gold_pairs
from unslant.lab.wiki.weak_labels import label_pair
from unslant.text.diff import word_spans

Sentence = tuple[list[list[int]], list[bool]]
"""The features and the label of each word."""
_FEATURES = 1 << 18
_ROUNDS = 6


def main() -> None:
    """Train and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data")
    parser.add_argument("--encoder", help="a folder with a pretrained encoder")
    parser.add_argument("--runs", type=Path, default=Path("weak-runs"), help="the folder for its runs")
    options = parser.parse_args()
    if options.encoder:
        from weak_training_encoder import compare

        compare(options.data, options.encoder, options.runs)
    else:
        _linear(options.data)


def _linear(data: str) -> None:
    """Print a line for each training set."""
    pairs = list(gold_pairs(data))
    parts = {name: [pair for pair in pairs if pair[0].split == name] for name in ("train", "dev", "test")}
    dev, test = (
        [_sentence(s.text, [marked.span for marked in s.spans or ()]) for s, _ in parts[name]]
        for name in ("dev", "test")
    )
    scores = defaultdict(list)
    for third in range(3):
        order = parts["train"].copy()
        random.Random(third).shuffle(order)  # noqa: S311
        cut = len(order) // 3
        weak = [pair for source, target in order[:cut] for pair in _weak(source.text, target.text)]
        gold = [[_sentence(e.text, [m.span for m in e.spans or ()]) for e in pair] for pair in order]
        manual = [item for pair in gold[cut:] for item in pair]
        rest = [item for pair in gold[:cut] for item in pair]
        for name, sentences in (
            ("two thirds", manual),
            ("+ weak third", manual + weak),
            ("+ manual third", manual + rest),
        ):
            weights = _learn(sentences)
            threshold = max((step / 50 for step in range(1, 50)), key=lambda at: _f1(weights, dev, at))
            scores[name].append(_f1(weights, test, threshold))
    for name, values in scores.items():
        print(
            f"{name:<16} F1 of words on test {mean(values):.3f}  ({', '.join(f'{value:.3f}' for value in values)})"
        )


def _weak(source: str, target: str) -> list[Sentence]:
    return [_sentence(source, label_pair(source, target).spans), _sentence(target, ())]


def _sentence(text: str, spans: Sequence[Span]) -> Sentence:
    places = word_spans(text)
    words = ["", *(text[place.start : place.end] for place in places), ""]
    labels = [any(span.start < place.end and place.start < span.end for span in spans) for place in places]
    features = []
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        low = word.lower()
        told = (
            f"w{low}",
            f"e{low[-3:]}",
            f"b{before.lower()}",
            f"a{after.lower()}",
            f"c{word[:1].isupper()}",
        )
        both = (f"wb{before.lower()} {low}", f"wa{low} {after.lower()}", "bias")
        features.append([_number(item) for item in (*told, *both)])
    return features, labels


def _number(name: str) -> int:
    import zlib

    return zlib.crc32(name.encode()) % _FEATURES


def _learn(sentences: Sequence[Sentence]) -> list[float]:
    weights, squares = [0.0] * _FEATURES, [1.0] * _FEATURES
    order = list(sentences)
    chance = random.Random(0)  # noqa: S311
    for _ in range(_ROUNDS):
        chance.shuffle(order)
        for features, labels in order:
            for active, label in zip(features, labels, strict=True):
                slope = _probability(weights, active) - label
                for item in active:
                    squares[item] += slope * slope
                    weights[item] -= 0.2 * slope / math.sqrt(squares[item])
    return weights


def _probability(weights: Sequence[float], active: Sequence[int]) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(weights[item] for item in active)))))


def _f1(weights: Sequence[float], sentences: Sequence[Sentence], threshold: float) -> float:
    right = marked = gold = 0
    for features, labels in sentences:
        for active, label in zip(features, labels, strict=True):
            said = _probability(weights, active) >= threshold
            right, marked, gold = right + (said and label), marked + said, gold + label
    return 2 * right / (marked + gold) if marked + gold else 0.0


if __name__ == "__main__":
    main()
