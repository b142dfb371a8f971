"""The judge of edits: how likely a sentence is well formed after an edit and still says the same.

A logistic regression over what an edit takes out, what it puts in, and how usual the words around it are in their new
order. It was fitted on edits that people judged and on fixes of editors (``unslant train edit-judge``);
``unslant evaluate edit-judge`` says how often it is right.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zipfile
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.core.errors import ModelError
from unslant.rewrite.facts import changed_fact
from unslant.rewrite.grammar import problems
from unslant.rewrite.scoring import stem
from unslant.rewrite.word_order import ALIKE, WordOrder
from unslant.rewrite.wordings import load_listed
from unslant.text.function_words import FUNCTION
from unslant.text.words import Words, split_words

__all__ = ["EditJudge", "features", "load_judge", "save_judge", "shipped_judge"]

_FOLDER = Path(__file__).with_name("weights")
_CARD, _DATA = "edit_judge.json", "edit_judge.zip"
_TABLES = ("single", "pairs", "triples", "counts")
_LARGEST = 64 * 2**20
"""No member of the file may be larger once it is unpacked."""
_REACH = 2
"""How many words after an edit feel it: the order of words is judged by threes."""
_MOST = 6


@dataclass(frozen=True, slots=True)
class EditJudge:
    """Weights of the regression, the order of words that it asks, and the thresholds chosen for it."""

    order: WordOrder
    weights: Mapping[str, float]
    offered: float
    """Edits that are less likely good are not offered."""
    ruled: float
    """The same for the wordings of rules, whose authors have thought about them."""
    safe: float
    """Edits that are less likely good need review."""
    about: Mapping[str, Any]
    """What it was fitted on."""

    def probability(self, before: str, after: str) -> float:
        """Return how likely an edit is good, given the sentence before and after it."""
        total = sum(
            self.weights.get(name, 0.0) * value for name, value in features(self.order, before, after)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def features(order: WordOrder, before: str, after: str) -> list[tuple[str, float]]:
    """Return the inputs of the regression that are not zero, by name."""
    old, new = split_words(before), split_words(after)
    start, end = _count_shared(old.plain, new.plain)
    gone, come = range(start, len(old) - end), range(start, len(new) - end)
    found = [("bias", 1.0)]
    found += _order_features(order, old, new, (gone, come))
    found += ((name, 1.0) for name in dict.fromkeys(_word_features(old, new, gone, come)))
    fact = changed_fact(before, after)
    if fact is not None:
        found.append((f"fact {fact[0]}", 1.0))
    found += ((f"problem {name}", 1.0) for name in problems(after) - problems(before))
    return found


def _count_shared(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return how many words both begin with, and how many of the others both end with."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[len(old) - 1 - end] == new[len(new) - 1 - end]:
        end += 1
    return start, end


def _order_features(
    order: WordOrder, old: Words, new: Words, changed: tuple[range, range]
) -> Iterator[tuple[str, float]]:
    """Yield how usual the order is around the edit, and which classes of words meet there."""
    gone, come = changed
    was, now = order.sequence(old), order.sequence(new)
    scores = []
    for sequence, places in ((was, gone), (now, come)):
        stop = min(len(sequence), places.stop + 1 + _REACH)
        scores.append([order.score(sequence, at) for at in range(places.start + 1, stop)] or [0.0])
    lowest, drop = min(scores[1]), min(scores[1]) - min(scores[0])
    mean = sum(scores[1]) / len(scores[1])
    yield "lowest", lowest / 10
    yield "drop", drop / 10
    yield "mean", mean / 10
    yield from _bins("lowest", lowest, 1.0)
    yield from _bins("drop", drop, 1.0)
    yield from _bins("mean", mean, 0.5)
    before, after = now[come.start], now[come.stop + 1]
    seam = order.attraction(now[come.stop], after)
    yield from _bins("seam", seam, 1.0)
    first, last = (was[gone.start + 1], was[gone.stop]) if gone else (-1, -1)
    opens, closes = (now[come.start + 1], now[come.stop]) if come else (-1, -1)
    kind = "replace" if gone and come else "delete" if gone else "insert"
    pairs = {
        "before": (before,),
        "after": (after,),
        "first": (first,),
        "last": (last,),
        "opens": (opens,),
        "closes": (closes,),
        "around": (before, after),
        "last after": (last, after),
        "before first": (before, first),
        "closes after": (closes, after),
        "before opens": (before, opens),
        "last closes": (last, closes),
    }
    for name, numbers in pairs.items():
        yield f"{kind} {name} {' '.join(map(str, numbers))}", 1.0


def _bins(name: str, value: float, width: float) -> Iterator[tuple[str, float]]:
    yield f"{name} in {max(-12, min(12, math.floor(value / width)))}", 1.0


def _word_features(old: Words, new: Words, gone: range, come: range) -> Iterator[str]:
    """Yield what is known of the words themselves."""
    kind = "replace" if gone and come else "delete" if gone else "insert"
    yield kind
    yield f"{kind} {min(len(gone), _MOST)} {min(len(come), _MOST)}"
    out = [at for at in gone if old.is_word(at)]
    put = [at for at in come if new.is_word(at)]
    for at in out[:_MOST]:
        yield f"out {ALIKE.get(old.plain[at], old.plain[at])}"
    for at in put[:_MOST]:
        yield f"in {ALIKE.get(new.plain[at], new.plain[at])}"
    if len(out) == 1 and len(put) == 1:
        yield f"{old.plain[out[0]]} > {new.plain[put[0]]}"
    if out and put:
        yield f"ending {_ending(old.plain[out[-1]])} {_ending(new.plain[put[-1]])}"
    kept = {stem(new.plain[at]) for at in put}
    lost = [at for at in out if old.plain[at] not in FUNCTION and stem(old.plain[at]) not in kept]
    yield f"{kind} loses {min(len(lost), 4)}"
    if any(old.written[at][0].isupper() and at for at in lost):
        yield f"{kind} loses a capital"
    if gone.start == 0:
        yield f"{kind} at the start"
    if gone.stop == len(old) or not old.is_word(gone.stop):
        yield f"{kind} before a mark"
    if gone and gone.start and not old.is_word(gone.start - 1):
        yield f"{kind} after a mark"
    if not come and out:
        yield f"delete {_ending(old.plain[out[-1]])}"
    yield from _list_features(kind, [old.plain[at] for at in out], [new.plain[at] for at in put])


def _list_features(kind: str, out: list[str], put: list[str]) -> Iterator[str]:
    """Yield whether the list of wordings knows the words: those that editors leave out, or replace."""
    known = load_listed()
    words = [word for word in out if word not in FUNCTION and word not in put]
    if not words:
        return
    classes = {
        "adjective" if word in known.adjectives else "adverb" if word in known.adverbs else "other"
        for word in words
    }
    yield f"{kind} listed {' '.join(sorted(classes))}"
    if any(known.swaps.get(word) in put for word in words):
        yield "replace as listed"


def _ending(word: str) -> str:
    return next((ending for ending in ("ing", "ed", "ly", "s") if word.endswith(ending)), "-")


def save_judge(judge: EditJudge, folder: Path) -> None:
    """Write a judge as data: a zip of numbers and names, and a card with its digest."""
    folder.mkdir(parents=True, exist_ok=True)
    order = judge.order
    with zipfile.ZipFile(folder / _DATA, "w", zipfile.ZIP_LZMA) as archive:
        named = {"classes": order.classes, "endings": order.endings, "size": order.size}
        _write(archive, "order.json", json.dumps(named, ensure_ascii=False).encode())
        _write(archive, "weights.json", json.dumps(judge.weights, ensure_ascii=False).encode())
        for name in _TABLES:
            table = array("I", getattr(order, name))
            if sys.byteorder == "big":
                table.byteswap()
            _write(archive, f"{name}.u4", table.tobytes())
    card = {
        "sha256": hashlib.sha256((folder / _DATA).read_bytes()).hexdigest(),
        "offered": judge.offered,
        "ruled": judge.ruled,
        "safe": judge.safe,
        "about": judge.about,
    }
    (folder / _CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_LZMA
    archive.writestr(entry, content)


def load_judge(folder: Path) -> EditJudge:
    """Read a judge; a ``ModelError`` says what is wrong with its files."""
    try:
        card = json.loads((folder / _CARD).read_text("utf-8"))
        data = folder / _DATA
        if hashlib.sha256(data.read_bytes()).hexdigest() != card["sha256"]:
            raise ModelError(f"{data} is not the file that its card describes; reinstall unslant")
        with zipfile.ZipFile(data) as archive:
            named = json.loads(_read(archive, "order.json"))
            weights = json.loads(_read(archive, "weights.json"))
            tables = {name: _table(_read(archive, f"{name}.u4")) for name in _TABLES}
        order = WordOrder(named["classes"], named["endings"], named["size"], **tables)
        offered, ruled, safe = (float(card[name]) for name in ("offered", "ruled", "safe"))
        return EditJudge(order, weights, offered, ruled, safe, card["about"])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise ModelError(f"the judge of edits in {folder} cannot be read: {error}") from error


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _table(content: bytes) -> array[int]:
    table = array("I")
    table.frombytes(content)
    if sys.byteorder == "big":
        table.byteswap()
    return table


@lru_cache(1)
def shipped_judge() -> EditJudge:
    """Return the judge that ships with unslant."""
    return load_judge(_FOLDER)
