"""What an edit leaves behind is put right: spaces, commas, *a* and *an*, the capital at the start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unslant.rewrite.change import Change, Words, worded
from unslant.rules.edits import indefinite_article
from unslant.rules.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BE,
    DETERMINERS,
    FUNCTION,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
)

__all__ = ["tidied"]

_CLOSING = frozenset(",.;:!?)]\u2026")
_BESIDE = frozenset("\0([\"'\u201c\u2018")
"""What needs no space after it: markup, brackets and opening quotation marks."""
_JOINING = frozenset(("and", "or", "but", "yet"))
_OPENS_LIST = DETERMINERS | PREPOSITIONS | BE | ADVERBS
_GAP = re.compile(r"(?:,?[ \t\r\n]*(?:(?:and|or|but)[ \t\r\n]+)?)?", re.IGNORECASE)
_LISTED = 40
"""Longer deletions are no items of a list of adjectives."""
_SPACE = " \t\r\n\u00a0"
_LINE_END = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*")
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")


def tidied(text: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return changes that leave a well-formed sentence, in order, none next to another.

    ``text`` is the sentence with a NUL for markup, over which nothing is ever extended. Changes that lean on each other
    become one. The given ones must not overlap.
    """
    joined = _joined(text, sorted(changes))
    closed = [_closed(text, change) if not change.text else change for change in joined]
    articled = [_articled(text, change) for change in _joined(text, closed)]
    capitalised = _capitalised(text, _joined(text, articled))
    return tuple(_wrapped(text, _anchored(text, change)) for change in capitalised)


def _joined(text: str, changes: Sequence[Change]) -> list[Change]:
    """Make one of neighbours: those with only a space between, and deletions with a comma or an *and* between."""
    done: list[Change] = []
    for change in changes:
        last = done[-1] if done else None
        between = text[last.end : change.start] if last else "\0"
        if last is None or (between.strip(_SPACE) and not _listed(last, change, between)):
            done.append(change)
        elif last.text and change.text:
            done[-1] = Change(last.start, change.end, last.text + between + change.text)
        elif last.end > change.start or not between or not (last.text or change.text):
            done[-1] = Change(last.start, max(last.end, change.end), last.text + change.text)
        else:
            done[-1] = Change(last.start, change.end, last.text or change.text)
    return done


def _listed(one: Change, other: Change, between: str) -> bool:
    short = one.end - one.start + other.end - other.start < _LISTED
    return short and not one.text and not other.text and _GAP.fullmatch(between) is not None


def _spaces(text: str, start: int, end: int) -> tuple[int, int]:
    """Return how far the white space reaches to both sides."""
    while start and text[start - 1] in _SPACE:
        start -= 1
    while end < len(text) and text[end] in _SPACE:
        end += 1
    return start, end


def _closed(text: str, change: Change) -> Change:
    """Close the gap that a deletion leaves."""
    left, right = _spaces(text, change.start, change.end)
    before = text[left - 1] if left else ""
    after = text[right] if right < len(text) else ""
    if not before:
        if after and after in ",;:":
            right = _spaces(text, right, right + 1)[1]
        return replace(change, end=right)
    words = worded(text)
    previous = words.plain[words.before(left)] if before.isalnum() else ""
    listed = _list_end(words, previous, right)
    if listed is not None:
        end = _spaces(text, listed, listed)[1]
        return Change(left, end, text[left : change.start] or " ")
    if (start := _list_start(words, left, after)) is not None:
        return replace(change, start=start, end=change.end)
    if before == "," and (not after or after in _CLOSING):
        return replace(change, start=_spaces(text, left - 1, left)[0])
    if before == "(" and after == ")":
        return Change(_spaces(text, left - 1, left)[0], right + 1, "")
    if not after or after in _CLOSING or after == "\0" == text[change.end]:
        return replace(change, start=left)
    if before in _BESIDE and left == change.start:
        return replace(change, end=right)
    if left < change.start and change.end < right:
        # the line end stays where there is one
        return (
            replace(change, end=right) if "\n" in text[left : change.start] else replace(change, start=left)
        )
    return change


def _list_end(words: Words, previous: str, right: int) -> int | None:
    """Return the end of a comma or conjunction that only led on from the words left out: *a stunning, long day*."""
    at = words.after(right)
    if at == len(words) or words.spans[at][0] != right or previous not in _OPENS_LIST:
        return None
    if words.plain[at] == "," and at + 1 < len(words) and words.plain[at + 1] in _JOINING:
        return words.spans[at + 1][1] if previous in DETERMINERS else None
    if words.plain[at] in _JOINING or (words.plain[at] == "," and previous in DETERMINERS):
        return words.spans[at][1]
    return None


def _list_start(words: Words, left: int, after: str) -> int | None:
    """Return the start of a comma or conjunction that only led to the words left out: *a long and stunning day*."""
    at = words.before(left)
    if at < 1 or words.spans[at][1] != left or not after.isalnum():
        return None
    joins = words.plain[at] in _JOINING
    if joins and words.plain[at - 1] == ",":
        at -= 1
    if not joins and words.plain[at] != ",":
        return None
    return words.spans[at - 1][1] if _describes(words.plain[at - 1]) else None


def _describes(word: str) -> bool:
    endings = (*ADJECTIVE_ENDINGS, *PERHAPS_ADJECTIVE_ENDINGS)
    return word in ADJECTIVES or (word.endswith(endings) and len(word) > 4)


def _next_word(text: str, change: Change) -> str:
    """Return the first word from the change on, or an empty string if something else comes first."""
    rest = change.text.lstrip(_SPACE)
    if not rest:
        rest = text[change.end :].lstrip(_SPACE)
    match = _WORD.match(rest)
    return match[0] if match else ""


def _articled(text: str, change: Change) -> Change:
    """Make *a* and *an* agree with what now follows them."""
    words = worded(text)
    if (inner := _WORD.findall(change.text)) and inner[-1].lower() in ("a", "an"):
        following = _next_word(text, Change(change.end, change.end, ""))
        if following and change.text.rstrip(_SPACE).endswith(inner[-1]):
            cut = change.text.rindex(inner[-1])
            fixed = _like(inner[-1], indefinite_article(following))
            change = replace(change, text=change.text[:cut] + fixed + change.text[cut + len(inner[-1]) :])
    at = words.before(change.start)
    if at < 0 or words.plain[at] not in ("a", "an"):
        return change
    start, end = words.spans[at]
    following = _next_word(text, change)
    if text[end : change.start].strip(_SPACE) or not following or not following[0].isalpha():
        return change
    article = _like(words.written[at], indefinite_article(following))
    if article == words.written[at]:
        return change
    return Change(start, change.end, article + text[end : change.start] + change.text)


def _like(model: str, word: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


def _capitalised(text: str, changes: list[Change]) -> list[Change]:
    """Begin with a capital where the sentence began with one."""
    letter = _LETTER.search(text)
    if not changes or letter is None or changes[0].start > letter.start():
        return changes
    first = changes[0]
    if first.start == first.end:
        return [_before_all(text, first, letter.start()), *changes[1:]]
    if not letter[0].isupper():
        return changes
    if found := _LETTER.search(first.text):
        at = found.start()
        return [replace(first, text=first.text[:at] + found[0].upper() + first.text[at + 1 :]), *changes[1:]]
    word = _WORD.match(text, first.end + len(text[first.end :]) - len(text[first.end :].lstrip(_SPACE)))
    if word is None or word[0][0].isupper() or (len(changes) > 1 and changes[1].start < word.end()):
        return changes
    between = text[first.end : word.start()]
    return [
        Change(first.start, word.end(), first.text + between + word[0][0].upper() + word[0][1:]),
        *changes[1:],
    ]


def _before_all(text: str, change: Change, letter: int) -> Change:
    """Put something before the first word, which then needs no capital of its own unless it is a name."""
    word = _WORD.match(text, letter)
    new = change.text[:1].upper() + change.text[1:] if text[letter].isupper() else change.text
    if word is None or word[0].lower() not in FUNCTION or change.start != letter or word[0] == "I":
        return replace(change, text=new)
    return Change(change.start, word.end(), new + word[0].lower())


def _anchored(text: str, change: Change) -> Change:
    """Let what is only put in replace a word by the same word and more: an edit covers something."""
    if change.start < change.end:
        return change
    if following := re.compile(r"[^\s\0]+").match(text, change.start):
        return Change(change.start, following.end(), change.text + following[0])
    words = worded(text)
    at = words.before(change.start)
    start = words.spans[at][0] if at >= 0 else max(change.start - 1, 0)
    return Change(start, change.end, text[start : change.end] + change.text)


def _wrapped(text: str, change: Change) -> Change:
    """Keep the line end that was among the words, so that the lines around stay as long as they were."""
    ends = _LINE_END.search(text, change.start, change.end)
    if ends is None or "\n" in change.text or "\r" in change.text or " " not in change.text.strip():
        return change
    at = change.text.index(" ", 1)
    return replace(change, text=change.text[:at] + ends[0] + change.text[at + 1 :])
