"""From changed wikitext to sentence pairs: the changed block, its prose, and which sentence became which."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from html import unescape

from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.sentences import NupunktSegmenter

LONGEST_BLOCK = 20_000
"""The maximum length of a block in characters; longer ones are counted and left out."""
_MOST_LINES = 400

_TABLE = re.compile(r"^[ \t:]*(?:\{\|()|\|\})", re.MULTILINE)
_REFERENCE = re.compile(r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref\s*>", re.DOTALL | re.IGNORECASE)
_CELL = ("|", "!", "{|")


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """Neighbouring lines before and after an edit."""

    before: str
    after: str
    table: bool
    """Whether they lie in a table or among the parameters of a template."""


def find_changed_blocks(before: str, after: str) -> list[ChangedBlock] | None:
    """Return the blocks that differ, in order; None if too much differs to pair sentences."""
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inside = _within_table(old[:start])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > _MOST_LINES:
        return None
    blocks: list[ChangedBlock] = []
    for first, last, into, until in _hunks(old, new):
        changed = "\n".join(old[first:last]), "\n".join(new[into:until])
        if max(map(len, changed)) > LONGEST_BLOCK:
            return None
        blocks.append(ChangedBlock(*changed, inside or _within_table(old[:first]) or _cells_only(changed)))
    return blocks


def _hunks(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the ranges of lines that differ; blank lines do not separate them."""
    hunks: list[tuple[int, int, int, int]] = []
    for tag, i, j, k, l in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():  # noqa: E741
        if tag == "equal":
            continue
        if hunks and not any(line.strip() for line in old[hunks[-1][1] : i]):
            hunks[-1] = (hunks[-1][0], j, hunks[-1][2], l)
        else:
            hunks.append((i, j, k, l))
    return [
        hunk
        for hunk in hunks
        if any(line.strip() for line in (*old[hunk[0] : hunk[1]], *new[hunk[2] : hunk[3]]))
    ]


def _within_table(lines: list[str]) -> bool:
    depth = 0
    for mark in _TABLE.finditer("\n".join(lines)):
        depth = depth + 1 if mark[1] is not None else max(0, depth - 1)
    return depth > 0


def _cells_only(changed: tuple[str, str]) -> bool:
    lines = [line.strip() for side in changed for line in side.split("\n") if line.strip()]
    return bool(lines) and all(line.startswith(_CELL) for line in lines)


def differs_in_references_only(block: ChangedBlock) -> bool:
    """Whether only references were added, removed or changed."""
    return _strip_references(block.before) == _strip_references(block.after)


def _strip_references(text: str) -> str:
    return " ".join(_REFERENCE.sub("", text).split())


_SPACES = re.compile(r"&(?:nbsp|thinsp|ensp|emsp|#160|#x0*a0);|\u00a0", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# what would turn into markup stays as it is until the markup is read
_ENTITY = re.compile(
    r"&(?!lt;|gt;|amp;|#60;|#62;|#38;|#91;|#93;|#12[35];)(?:[a-zA-Z]{2,20}|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
)
# escaped characters pass the reader as private-use characters, so that they are not read as markup
_PRIVATE = {"&lt;": "\ue000", "&gt;": "\ue001", "&amp;": "\ue002"}
_RESTORED = str.maketrans({"\ue000": "<", "\ue001": ">", "\ue002": "&"})
_ESCAPED = re.compile("|".join(_PRIVATE))


def extract_prose(wikitext: str) -> str:
    """Return the prose, one line per paragraph, without markup, templates, references and tables."""
    source = _ENTITY.sub(lambda match: unescape(match[0]), _SPACES.sub(" ", _BREAK.sub(" ", wikitext)))
    source = _ESCAPED.sub(lambda match: _PRIVATE[match[0]], source.replace("\u00a0", " "))
    masked = read(source, "wikitext").prose
    # masked text leaves no space: "[[bar|foo]]s" is one word
    kept = "".join(seen for seen, written in zip(masked, source, strict=True) if seen == written)
    lines = (" ".join(line.split()) for line in kept.translate(_RESTORED).split("\n"))
    return "\n".join(line for line in lines if line)


@lru_cache(maxsize=1)
def _segmenter() -> NupunktSegmenter:
    return NupunktSegmenter(Spec())


def split_sentences(prose: str) -> list[str]:
    """Return the sentences of prose; none crosses the end of a line."""
    document = read(prose.replace("\n", "\n\n"))
    found = (
        sentence.document.prose[sentence.span.start : sentence.span.end]
        for sentence in _segmenter().split(document)
    )
    return [" ".join(text.split()) for text in found]


LEAST_BLEU = 0.1
"""Sentences with a lower BLEU than this are unrelated."""
_MOST_SENTENCES = 60
_ORDER = 4


def sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Return the BLEU of one sentence: 0 nothing in common, 1 the same.

    The geometric mean of the precisions of n-grams up to four words, times the brevity penalty; an order without a
    match counts as half, a quarter, … of one, as is usual for single sentences.
    """
    if not hypothesis or not reference:
        return 0.0
    total, halvings, orders = 0.0, 1.0, 0
    for order in range(1, _ORDER + 1):
        mine, theirs = _ngrams(hypothesis, order), _ngrams(reference, order)
        count = sum(mine.values())
        if not count:
            break
        orders += 1
        hits = sum((mine & theirs).values())
        if order == 1 and not hits:
            return 0.0
        if not hits:
            halvings *= 2
        total += math.log((hits or 1 / halvings) / count)
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(brevity + total / orders)


def _ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[place : place + order]) for place in range(len(words) - order + 1))


def pair_sentences(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the changed pairs, in the order of the source; None if there are too many sentences.

    The most similar are paired first, and no sentence is paired twice.
    """
    stayed = Counter(before) & Counter(after)
    old, new = _subtract(before, stayed), _subtract(after, stayed)
    if max(len(old), len(new)) > _MOST_SENTENCES:
        return None
    words = {text: text.split() for text in (*old, *new)}
    scored = sorted(
        (-sentence_bleu(words[target], words[source]), i, j)
        for i, source in enumerate(old)
        for j, target in enumerate(new)
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for negative, i, j in scored:
        if -negative < LEAST_BLEU:
            break
        if i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    return [(old[i], new[j]) for i, j in sorted(partner.items())]


def _subtract(sentences: Sequence[str], stayed: Counter[str]) -> list[str]:
    left = stayed.copy()
    rest = []
    for text in sentences:
        if left[text] > 0:
            left[text] -= 1
        else:
            rest.append(text)
    return rest
