"""A deterministic model and small corpora for it: whoever writes 'awful' or 'glorious' slants."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unslant.core.types import Span
from unslant.lab.evaluation.held_out import Fold, Lineage
from unslant.neural.decoder import PredictedSpan, Prediction

SLANTED = re.compile(r"\b(?:awful|glorious)\b")


class ToyModel:
    """Says 0.9 where one of two words stands and 0.2 elsewhere; ``unfair`` adds to texts that name a word."""

    name = "toy"
    heads = "product"
    answers = frozenset({"sentence", "probability", "spans", "kinds", "dimension", "opinion"})

    def __init__(self, lineage: Lineage | None = None, unfair: dict[str, float] | None = None) -> None:
        self.lineage = lineage or Lineage()
        self._unfair = unfair or {}
        self.seen: list[tuple[str, str]] = []

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        self.seen += [(text, corpus) for text in texts]
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Prediction:
        spans = tuple(PredictedSpan(Span(*match.span()), "framing") for match in SLANTED.finditer(text))
        chance = 0.9 if spans else 0.2
        chance += sum(more for word, more in self._unfair.items() if word in text)
        return Prediction(
            slanted=chance >= 0.5,
            probability=chance,
            spans=spans,
            kinds=frozenset({"framing"}) if spans else frozenset(),
            kind_probabilities={"framing": chance},
            dimension="race" if "race" in text else "gender",
            opinion="opinion" if spans else "factual",
        )


def held(fold: int, corpus: str = "babe/sg2") -> Lineage:
    """A model that was trained without one of two parts."""
    return Lineage(folds=(Fold(corpus, 2, fold),))


def write_babe(root: Path, rows: Sequence[tuple[str, str]], name: str = "SG2") -> None:
    """Write text and label (``Biased``, ``Non-biased``, ``No agreement``) as the corpus does."""
    path = root / "babe" / f"final_labels_{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = "text news_link outlet topic type label_bias label_opinion biased_words".split()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=";")
        writer.writeheader()
        for at, (text, label) in enumerate(rows):
            side = ("left", "right")[at % 2]
            more = {"outlet": f"the {side} post", "topic": "weather", "type": side, "biased_words": "[]"}
            writer.writerow({"text": text, "label_bias": label, "news_link": "", "label_opinion": ""} | more)


def write_wikibias(root: Path, pairs: Sequence[tuple[str, str, list[str]]]) -> None:
    """Write pairs of source and target as the test part; a source is biased where it has types."""
    folder = root / "wikibias"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    gold: list[str] = []
    for number, (source, target, types) in enumerate(pairs):
        for side, text in (("source", source), ("target", target)):
            tokens = text.split()
            biased = side == "source" and bool(types)
            tags = ["B-bias" if biased and SLANTED.fullmatch(token) else "O" for token in tokens]
            row = {"id": f"{number}_{side}", "pair": number, "side": side, "tokens": tokens, "tags": tags}
            rows.append(row | {"types": types if biased else [], "label": int(biased)})
            if side == "source":
                gold.append("".join(f"{a} {b}\n" for a, b in zip(tokens, tags, strict=True)))
    for split, some in (("train", rows[:0]), ("dev", rows[:0]), ("test", rows)):
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some), "utf-8")
    (folder / "test_source_gold.conll").write_text("\n".join(gold), "utf-8")
