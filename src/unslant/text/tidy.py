"""Tidying: putting right what edits leave behind, that is spaces, commas, *a* and *an*, and the first capital."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unslant.core.types import Edit
from unslant.text.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BE,
    DETERMINERS,
    FUNCTION,
    NO_ADVERBS,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
)
from unslant.text.words import ALPHANUMERIC, LETTERS, Words, split_words

_CLOSING = frozenset(",.;:!?)]\u2026")
_BESIDE = frozenset("\0([\"'\u201c\u2018\u200b\u200c\u200d\u2060\ufeff")
"""What needs no space after it: markup, brackets, opening quotation marks, and marks that nobody sees."""
_JOINING = frozenset(("and", "or", "but", "yet"))
_OPENS_LIST = DETERMINERS | PREPOSITIONS | BE | ADVERBS
_GAP = re.compile(r"(?:,?[ \t\r\n]*(?:(?:and|or|but)[ \t\r\n]+)?)?", re.IGNORECASE)
_LISTED = 40
"""Longer deletions are not items of a list of adjectives."""
_SPACE = " \t\r\n\u00a0"
_COUNT = re.compile(
    r"\s*(?:\d[\d,.]*\d|\d)(?:\s?%|\s+(?:in|out of)\s+\d"
    r"|\s+(?:(?:thousand|million|billion|trillion|of|percent|people|men|women|children)\b"
    rf"|(?:{LETTERS.pattern}\s+)?[^\W\d_]{{3,}}s\b))"
    r"|\s*[$\u00a3\u20ac]\d[\d,.]*(?:\s+(?:thousand|million|billion|trillion))?"
    r"(?:[.,;)]|\s+(?:in|on|for|to|from|of|and|or|at|by|over|per|a|each|last|this)\b)"
)
"""A number that counts something: a share, a sum, or so many things."""
_LINE_END = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*")
_INNER_SPACE = re.compile(r"(?<=\S) (?=\S)")
_SPACE_AFTER = re.compile(r"[ \t]+(?=[^\s\0])")
_LETTER = re.compile(r"[^\W\d_]")
_SOUNDED_LIKE_YOU = tuple("uni unan use usu uti uto uter ubiq uga uk ura uri uyg uig eu one once".split())
_SOUNDED_LIKE_UNDER = ("unin", "unim", "unid", "oner")
_LETTERS_WITH_A_VOWEL_FIRST = frozenset("AEFHILMNORSXaefhilmnorsx")
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")


_EIGHT_OR_ELEVEN = re.compile(r"8|1[18](?!\d)|1[18](?=(?:,\d{3})+(?!\d))")
"""Numbers that begin with a vowel when they are read out."""
_READ_AS_WORDS = frozenset(
    "NATO NASA NAFTA NASCAR NASDAQ NIMBY NOAA FIFA FEMA FICA FARC FOMO HAMAS HIPAA HUD LASIK LIBOR MAGA MERS MENSA "
    "MOMA RICO RINO SALT SARS SCOTUS SEAL SEALS SIDS SNAP START SWAT SWIFT".split()
)
"""Initials that are not spelled out, and begin with a consonant."""


def indefinite_article(word: str) -> str:
    """Return ``a`` or ``an``, by the sound with which the word most likely begins."""
    if word[:1].isdigit():
        return "an" if _EIGHT_OR_ELEVEN.match(word) else "a"
    if len(word) == 1 or word[:4].isupper():
        if re.split("[-\u2010\u2011'\u2019]", word, maxsplit=1)[0] in _READ_AS_WORDS:
            return "a"
        return "an" if word[0] in _LETTERS_WITH_A_VOWEL_FIRST else "a"
    low = word.lower()
    if low.startswith(_SILENT_H):
        return "an"
    if low.startswith(_SOUNDED_LIKE_YOU) and not low.startswith(_SOUNDED_LIKE_UNDER):
        return "a"
    return "an" if low[:1] in "aeiou" and low[:1] else "a"


def tidy_edit(text: str, edit: Edit) -> Edit:
    """Return an edit that leaves a well-formed sentence when it is applied by itself."""
    return tidy_edits(text, [edit])[0]


def tidy_edits(text: str, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits that together leave a well-formed sentence, in order, with text between any two of them.

    ``text`` is one sentence, with a NUL for each code point of markup, over which no edit is ever extended. Edits that
    depend on each other become one. The given edits must not overlap.
    """
    ordered = sorted((_add_spaces(text, edit) for edit in edits), key=lambda edit: edit.change)
    closed = [
        _close_gap(text, edit) if not edit.replacement else edit for edit in _join_neighbours(text, ordered)
    ]
    articled = [_fix_article(text, edit) for edit in _join_neighbours(text, closed)]
    capitalised = _join_neighbours(text, _keep_capital(text, _join_neighbours(text, articled)))
    return tuple(_keep_line_end(text, _anchor_insertion(text, edit)) for edit in capitalised)


def _add_spaces(text: str, edit: Edit) -> Edit:
    """Keep a space between a wording and the words around it."""
    wording = edit.replacement
    if not wording or wording[0] in _SPACE or wording[-1] in _SPACE:
        return edit
    before, after = text[edit.start - 1 : edit.start], text[edit.end : edit.end + 1]
    if edit.start < edit.end:
        # where a mark stood between two words, they would become one
        removed = text[edit.start : edit.end]
        left = " " if wording[0].isalnum() and before.isalnum() and not removed[0].isalnum() else ""
        right = " " if wording[-1].isalnum() and after.isalnum() and not removed[-1].isalnum() else ""
        return replace(edit, replacement=left + wording + right)
    if wording[0] in _CLOSING:
        at = _spaces(text, edit.start, edit.end)[0]
        return replace(edit, start=at, end=at)
    if after.isalnum() or (after and after not in _CLOSING and (not before or before in _SPACE)):
        return replace(edit, replacement=wording + " ")
    return replace(edit, replacement=wording if before in _SPACE else " " + wording)


def _join_neighbours(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Make one edit of neighbours: with only a space between, or deletions with a comma or an *and* between."""
    done: list[Edit] = []
    for edit in edits:
        last = done[-1] if done else None
        between = text[last.end : edit.start] if last else "\0"
        if last is None or (between.strip(_SPACE) and not _in_one_list(last, edit, between)):
            done.append(edit)
        elif last.replacement and edit.replacement:
            if not between and last.replacement[-1].isalnum() and edit.replacement[0].isalnum():
                between = " "
            wording = last.replacement + between + edit.replacement
            done[-1] = replace(last, end=edit.end, replacement=wording)
        else:
            wording = _join_with_deletion(text, last, edit)
            done[-1] = replace(last, end=max(last.end, edit.end), replacement=wording)
    return [_add_spaces(text, edit) for edit in done]


def _join_with_deletion(text: str, left: Edit, right: Edit) -> str:
    """Return what two neighbours write, one of them at least a deletion, with a space that the deletion had taken."""
    wording = left.replacement + right.replacement
    if (
        wording
        and not left.replacement
        and left.start
        and text[left.start] in _SPACE
        and wording[0] not in _SPACE
    ):
        return text[left.start] + wording
    if wording and not right.replacement and text[right.end - 1] in _SPACE and wording[-1] not in _SPACE:
        return wording + text[right.end - 1]
    return wording


def _in_one_list(left: Edit, right: Edit, between: str) -> bool:
    short = left.end - left.start + right.end - right.start < _LISTED
    return short and not left.replacement and not right.replacement and _GAP.fullmatch(between) is not None


def _spaces(text: str, start: int, end: int) -> tuple[int, int]:
    """Return how far the white space reaches to both sides."""
    while start and text[start - 1] in _SPACE:
        start -= 1
    while end < len(text) and text[end] in _SPACE:
        end += 1
    return start, end


def _close_gap(text: str, edit: Edit) -> Edit:
    """Close the gap that a deletion leaves."""
    left, right = _spaces(text, edit.start, edit.end)
    before = text[left - 1] if left else ""
    after = text[right] if right < len(text) else ""
    if not before:
        while right < len(text) and text[right] in ",;:":
            right = _spaces(text, right, right + 1)[1]
        return replace(edit, end=right)
    words = split_words(text)
    previous = words.plain[words.before(left)] if before.isalnum() else ""
    listed = _list_end(words, previous, right)
    if listed is not None:
        end = _spaces(text, listed, listed)[1]
        return replace(edit, start=left, end=end, replacement=text[left : edit.start] or " ")
    removed = text[edit.start : edit.end].strip(_SPACE).lower()
    adverb = removed.endswith("ly") and removed.isalpha() and removed not in NO_ADVERBS
    # in "long and totally wrong", "and" joins what stays
    if not adverb and (start := _list_start(words, left, after)) is not None:
        return replace(edit, start=start, end=edit.end)
    if before == "," and (not after or after in _CLOSING):
        start = _spaces(text, left - 1, left)[0]
        if after == "," and words.plain[words.before(start)] in _JOINING:
            # "and, surprisingly, more of them"
            right += 1
            return replace(edit, start=start, end=right)
        return replace(edit, start=start)
    if after and after in ",;:" and before in _BESIDE and left == edit.start:
        return replace(edit, end=_spaces(text, right, right + 1)[1])
    if before == "(" and after == ")":
        return replace(edit, start=_spaces(text, left - 1, left)[0], end=right + 1, replacement="")
    # before markup, unless the edit takes the space there itself
    glued = after == "\0" == text[edit.end] and text[edit.end - 1] not in _SPACE
    first = before in _BESIDE and left == edit.start and text[left] not in _SPACE
    if not after or glued or (after in _CLOSING and not first):
        return replace(edit, start=left)
    if first:
        return replace(edit, end=right)
    if left < edit.start and edit.end < right:
        # the line end stays where there is one
        return replace(edit, end=right) if "\n" in text[left : edit.start] else replace(edit, start=left)
    return edit


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
    if at < 1 or words.spans[at][1] != left:
        return None
    joins = words.plain[at] in _JOINING
    if joins and words.plain[at - 1] == ",":
        at -= 1
    if joins and at and (not after or after in _CLOSING):
        return words.spans[at - 1][1]
    if not after.isalnum():
        return None
    if not joins and words.plain[at] != ",":
        return None
    return words.spans[at - 1][1] if _describes(words.plain[at - 1]) else None


def _describes(word: str) -> bool:
    endings = (*ADJECTIVE_ENDINGS, *PERHAPS_ADJECTIVE_ENDINGS)
    return word in ADJECTIVES or (word.endswith(endings) and len(word) > 4)


def _next_word(text: str, edit: Edit) -> str:
    """Return the first word from the edit on, or an empty string if something else comes first."""
    rest = edit.replacement.lstrip(_SPACE)
    if not rest:
        rest = text[edit.end :].lstrip(_SPACE)
    match = ALPHANUMERIC.match(rest)
    return match[0] if match else ""


def _fix_article(text: str, edit: Edit) -> Edit:
    """Make *a* and *an* agree with what now follows them."""
    words = split_words(text)
    if (inner := ALPHANUMERIC.findall(edit.replacement)) and inner[-1].lower() in ("a", "an"):
        following = _next_word(text, Edit(edit.end, edit.end, ""))
        kept = text[: edit.end].lower().endswith(inner[-1].lower())
        if following and not kept and edit.replacement.rstrip(_SPACE).endswith(inner[-1]):
            cut = edit.replacement.rindex(inner[-1])
            fixed = _match_capital(inner[-1], indefinite_article(following))
            edit = replace(
                edit, replacement=edit.replacement[:cut] + fixed + edit.replacement[cut + len(inner[-1]) :]
            )
    at = words.before(edit.start)
    if at < 0 or words.plain[at] not in ("a", "an"):
        return edit
    start, end = words.spans[at]
    following = _next_word(text, edit)
    if not edit.replacement and not text[end : edit.start].strip(_SPACE) and _counts(text[edit.end :]):
        # "a staggering 61% of voters": a number takes no article
        return replace(
            edit, start=start, end=edit.end + len(text[edit.end :]) - len(text[edit.end :].lstrip(_SPACE))
        )
    if text[end : edit.start].strip(_SPACE) or not following or not following[0].isalnum():
        return edit
    article = _match_capital(words.written[at], indefinite_article(following))
    if article == words.written[at]:
        return edit
    return replace(
        edit, start=start, end=edit.end, replacement=article + text[end : edit.start] + edit.replacement
    )


def _counts(rest: str) -> bool:
    """Return whether a text begins with a number that counts, unlike *a 2016 report* and *a 30-second clip*."""
    return _COUNT.match(rest) is not None


def _match_capital(model: str, word: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


def _keep_capital(text: str, edits: list[Edit]) -> list[Edit]:
    """Begin with a capital where the sentence began with one."""
    letter = _LETTER.search(text)
    if not edits or letter is None or edits[0].start > letter.start():
        return edits
    first = edits[0]
    if first.start == first.end:
        return [_insert_first(text, first, letter.start()), *edits[1:]]
    if not letter[0].isupper():
        return edits
    if found := _LETTER.search(first.replacement):
        at = found.start()
        return [
            replace(
                first, replacement=first.replacement[:at] + found[0].upper() + first.replacement[at + 1 :]
            ),
            *edits[1:],
        ]
    word = ALPHANUMERIC.match(
        text, first.end + len(text[first.end :]) - len(text[first.end :].lstrip(_SPACE))
    )
    if word is None or not word[0][0].islower() or ALPHANUMERIC.search(first.replacement):
        return edits
    if len(edits) > 1 and edits[1].start < word.end():
        return edits
    between = text[first.end : word.start()]
    return [
        replace(
            first,
            end=word.end(),
            replacement=first.replacement + between + word[0][0].upper() + word[0][1:],
        ),
        *edits[1:],
    ]


def _insert_first(text: str, edit: Edit, letter: int) -> Edit:
    """Put something before the first word, which then needs no capital of its own unless it is a name."""
    word = ALPHANUMERIC.match(text, letter)
    new = edit.replacement[:1].upper() + edit.replacement[1:] if text[letter].isupper() else edit.replacement
    if word is None or word[0].lower() not in FUNCTION or edit.start != letter or word[0] == "I":
        return replace(edit, replacement=new)
    return replace(edit, start=edit.start, end=word.end(), replacement=new + word[0].lower())


def _anchor_insertion(text: str, edit: Edit) -> Edit:
    """Let an insertion replace a neighbouring word by itself and more, so that every edit covers something."""
    if edit.start < edit.end:
        return edit
    words = split_words(text)
    following = words.after(edit.start)
    if (
        following < len(words)
        and words.spans[following][0] == edit.start
        and words.written[following] != "\0"
    ):
        end = words.spans[following][1]
        return replace(edit, end=end, replacement=edit.replacement + text[edit.start : end])
    at = words.before(edit.start)
    start = words.spans[at][0] if at >= 0 else max(edit.start - 1, 0)
    return replace(edit, start=start, replacement=text[start : edit.end] + edit.replacement)


def _keep_line_end(text: str, edit: Edit) -> Edit:
    """Keep line ends that were among the words, so that the lines around them stay about as long as they were."""
    ends = _LINE_END.findall(text, edit.start, edit.end)
    wording, end = edit.replacement, edit.end
    missing = ends[len(_LINE_END.findall(wording)) :]
    while missing and (space := _INNER_SPACE.search(wording)):
        wording = f"{wording[: space.start()]}{missing.pop(0)}{wording[space.end() :]}"
    if len(missing) == 1 and wording and (space := _SPACE_AFTER.match(text, end)):
        # "lashed out\nat the plan": the line ends after the new word
        wording, end = wording + missing[0], space.end()
    return edit if wording == edit.replacement else replace(edit, end=end, replacement=wording)
