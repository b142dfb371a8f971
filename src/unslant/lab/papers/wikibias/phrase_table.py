"""What editors wrote in place of a phrase, counted on sentence pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unslant.core.types import Edit, Span
from unslant.lab.detector.edits import token_edits
from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage
from unslant.lab.rewriters.pairs import PairData
from unslant.neural.checkpoint import DELETE, edit_label, labelled_edit
from unslant.neural.span_edits import EditPlace

TRAINING_PAIRS = (
    Part("wikibias"),
    Part("wnc/clean", splits=()),
    Part("wnc/notebook", splits=()),
    Part("npov", splits=()),
)
"""The neutrality edits of an encyclopedia; texts of the dev and test parts of WIKIBIAS are left out."""

_PRIOR = 4.0
"""How many edits of a phrase the model's probability is worth."""
_WORDINGS = 3
"""Further wordings of a phrase are too rare to try."""
_OWN = 2
"""How many edits of a span the model itself proposes, besides a deletion."""
_TINY = 1e-9


def training_pairs(data: str | Path | None) -> Iterator[tuple[str, str]]:
    """Yield the pairs to count, without held-out texts."""
    stage = Stage("pairs", TRAINING_PAIRS)
    recipe = Recipe("pairs", "", {"edits": HeadPlan("edits")}, (stage,), guard=("wikibias",))
    for pair in PairData(recipe, data).pairs(TRAINING_PAIRS, training=True):
        yield pair.source, pair.target


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """How often each phrase was left out, or became which wording; all in lower case."""

    counts: Mapping[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def learn(cls, pairs: Iterable[tuple[str, str]]) -> PhraseTable:
        """Count the edits of some pairs of sentences."""
        counts: dict[str, Counter[str]] = {}
        for source, target in pairs:
            for edit in token_edits(source, target):
                if edit.start < edit.end:
                    phrase = source[edit.start : edit.end].lower()
                    counts.setdefault(phrase, Counter())[edit.replacement.lower()] += 1
        return cls(counts)

    def best(self, text: str, places: Sequence[EditPlace]) -> Edit | None:
        """Return the likeliest edit: the model chooses the span; counts and model together choose the wording."""
        scored = [
            (math.log(place.chance + _TINY) + math.log(share + _TINY), edit)
            for place in places
            for share, edit in self._edits(text, place)
        ]
        return max(scored, key=lambda entry: entry[0])[1] if scored else None

    def _edits(self, text: str, place: EditPlace) -> Iterator[tuple[float, Edit]]:
        counted = self.counts.get(text[place.span.start : place.span.end].lower(), Counter())
        total = sum(counted.values())
        likeliest = sorted(place.shares, key=lambda label: -place.shares[label])[:_OWN]
        for label in dict.fromkeys([*likeliest, DELETE, *_labels(counted, place.span)]):
            edit = labelled_edit(label, place.span, place.chance)
            if edit.start == edit.end and not place.alone:
                continue
            own = _PRIOR * place.shares.get(label, 0.0)
            yield (counted[edit.replacement.lower()] + own) / (total + _PRIOR), edit


def _labels(counted: Counter[str], span: Span) -> list[str]:
    return [
        edit_label(Edit(span.start, span.end, wording))
        for wording, _ in counted.most_common(_WORDINGS)
        if not wording or any(map(str.isalnum, wording))
    ]
