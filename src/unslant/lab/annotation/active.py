"""Which texts to annotate next: those in which a detector expects findings, or in which two versions of it disagree.

A text without anything near a finding teaches a detector little. Texts are ranked by the *expected number of findings*
(the sum of their probabilities, also of those too unlikely to be reported) and by how many sentences *flip*: one model
calls them slanted and another does not, such as two checkpoints of a run. News of left and right outlets is chosen in
equal numbers, so that a detector does not learn one side better than the other. What is chosen is not natural text: use
it for training, not for calibration or rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.example import Example
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.words import split_words

CANDIDATES_FROM = 0.2
"""Findings from this probability on are expected findings, reported or not."""
_SLANTED = 0.5
_SIDES = ("left", "right")
_SHARED_WORDS = 8
"""Texts that share a run of this many words are taken for copies of each other."""


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text and how much it would teach."""

    example: Example
    expected: float
    """The expected number of findings."""
    flips: int
    """The number of sentences about which the models disagree; 0 with one model."""

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the output: what ``annotate export`` reads, and why the text was chosen."""
        return {
            "item": self.example.id,
            "text": self.example.text,
            "document": self.example.document,
            "outlet": self.example.outlet,
            "leaning": self.example.leaning,
            "expected": round(self.expected, 3),
            "flips": self.flips,
        }


def leave_out(examples: Iterable[Example], known: Iterable[str]) -> Iterator[Example]:
    """Yield the texts that share no run of eight words with texts that were annotated before."""
    seen = {run for text in known for run in _runs(text)}
    return (example for example in examples if not any(run in seen for run in _runs(example.text)))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [word for word in split_words(text).plain if word[0].isalnum()]
    for start in range(len(words) - _SHARED_WORDS + 1):
        yield tuple(words[start : start + _SHARED_WORDS])


def score_texts(
    examples: Sequence[Example],
    specs: Sequence[Spec],
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[ScoredText]:
    """Score texts by the first model, and by the sentences about which the others disagree with it."""
    from unslant.pipeline import Pipeline

    pipelines = [Pipeline(spec) for spec in specs]
    scored = []
    for example in examples:
        reports = [next(pipeline.check([read(example.text, id=example.id)])) for pipeline in pipelines]
        expected = sum(1.0 if item.probability is None else item.probability for item in reports[0].findings)
        verdicts = [
            [(sentence.probability or 0.0) >= _SLANTED for sentence in report.sentences] for report in reports
        ]
        flips = sum(len(set(of_sentence)) > 1 for of_sentence in zip(*verdicts, strict=True))
        scored.append(ScoredText(example, expected, flips))
        progress("texts", len(scored), len(examples))
    return scored


def choose(scored: Sequence[ScoredText], count: int) -> list[ScoredText]:
    """Return up to ``count`` texts: half by flips, the others by expected findings; left and right in equal numbers.

    Texts without anything expected and without a flip are never chosen.
    """
    groups: dict[str, list[ScoredText]] = {}
    for text in sorted((text for text in scored if text.expected or text.flips), key=_leaning):
        groups.setdefault(_leaning(text), []).append(text)
    share = count // max(len(groups), 1)
    sides = [len(groups[side]) for side in _SIDES if side in groups]
    # a side that has fewer texts than its share limits the other
    equal = min([share, *sides]) if len(sides) == len(_SIDES) else share
    return [
        text
        for leaning, group in groups.items()
        for text in _best(group, equal if leaning in _SIDES else share)
    ]


def _leaning(text: ScoredText) -> str:
    return text.example.leaning or ""


def _best(group: Sequence[ScoredText], count: int) -> list[ScoredText]:
    by_flips = sorted((text for text in group if text.flips), key=lambda text: (-text.flips, -text.expected))
    chosen = by_flips[: count // 2]
    names = {text.example.id for text in chosen}
    others = (text for text in group if text.example.id not in names)
    rest = sorted(others, key=lambda text: (-text.expected, -text.flips))
    return [*chosen, *rest[: count - len(chosen)]]
