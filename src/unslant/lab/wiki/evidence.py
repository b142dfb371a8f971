"""What speaks for an edit being about neutrality, as numbers, and the probability they add up to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from unslant.lab.wiki.edits import Words, similarity
from unslant.lab.wiki.knowledge import knowledge
from unslant.text.diff import Hunk

__all__ = ["evidence", "misspelt", "probability", "set_aside"]

_NEGATIONS = frozenset(("not", "no", "never", "n't"))
_ALIKE = 0.8


def evidence(edit: Hunk, edits: Sequence[Hunk], source: Words, target: Words) -> dict[str, float]:
    """Return the evidence on one edit that took words from the source; every value is between about -1 and 2."""
    before, after = source.forms[slice(*edit.before)], target.forms[slice(*edit.after)]
    content = _content(before)
    sizes = [one.before[1] - one.before[0] for one in edits]
    changed, own = sum(sizes), len(before)
    alike = similarity(before, after) if after else 0.0
    inside = before if edit.before[0] > 0 else before[1:]  # the first word of a sentence is always capital
    return {
        "deletion": float(not after),
        "length": math.log(own),
        "length after": math.log1p(len(after)),
        "much longer": float(len(after) > 2 * own + 2),
        "grows": math.log((len(after) + 1) / (own + 1)),
        "alike": alike,
        "very alike": float(alike > _ALIKE),
        "only function words": float(not content),
        "to function words": float(bool(after) and not _content(after)),
        "moved": float(bool(content) and all(word in target.forms for word in content)),
        "has marks": float(any(not word[0].isalnum() for word in before)),
        "capitals": sum(word[0].isupper() for word in inside) / len(inside) if inside else 0.0,
        "capitals after": sum(word[0].isupper() for word in after) / len(after) if after else 0.0,
        "digits": float(any(any(map(str.isdigit, word)) for word in before)),
        "digits after": float(any(any(map(str.isdigit, word)) for word in after)),
        "adverb": float(any(word.endswith("ly") for word in content)),
        "quotation mark": float('"' in before),
        "parenthesis": float("(" in before or ")" in before),
        "negation": float(_negates(before) != _negates(after)),
        "many edits": math.log(len(edits)),
        "own share": own / max(changed, 1),
        "largest": float(own == max(sizes)),
        "share of sentence": changed / max(len(source.forms), 1),
        "at the end": float(edit.before[1] >= len(source.forms) - 1),
    }


def probability(values: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return the probability that annotators would call the words slanted; evidence without a weight says nothing."""
    weights = knowledge().weights if weights is None else weights
    total = weights.get("bias", 0.0) + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def set_aside(edit: Hunk, source: Words, target: Words) -> str | None:
    """Name why an edit cannot be about neutrality: ``marks``, ``case``, ``spelling``, ``moved``; or None."""
    before, after = source.forms[slice(*edit.before)], target.forms[slice(*edit.after)]
    if not any(word[0].isalnum() for word in (*before, *after)):
        return "marks"
    plain = ["".join(filter(str.isalnum, "".join(words))) for words in (before, after)]
    if plain[0] == plain[1]:
        return "marks"
    if plain[0].lower() == plain[1].lower():
        return "case"
    if len(before) == len(after) == 1 and misspelt(before[0].lower(), after[0].lower()):
        return "spelling"
    return None


def misspelt(one: str, other: str) -> bool:
    """Whether a word was corrected: as good as the same letters, the same beginning, and no ending exchanged."""
    if min(len(one), len(other)) < 5 or one[0] != other[0]:
        return False
    if sorted(one) == sorted(other):
        return True
    return abs(len(one) - len(other)) <= 1 and one[-2:] == other[-2:] and similarity((one,), (other,)) > 0.85


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word[0].isalnum() and word.lower() not in knowledge().function]


def _negates(words: Sequence[str]) -> bool:
    return any(word.lower() in _NEGATIONS or word.lower().endswith("n't") for word in words)
