"""How likely a reader accepts an edit that needs review, learned from edits that were read.

The judge of edits (:mod:`unslant.rewrite.edit_judge`) has learned from editors' fixes and damaged copies of them, so it
knows what breaks a sentence. What it lets through was read and given a verdict; a logistic regression over these
verdicts estimates how likely the next one is good: by who proposes it, how sure the finding is, which words go and
come, and what stands around them. ``unslant train edit-acceptance`` fits it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.acceptance import logit
from unslant.core.errors import ModelError
from unslant.rewrite.edit_judge import shipped_judge
from unslant.rewrite.facts import changed_fact
from unslant.rewrite.result import Suggestion
from unslant.rewrite.word_order import ALIKE
from unslant.rewrite.wordings import WORDINGS, load_listed
from unslant.text.function_words import FUNCTION
from unslant.text.words import Words, split_words

__all__ = ["EditAcceptance", "features", "load_acceptance", "save_acceptance", "shipped_acceptance"]

_FILE = Path(__file__).with_name("weights") / "edit_acceptance.json"
_FORMAT = "unslant/edit-acceptance/1"
_UNKNOWN = 0.7
"""The probability of findings that nobody has estimated."""
_UNSURE = 0.7
_MOST = 6
_THRESHOLDS = ("offered", "ruled", "unread", "doubtful")
_DOUBTFUL = frozenset((WORDINGS, "deletion"))
_SHORT, _LONG = 12, 60
"""Sentences that are shorter or longer count as of this many words: few of them were read."""
_LEXICAL = 2.0
"""The value of features for single words: larger values let fewer verdicts decide."""
_PERSON = re.compile(r"\b(?:I|me|my|we|our|us|you|your)\b")
_ENDINGS = ("ing", "ed", "est", "tion", "ous", "ful", "ive", "al", "er", "s")


@dataclass(frozen=True, slots=True)
class EditAcceptance:
    """The weights of the regression, and the thresholds chosen for it."""

    weights: Mapping[str, float]
    offered: float
    """Edits that are less likely accepted are not offered."""
    ruled: float
    """The same for the wordings of rules, whose authors have thought about them."""
    unread: float
    """The same for the wordings of rules where the model was not asked or does not agree: few of them were read."""
    doubtful: float
    """The same for sources of which less than four edits in five were good: listed wordings, and deletions that no
    model proposes."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What it was fitted on."""

    def least(self, origin: str, *, model_agrees: bool) -> float:
        """Return how likely readers must accept an edit from a source for it to be offered."""
        if origin == "rules":
            return self.ruled if model_agrees else self.unread
        return self.doubtful if origin in _DOUBTFUL else self.offered

    def probability(self, text: str, new: str, suggestion: Suggestion) -> float:
        """Return how likely a reader accepts an edit, given the sentence before and after it."""
        return self.score(features(text, new, suggestion))

    def score(self, inputs: Iterable[tuple[str, float]]) -> float:
        """Return the same probability, given the features of an edit."""
        total = sum(self.weights.get(name, 0.0) * value for name, value in inputs)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def features(text: str, new: str, suggestion: Suggestion) -> list[tuple[str, float]]:
    """Return the inputs of the regression that are not zero, by name."""
    found = {"bias": 1.0}
    for name, value in (
        *_evidence(text, new, suggestion),
        *_sentence(text),
        *_place(_Changed.of(text, suggestion)),
    ):
        found[name] = found.get(name, 0.0) + value
    for name in _words(_Changed.of(text, suggestion), suggestion):
        found[name] = _LEXICAL
    return [(name, value) for name, value in found.items() if value]


@dataclass(frozen=True, slots=True)
class _Changed:
    """The words that an edit takes out and puts in, without those that it only moves."""

    words: Words
    start: int
    end: int
    new: tuple[str, ...]

    @classmethod
    def of(cls, text: str, suggestion: Suggestion) -> _Changed:
        words, edit = split_words(text), suggestion.edit
        start, end = words.after(edit.start), words.after(edit.end)
        new = split_words(edit.replacement).plain
        while start < end and new and words.plain[end - 1] == new[-1]:
            end, new = end - 1, new[:-1]
        while start < end and new and {words.plain[start], new[0]} <= {"a", "an"}:
            start, new = start + 1, new[1:]
        return cls(words, start, end, tuple(_alike(word) for word in new))

    @property
    def gone(self) -> list[str]:
        return [_alike(self.words.plain[at]) for at in range(self.start, self.end)]

    @property
    def kind(self) -> str:
        return "replace" if self.new else "delete"

    def around(self, at: int) -> str:
        """Return the class of a word beside the edit: itself if it is a function word or a mark, or its shape."""
        if not 0 <= at < len(self.words):
            return "edge"
        if self.words.is_word(at) and self.words.written[at][0].isupper() and at:
            return "name"
        word = self.words.plain[at]
        return word if word in FUNCTION or not self.words.is_word(at) else _shape(word)


def _alike(word: str) -> str:
    return ALIKE.get(word, word)


def _shape(word: str) -> str:
    if word in FUNCTION:
        return "function"
    if word in load_listed().adjectives:
        return "adjective"
    if word.endswith("ly"):
        return "ly"
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "other")


def _evidence(text: str, new: str, suggestion: Suggestion) -> Iterator[tuple[str, float]]:
    """Yield what stands behind the edit: the judge, the proposer, the finding."""
    origin = suggestion.origin.partition(":")[0]
    kind = "replace" if suggestion.bare.replacement.strip() else "delete"
    judged = logit(shipped_judge().probability(text, new))
    yield "judge", judged
    yield f"judge {origin}", judged
    yield f"from {origin}", 1.0
    yield f"from {origin} {kind}", 1.0
    if origin == "edits":
        yield "trust", 4 * suggestion.trust
        yield "unsure", float(suggestion.trust < _UNSURE)
    fact = changed_fact(text, new)
    if fact is not None:
        yield f"fact {fact[0]}", 1.0
    for finding in suggestion.findings[:1]:
        certain = logit(finding.probability if finding.probability is not None else _UNKNOWN)
        yield "finding", certain
        if finding.origin == "model":
            yield "finding of the model", 1.0
            yield "finding of the model, certain", certain
        yield f"kind {finding.kind}", 1.0
        words = len(finding.text.split())
        yield "finding words", min(8, words) / 2
        yield "part of the finding", float(len(suggestion.bare.span) < len(finding.text.strip()) - 1)


def _sentence(text: str) -> Iterator[tuple[str, float]]:
    words = max(_SHORT, min(_LONG, len(text.split())))
    yield "length", math.log(words)
    yield "in person", float(_PERSON.search(text) is not None)
    yield "exclaims", float("!" in text or "?" in text)


def _place(changed: _Changed) -> Iterator[tuple[str, float]]:
    """Yield what the words are, and what stands around them."""
    kind, gone = changed.kind, changed.gone
    before, after = changed.around(changed.start - 1), changed.around(changed.end)
    last = _shape(gone[-1]) if gone else "none"
    yield "words", min(_MOST, len(gone)) / 2
    yield "new words", min(_MOST, len(changed.new)) / 2
    yield "several words", float(len(gone) > 1)
    yield f"{kind} {last}", 1.0
    yield f"{kind} after {before}", 1.0
    yield f"{kind} before {after}", 1.0
    if kind == "delete":
        yield f"{last} after {before}", 1.0
    yield "at the start", float(changed.start == 0)


def _words(changed: _Changed, suggestion: Suggestion) -> Iterator[str]:
    """Yield the words themselves and the rule; where the words are about people, only the rule.

    Of two groups, more edits may have been read about one.
    """
    rule = next((finding.rule for finding in suggestion.findings if finding.rule), None)
    if rule is not None:
        yield f"rule {rule}"
        yield f"rule {rule} {suggestion.origin.partition(':')[0]} {changed.kind}"
    if any(finding.kind == "demographic" for finding in suggestion.findings):
        return
    gone, new = " ".join(changed.gone), " ".join(changed.new)
    yield f"out {gone}"
    if new:
        yield f"{gone} > {new}"
    for word in changed.gone:
        yield f"out {word}"
    for word in changed.new:
        yield f"in {word}"
    if changed.end < len(changed.words):
        yield f"next {_alike(changed.words.plain[changed.end])}"


def save_acceptance(acceptance: EditAcceptance, path: Path) -> None:
    """Write the regression as JSON."""
    entry = {
        "format": _FORMAT,
        "offered": acceptance.offered,
        "ruled": acceptance.ruled,
        "unread": acceptance.unread,
        "doubtful": acceptance.doubtful,
        "about": acceptance.about,
        "weights": dict(sorted(acceptance.weights.items())),
    }
    path.write_text(json.dumps(entry, indent=0, ensure_ascii=False) + "\n", "utf-8")


def load_acceptance(path: Path) -> EditAcceptance:
    """Read the regression; a ``ModelError`` names a file that cannot be used."""
    try:
        entry = json.loads(path.read_text("utf-8"))
        if entry["format"] != _FORMAT:
            raise ValueError(f"its format is {entry['format']!r}, not {_FORMAT!r}")
        weights = {str(name): float(value) for name, value in entry["weights"].items()}
        offered, ruled, unread, doubtful = (float(entry[name]) for name in _THRESHOLDS)
        return EditAcceptance(weights, offered, ruled, unread, doubtful, dict(entry["about"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: {error}; reinstall unslant") from error


@lru_cache(1)
def shipped_acceptance() -> EditAcceptance:
    """Return the regression that ships with unslant."""
    return load_acceptance(_FILE)
