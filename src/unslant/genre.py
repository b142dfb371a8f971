"""What kind of text a document is, by its words: a small linear model over hashed words and pairs of words.

``genre.json`` holds its weights; ``unslant train genre`` fits them, ``unslant evaluate genre`` measures them. Another
kind than news is taken only where the model is sure, because the standard of news misses least. Opinion is never taken
by its words: a slanted report reads like opinion, and it is the slant that is to be found. It takes what writers of
opinion do in form: they speak in the first person, or say in a heading that it is opinion.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from base64 import b64decode
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

PATH = Path(__file__).with_name("genre.json")
"""The weights that ship."""
BUCKETS = 1 << 14
"""Words and pairs of words are hashed into this many columns."""

_FORMAT = "unslant/genre/1"
# not text.words: the columns of the model are plain lower-case letters, and a few marks that tell kinds of text apart
_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[$%?!\u2022]")
_MOST_WORDS = 600
_LEAST_WORDS = 20
"""Shorter texts do not say what they are."""
_SURE = 0.7
"""How sure the model must be of another kind than news."""

_HEADING = re.compile(
    r"^\W*(?:opinion|editorial|comment(?:ary)?|column|letters? to the editor|viewpoint|op-ed)\b"
    r"\s*(?:[:|\u2014\u2013-]|\n)"
    r"|^\s*(?:dear editor|to the editor)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|my|me)\b")
_ARGUES = re.compile(
    r"\bI (?:\w+ )?(?:believe|think|argue|suspect|doubt|disagree|agree|hope|support|oppose|am convinced|cannot help)\b"
    r"|\b(?:in my (?:view|opinion)|my (?:view|argument) is)\b"
)
_FIRST_PERSON_SHARE = 0.015
_ARGUES_TIMES = 2
"""A reporter may say "I think" once."""
_QUOTED = re.compile(r"[\"\u201c][^\"\u201c\u201d]{1,800}[\"\u201d]")


class Genre:
    """The kind of a text, with how sure the model is."""

    __slots__ = ("name", "probability")

    def __init__(self, name: str, probability: float) -> None:
        self.name = name
        self.probability = probability


def features(text: str) -> dict[int, float]:
    """Return the columns of a text with their values, of length one."""
    words = ["0" if word.isdigit() else word for word in _WORDS.findall(text.lower().replace("\u2019", "'"))][
        :_MOST_WORDS
    ]
    counts = Counter(words) + Counter(f"{first} {second}" for first, second in pairwise(words))
    values: dict[int, float] = {}
    for gram, count in counts.items():
        at = crc32(gram.encode()) % BUCKETS
        values[at] = values.get(at, 0.0) + math.sqrt(count)
    length = math.sqrt(sum(value * value for value in values.values())) or 1.0
    return {at: value / length for at, value in values.items()}


@cache
def load_weights(path: Path) -> tuple[list[str], list[float], float, array[int]]:
    """Return the kinds of a model in a file, and for each its bias; the scale of the weights, and the weights."""
    data = json.loads(path.read_text("utf-8"))
    if data["format"] != _FORMAT:
        raise ValueError(f"{path.name}: unknown format {data['format']!r}")
    return data["genres"], data["bias"], data["scale"], array("b", b64decode(data["weights"]))


def recognise(text: str) -> Genre | None:
    """Return the likeliest kind of a text; None for a text that is too short to say."""
    if len(_WORDS.findall(text[:2000].lower())) < _LEAST_WORDS:
        return None
    names, bias, scale, weights = load_weights(PATH)
    totals, count = list(bias), len(names)
    for at, value in features(text).items():
        row = weights[at * count : at * count + count]
        totals = [total + scale * weight * value for total, weight in zip(totals, row, strict=True)]
    highest = max(totals)
    shares = [math.exp(total - highest) for total in totals]
    best = max(range(len(names)), key=totals.__getitem__)
    return Genre(names[best], shares[best] / sum(shares))


def is_opinion(text: str) -> bool:
    """Return whether the form of a text is that of an opinion: its heading says so, or its writer argues as "I"."""
    if _HEADING.search(text[:200]):
        return True
    text = _QUOTED.sub(" ", text)  # whoever is quoted is not the writer
    words = text.count(" ") + 1
    first = len(_FIRST_PERSON.findall(text))
    argues = len(_ARGUES.findall(text))
    return argues >= _ARGUES_TIMES and first >= _FIRST_PERSON_SHARE * words


def sure_genre(text: str) -> str | None:
    """Return the kind of a text if the model is sure that it is not news."""
    found = recognise(text)
    return found.name if found is not None and found.name != "news" and found.probability >= _SURE else None
