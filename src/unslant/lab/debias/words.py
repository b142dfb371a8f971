"""Bias words: words that outlets of one side use more than those of the other, found by TF-IDF.

A word's gap is the difference between its mean TF-IDF over the articles of either side, in standard errors. An outlet
contributes at most 1,500 articles, and a third of the outlets of a side must use the word more than the other side
does: the habits of a single outlet are not a leaning.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, InputError
from unslant.core.example import Example
from unslant.core.files import read_json, write_text
from unslant.text.words import LETTERS

_SIDES = ("left", "right")
_CASED = "as written"
"""The card entry for words that are matched with their capitals."""
_MIN_ARTICLES = 25
"""Outlets with fewer articles do not count towards the third of a side that must use a word."""
_STOP_WORDS = frozenset(
    "about above across after again against all along also although always among and another any anything are "
    "around ask asked because been before began being below between both but called came can could did does "
    "doing done down during each either else enough even ever every everything few first for from get gets "
    "getting give given going got had has have having her here hers herself him himself his how however into "
    "its itself just last later least less let like long made make makes making many may maybe might month "
    "months more most much must near nearly never next nor not nothing now off often once one ones only other "
    "others our out over own part past per put rather said same saw say saying says second see seen several "
    "she should since some something soon still such take taken taking tell than that the their them "
    "themselves then there these they thing things think this those though thought three through till time "
    "times today told tomorrow too took toward turn two under until upon use used using very was way week "
    "weeks well went were what when where whether which while who whom whose why will with within without "
    "would year years yes yesterday yet you your monday tuesday wednesday thursday friday saturday sunday "
    "january february march april june july august september october november december day days".split()
)
"""Words without a stance of their own, however often a side uses them."""
_PAGE_WORDS = frozenset(
    "advertisement app article articles audio author browser camera caption click column columnist comment comments "
    "contributed contributing contributor copy copyright correspondent coverage cookies digital download edit edited "
    "edition editor editors email emails episode facebook feed file follow footage getty guide homepage image images "
    "inbox instagram interview interviews journalism journalist link links listen livestream login media message "
    "messages newsletter newsletters newspaper newsroom online outlet outlets page pages photo photographer photos "
    "picture pictures podcast post posted poster posts privacy publish published read reader readers reading register "
    "reporter reporters reporting rights screen scroll send share shared sign signed signing site sites spoke "
    "sponsored story stories stream subscribe subscriber subscribers subscription tap transcript tweet tweeted tweets "
    "twitter updated updates user users via video videos viewed viewer viewers watch watching web website writer "
    "writing youtube".split()
)
"""Words of the page around an article: an outlet's layout says nothing about its leaning."""


def is_plain_word(word: str) -> bool:
    """Return whether this is a word of three or more plain letters, which can stand for a side or replace a word."""
    return len(word) > 2 and word.isascii() and word.isalpha() and word.islower()


@dataclass(frozen=True, slots=True)
class BiasWords:
    """The same number of words for either side, the most distinctive first."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    card: Mapping[str, Any] = field(default_factory=dict)
    """Their source and method."""

    def __post_init__(self) -> None:
        if not self.left or len(self.left) != len(self.right):
            raise ConfigError(
                f"bias words: {len(self.left)} for the left and {len(self.right)} for the right; "
                "give the same number for either side, and at least one."
            )
        if both := set(self.left) & set(self.right):
            raise ConfigError(
                f"bias words: {sorted(both)[0]!r} is on both sides; remove it from one of them."
            )

    @property
    def all(self) -> frozenset[str]:
        """The words of both sides."""
        return frozenset(self.left) | frozenset(self.right)


def find_bias_words(
    examples: Iterable[Example], count: int = 250, *, most: int = 1500, least: int = 30
) -> BiasWords:
    """Return the ``count`` most distinctive words of either side, from articles with outlet and leaning.

    An outlet contributes at most ``most`` articles; a word must occur in at least ``least`` articles.
    """
    from unslant.lab.corpora.outlets import normalize_outlet, tokenize_news

    articles: dict[tuple[str, str], list[Counter[str]]] = defaultdict(list)
    for example in examples:
        if example.leaning in _SIDES and example.outlet:
            group = articles[example.leaning, normalize_outlet(example.outlet)]
            if len(group) < most:
                words = (
                    word for word in tokenize_news(example.text, example.outlet, 250) if is_plain_word(word)
                )
                group.append(
                    Counter(word for word in words if word not in _STOP_WORDS and word not in _PAGE_WORDS)
                )
    frequency = Counter(word for group in articles.values() for article in group for word in article)
    total = sum(map(len, articles.values()))
    inverse = {word: math.log(total / often) for word, often in frequency.items() if often >= least}
    left, right = (
        _Side([_Outlet(group, inverse) for (of, _), group in articles.items() if of == side])
        for side in _SIDES
    )
    return BiasWords(_rank_words(left, right, inverse, count), _rank_words(right, left, inverse, count))


def find_written_words(examples: Iterable[Example], count: int, *, least: int = 6) -> BiasWords:
    """Return the words, as they are written, that set texts of either side apart: for texts that a model wrote.

    Unlike articles, these show a side by how they begin (*In*, *The*), so capitals and function words count. A word
    must occur in at least ``least`` texts. Words are ranked by the difference of the numbers of texts with the word,
    in standard errors.
    """
    texts: dict[str, Counter[str]] = {side: Counter() for side in _SIDES}
    for example in examples:
        if example.leaning in texts:
            texts[example.leaning].update(set(LETTERS.findall(example.text)))
    left, right = (texts[side] for side in _SIDES)
    gaps = {
        word: (left[word] - right[word]) / math.sqrt(left[word] + right[word])
        for word in sorted(left.keys() | right.keys())
        if left[word] + right[word] >= least
    }
    ranked = sorted(gaps, key=lambda word: -gaps[word])
    found = [word for word in ranked if gaps[word] > 0], [word for word in ranked[::-1] if gaps[word] < 0]
    _require(min(map(len, found)), count)
    return BiasWords(tuple(found[0][:count]), tuple(found[1][:count]), {"case": _CASED})


def _require(found: int, count: int) -> None:
    if found < count:
        raise ConfigError(
            f"found only {found} distinctive words on one side, not {count}; ask for fewer or give more articles."
        )


class _Outlet:
    """For each word, the sums of its TF-IDF and of the squares over the articles of one outlet."""

    def __init__(self, articles: list[Counter[str]], inverse: Mapping[str, float]) -> None:
        self.count = len(articles)
        self.sums: dict[str, float] = defaultdict(float)
        self.squares: dict[str, float] = defaultdict(float)
        for article in articles:
            length = sum(article.values())
            for word in article.keys() & inverse.keys():
                value = article[word] / length * inverse[word]
                self.sums[word] += value
                self.squares[word] += value * value


class _Side:
    """The outlets of one leaning."""

    def __init__(self, outlets: list[_Outlet]) -> None:
        self.count = max(1, sum(outlet.count for outlet in outlets))
        self._outlets = outlets

    def mean(self, word: str) -> float:
        return sum(outlet.sums.get(word, 0.0) for outlet in self._outlets) / self.count

    def variance(self, word: str) -> float:
        """Return the variance of the mean."""
        square = sum(outlet.squares.get(word, 0.0) for outlet in self._outlets) / self.count
        return max(square - self.mean(word) ** 2, 0.0) / self.count

    def is_shared(self, word: str, other: float) -> bool:
        """Return whether a third of the larger outlets use the word more than the other side does."""
        larger = [outlet for outlet in self._outlets if outlet.count >= _MIN_ARTICLES] or self._outlets
        above = sum(outlet.sums.get(word, 0.0) / outlet.count > other for outlet in larger if outlet.count)
        return above > len(larger) / 3


def _rank_words(own: _Side, other: _Side, words: Iterable[str], count: int) -> tuple[str, ...]:
    gaps: dict[str, float] = {}
    for word in words:
        mean, against = own.mean(word), other.mean(word)
        if mean > against and own.is_shared(word, against):
            gaps[word] = (mean - against) / math.sqrt(own.variance(word) + other.variance(word) + 1e-12)
    _require(len(gaps), count)
    return tuple(sorted(gaps, key=lambda word: (-gaps[word], word))[:count])


def save_words(words: BiasWords, path: Path, card: Mapping[str, Any]) -> None:
    """Write words and their card as JSON."""
    content = {"schema": 1, "card": dict(card), "left": words.left, "right": words.right}
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def load_words(path: Path) -> BiasWords:
    """Read a file of bias words."""
    try:
        return _parse(read_json(path))
    except InputError as error:
        raise ConfigError(f"{error}; write one with 'unslant train bias-words'.") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: not a file of bias words; expected JSON with the lists 'left' and 'right'."
        ) from error


def default_words() -> BiasWords:
    """Return the words that ship with unslant."""
    return _parse(json.loads((files("unslant.lab.debias") / "bias_words.json").read_text("utf-8")))


def _parse(content: Any) -> BiasWords:
    sides = [content[side] for side in _SIDES]
    if not all(isinstance(side, list) and all(isinstance(word, str) for word in side) for side in sides):
        raise TypeError
    card = content.get("card") or {}
    cased = card.get("case") == _CASED
    left, right = (tuple(dict.fromkeys(word if cased else word.lower() for word in side)) for side in sides)
    return BiasWords(left, right, card)
