"""Changes: the files that differ from a git revision, and the words of a text that are new.

The working tree, staged or not, is compared with the revision; untracked files are new.

Words are compared, not lines. Sentences that existed before, in any order and with any line breaks, are not new. The
others are compared word by word with the most similar old sentences. Each old word accounts for one new word only, so
a second copy of a sentence is new.

White space and case are ignored, and straight and curly quotation marks are equal. Adding quotation marks counts as a
change, because it affects the meaning of the words between them.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from unslant.core.files import MAX_BYTES
from unslant.core.types import Span
from unslant.text.diff import equal_runs
from unslant.text.words import WORD
from unslant.workspace.git import Repository, blob_id

Key = TypeVar("Key", bound=Hashable)

_MARKS = "\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"
_STRAIGHT = str.maketrans(_MARKS, '"' * 5 + "'" * 2)
_WORD_OR_QUOTE = re.compile(rf"{WORD.pattern}|[\"'{_MARKS}!?]")

# A sentence ends after its final punctuation, at a blank line, and before an item, heading, row or quoted line.
_END = re.compile(
    r"(?<=[.!?])[\"'\u201d\u2019)\]*_]*\s+|\n[^\S\n]*\n\s*|\n(?=[^\S\n]*(?:[-*+>|]|#{1,6}|\d{1,3}[.)])[^\S\n])"
)

_CANDIDATES = 3
"""The number of old sentences to compare a new one with."""
_PROBES = 12
"""The number of words, the rarest first, to look up to find those."""
_NEAR = 32
"""The number of sentences on either side to consider if a word is in very many."""
_SIMILAR = 0.25
"""The share of common words (Dice coefficient) from which two sentences are versions of each other."""
_PART = 2 / 3
"""The share of a sentence that must be in another to count as merged into it or split from it."""
_RUN = 3
"""The number of consecutive words that must match for a part of another sentence to count as kept."""
_EXACT = 250_000
"""Above this product of lengths, words are counted in linear time instead of being aligned."""


@dataclass(frozen=True, slots=True)
class Introduced:
    """The new words of a text."""

    spans: tuple[Span, ...]
    """Runs of new words, in order."""

    def overlaps(self, span: Span) -> bool:
        """Return whether any word in the span is new."""
        index = bisect_right(self.spans, span.start, key=lambda run: run.end)
        return index < len(self.spans) and self.spans[index].start < span.end


def find_introduced(old_texts: Sequence[str], new_text: str) -> Introduced:
    """Return the new words of a text, given all old texts."""
    return find_introduced_by_file({}, {"": new_text}, old_texts)[""]


def find_introduced_by_file(
    old: Mapping[Key, str | None], new: Mapping[Key, str], gone: Iterable[str] = ()
) -> dict[Key, Introduced]:
    """Return the new words of each file; words that moved between files, or from a deleted one, are not new.

    A file is first compared with its own old text. Words may have moved from what remains of all old texts; so a
    sentence that was copied into a second file is new there.
    """
    rest: dict[Key, list[Span]] = {}
    pool: Counter[str] = Counter()
    for key, text in new.items():
        before = Counter(_keys(old.get(key) or ""))
        rest[key] = _find_unmatched(text, _sentences(text), before)
        pool.update(before)
    for text in gone:
        pool.update(_keys(text))
    for key, text in new.items():
        rest[key] = _find_unmatched(text, rest[key], pool)
    if not +pool:
        return {
            key: _collect_runs(_SentenceWords(new[key], span) for span in spans)
            for key, spans in rest.items()
        }
    olds = [_SentenceWords(sentence, Span(0, len(sentence))) for sentence in pool.elements()]
    news = {key: [_SentenceWords(new[key], span) for span in spans] for key, spans in rest.items()}
    _match_words([sentence for sentences in news.values() for sentence in sentences], olds)
    return {key: _collect_runs(sentences) for key, sentences in news.items()}


def _collect_runs(sentences: Iterable[_SentenceWords]) -> Introduced:
    return Introduced(tuple(run for sentence in sentences for run in sentence.runs()))


class _SentenceWords:
    """A sentence, with the indices of its words that are not matched yet."""

    __slots__ = ("_span", "_text", "matched", "open", "words")

    def __init__(self, text: str, span: Span) -> None:
        self._text = text
        self._span = span
        self.words = [_fold(match[0]) for match in self._matches()]
        self.open = list(range(len(self.words)))
        self.matched = False

    def _matches(self) -> Iterator[re.Match[str]]:
        return _WORD_OR_QUOTE.finditer(self._text, self._span.start, self._span.end)

    def accept(self, blocks: Iterable[tuple[int, int]]) -> None:
        """Mark blocks of open words, each a first index and a length, as matched."""
        closed = {self.open[at] for first, size in blocks for at in range(first, first + size)}
        self.open = [index for index in self.open if index not in closed]

    def runs(self) -> Iterator[Span]:
        """Yield the spans of the unmatched words, with adjacent words joined."""
        places = [match.span() for match in self._matches()] if self.open else []
        first = 0
        for at, index in enumerate(self.open):
            if at + 1 == len(self.open) or self.open[at + 1] != index + 1:
                yield Span(places[self.open[first]][0], places[index][1])
                first = at + 1


def _match_words(news: Sequence[_SentenceWords], olds: Sequence[_SentenceWords]) -> None:
    """Match words of the new sentences with words of old ones, the most similar pairs first."""
    index: defaultdict[str, list[int]] = defaultdict(list)
    for number, old in enumerate(olds):
        for word in set(old.words):
            index[word].append(number)
    pairs: list[tuple[float, int, int]] = []
    for number, new in enumerate(news):
        guess = number * len(olds) // len(news)
        pairs += [(-_similarity(new, olds[other]), number, other) for other in _candidates(new, index, guess)]
    for unlike, number, other in sorted(pairs):
        _compare(news[number], olds[other], versions=-unlike >= _SIMILAR)


def _candidates(new: _SentenceWords, index: Mapping[str, list[int]], guess: int) -> list[int]:
    """Return the old sentences that share the most rare words, those at a similar position first."""
    found = sorted((index[word] for word in set(new.words) if word in index), key=len)
    votes: Counter[int] = Counter()
    for numbers in found[:_PROBES]:
        at = bisect_left(numbers, guess)
        votes.update(numbers[max(0, at - _NEAR) : at + _NEAR])
    return sorted(votes, key=lambda number: (-votes[number], abs(number - guess)))[:_CANDIDATES]


def _similarity(new: _SentenceWords, old: _SentenceWords) -> float:
    shared = (Counter(new.words) & Counter(old.words)).total()
    return 2 * shared / (len(new.words) + len(old.words))


def _compare(new: _SentenceWords, old: _SentenceWords, versions: bool) -> None:
    """Match the words that two sentences share.

    Between versions of a sentence, or a sentence and what it was split from or merged into, that is every word;
    otherwise only runs of words, so that a single common word does not count.
    """
    if new.matched or old.matched:
        versions = _is_part(new, old)
    before = [old.words[index] for index in old.open]
    after = [new.words[index] for index in new.open]
    blocks = [block for block in _blocks(before, after) if versions or block[2] >= _RUN]
    old.accept((first, size) for first, _, size in blocks)
    new.accept((first, size) for _, first, size in blocks)
    if not versions:
        return
    new.matched = old.matched = True
    moved = Counter(old.words[index] for index in old.open)
    still_open = []
    for index in new.open:
        if moved[new.words[index]] > 0:
            moved[new.words[index]] -= 1
        else:
            still_open.append(index)
    new.open = still_open
    old.open = [index for index in old.open if _use_up(moved, old.words[index])]


def _is_part(new: _SentenceWords, old: _SentenceWords) -> bool:
    """Return whether most of the sentence without a version is in the rest of the other."""
    if new.matched and old.matched:
        return False
    after, before = (Counter(side.words[index] for index in side.open) for side in (new, old))
    whole = before if new.matched else after
    return (after & before).total() > max(1, _PART * whole.total())


def _use_up(left: Counter[str], word: str) -> bool:
    """Use up one occurrence of a word; return whether there was one."""
    left[word] -= 1
    return left[word] >= 0


def _blocks(before: list[str], after: list[str]) -> list[tuple[int, int, int]]:
    """Return blocks of equal words: the start in each list, and the length."""
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    blocks = [(0, 0, head), (len(before) - tail, len(after) - tail, tail)]
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle[0]) * len(middle[1]) <= _EXACT:
        blocks += [(first + head, second + head, size) for first, second, size in equal_runs(*middle)]
    return blocks


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for end in _END.finditer(text):
        if start < end.end():
            yield Span(start, end.end())
        start = end.end()
    if start < len(text):
        yield Span(start, len(text))


def _keys(text: str) -> Iterator[str]:
    return filter(None, (_key(text, span) for span in _sentences(text)))


def _key(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split()).casefold()


def _find_unmatched(text: str, sentences: Iterable[Span], before: Counter[str]) -> list[Span]:
    """Return the sentences that are not in ``before``; each that is uses up one occurrence."""
    rest = []
    for span in sentences:
        key = _key(text, span)
        if before[key] > 0:
            before[key] -= 1
        elif key:
            rest.append(span)
    return rest


def _fold(word: str) -> str:
    folded = word.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded).translate(_STRAIGHT)


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ from a revision."""

    old: Mapping[Path, str | None]
    """The old text of each file, by its real path; None for a file that is new or was renamed."""
    gone: tuple[str, ...] = ()
    """The texts of files that were deleted or renamed."""

    def find_introduced(self, new: Mapping[Path, str]) -> dict[Path, Introduced]:
        """Return the new words of each text, by its real path.

        Pass all changed files, even those that are not checked, because words may have moved between them.
        """
        return find_introduced_by_file(self.old, new, self.gone)


def changed_files(
    root: Path,
    revision: str,
    wanted: Callable[[str], bool] = lambda _: True,
    max_bytes: int = MAX_BYTES,
) -> Changes:
    """Return the files of the repository around ``root`` that differ from a revision, with their old texts.

    ``wanted`` decides by file name which files are read. Larger ones than ``max_bytes`` count as changed, and their old
    texts as empty: they cannot be checked.
    """
    repository = Repository(root)
    tree = repository.tree(revision)
    before = {name: blob for name, blob in repository.files_of(tree).items() if wanted(name)}
    work_tree = repository.work_tree()
    kept = set(work_tree.left_out)
    changed: dict[Path, str | None] = {}
    for name in filter(wanted, work_tree.present):
        path = repository.top / name
        real = Path(os.path.realpath(path))
        # a name, or a link on the way, may lead out of the repository
        if not _is_regular(path) or not real.is_relative_to(repository.top):
            continue
        kept.add(name)
        blob = before.get(name)
        if blob is None or blob_id(path, blob, max_bytes) != blob:
            changed[real] = blob
    deleted = [blob for name, blob in before.items() if name not in kept]
    needed = {*deleted, *changed.values()}
    texts = repository.texts({blob: name for name, blob in before.items() if blob in needed}, max_bytes)
    return Changes(
        {path: texts.get(blob) if blob else None for path, blob in changed.items()},
        tuple(texts[blob] for blob in deleted if blob in texts),
    )


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False
