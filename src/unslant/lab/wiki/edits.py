"""What an edit did to a sentence, phrase by phrase: substitutions, deletions, additions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from unslant.core.types import Span
from unslant.lab.corpora.word_diff import word_spans
from unslant.lab.wiki.knowledge import knowledge
from unslant.lab.wiki.parsing import Parser, same_constituent
from unslant.text.diff import Hunk, diff_words
from unslant.text.diff import similarity as text_similarity

__all__ = ["Words", "chunk_type", "find_edits", "similarity"]

_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-"})  # noqa: RUF001
_DETERMINERS = frozenset(
    "a an the this that these those his her its their some many several most all".split()
)
_VERBS = frozenset(
    "is was are were be been being has have had do does did can could will would may might must".split()
)
_MOST_JOINED = 1


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence by its words; signs that only typography tells apart are equal."""

    text: str
    spans: tuple[Span, ...]
    forms: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a sentence."""
        spans = tuple(word_spans(text))
        return cls(text, spans, tuple(text[span.start : span.end].translate(_SAME) for span in spans))

    def cover(self, first: int, end: int) -> Span | None:
        """Return the span of the words from ``first`` up to ``end``; None where there are none."""
        return Span(self.spans[first].start, self.spans[end - 1].end) if end > first else None


def find_edits(
    source: Words, target: Words, alike: float | None = None, parser: Parser | None = None
) -> list[Hunk]:
    """Return what changed, in the order of the source.

    A minimal word diff; pieces broken by a repeated preposition or determiner are reconnected; where there are several
    changes, a neighbouring deletion and addition stay together only if they are one constituent or alike; the deletions
    and additions that are left are matched greedily, the most alike first; what remains stands alone. ``alike`` is the
    similarity that makes two phrases alike; None: the one that ships. Without a parser, phrases of the same type of
    chunk are taken for one constituent.
    """
    alike = knowledge().similarity if alike is None else alike
    joined = _reconnect(diff_words(source.forms, target.forms), source)
    if len(joined) < 2:
        return joined
    kept: list[Hunk] = []
    for edit in joined:
        if edit.kind == "substitution" and not _belongs(edit, (source, target), alike, parser):
            kept += [
                Hunk(edit.before, (edit.after[0], edit.after[0])),
                Hunk((edit.before[1], edit.before[1]), edit.after),
            ]
        else:
            kept.append(edit)
    return _match_rest(kept, source, target, alike)


def _reconnect(edits: Sequence[Hunk], source: Words) -> list[Hunk]:
    """Join pieces that only a repeated preposition or determiner separates."""
    joined: list[Hunk] = []
    for edit in edits:
        last = joined[-1] if joined else None
        between = source.forms[last.before[1] : edit.before[0]] if last else ()
        if (
            last
            and len(between) <= _MOST_JOINED
            and all(word.lower() in knowledge().joining for word in between)
        ):
            joined[-1] = Hunk((last.before[0], edit.before[1]), (last.after[0], edit.after[1]))
        else:
            joined.append(edit)
    return joined


def _belongs(edit: Hunk, pair: tuple[Words, Words], alike: float, parser: Parser | None) -> bool:
    before, after = pair[0].forms[slice(*edit.before)], pair[1].forms[slice(*edit.after)]
    same = same_constituent(parser, edit, *pair) if parser else None
    if same is None:
        same = chunk_type(before) == chunk_type(after)
    return same or similarity(before, after) >= alike


def chunk_type(words: Sequence[str]) -> str:
    """Return what sort of chunk a phrase is, by its first word, and without a telling one by its last.

    This stands in for a parser: ``verb`` where it begins with an auxiliary or ends like a verb,
    ``preposition`` where it begins with one, else ``noun``; ``mark`` where there is no word at all.
    """
    plain = [word.lower() for word in words if word[0].isalnum()]
    if not plain:
        return "mark"
    if plain[0] in _VERBS:
        return "verb"
    if plain[0] in knowledge().joining and plain[0] not in _DETERMINERS:
        return "preposition"
    if plain[0] in _DETERMINERS:
        return "noun"
    return "verb" if plain[-1].endswith(("ed", "ing", "ize", "ise")) else "noun"


def _match_rest(edits: list[Hunk], source: Words, target: Words, alike: float) -> list[Hunk]:
    """Pair lone deletions with lone additions, the most alike first."""
    deletions = [edit for edit in edits if edit.kind == "deletion"]
    additions = [edit for edit in edits if edit.kind == "addition"]
    scored = sorted(
        (
            (
                -similarity(source.forms[slice(*one.before)], target.forms[slice(*other.after)]),
                one.before,
                other.after,
            )
            for one in deletions
            for other in additions
        ),
    )
    taken: set[tuple[int, int, int]] = set()
    pairs: list[Hunk] = []
    for negative, before, after in scored:
        if -negative < alike:
            break
        if (0, *before) not in taken and (1, *after) not in taken:
            taken |= {(0, *before), (1, *after)}
            pairs.append(Hunk(before, after))
    rest = [
        edit
        for edit in edits
        if not (edit.kind == "deletion" and (0, *edit.before) in taken)
        and not (edit.kind == "addition" and (1, *edit.after) in taken)
    ]
    return sorted([*rest, *pairs], key=lambda edit: (edit.before, edit.after))


@lru_cache(maxsize=4096)
def _ratio(one: str, other: str) -> float:
    return text_similarity(one, other)


def similarity(before: Sequence[str], after: Sequence[str]) -> float:
    """Return how alike two phrases are by their letters: 0 nothing in common, 1 the same but for case."""
    return _ratio(" ".join(before).lower()[:300], " ".join(after).lower()[:300])
