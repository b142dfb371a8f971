"""Words that are part of a name, and so are not the writer's choice of wording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unslant.text.function_words import FUNCTION

if TYPE_CHECKING:
    from unslant.rules.automaton import Tokens

_HEADLINE_SHARE = 0.8
_ALL_CAPS = 4
"""The length from which a word in capitals is emphasised; shorter ones are abbreviations."""
_LONGEST_NAME = 10
"""How many words of a name are looked at."""
_OPENING = tuple(':"\u201c\u2018\u00ab\u201e([?!.\u2026\u2022*')
_DASHES = frozenset(("-", "--", "\u2013", "\u2014"))
_QUOTES = frozenset("\"'\u201c\u201d\u2018\u2019\u00ab\u00bb")
_TITLES = frozenset(
    "mr mrs ms dr prof sen rep gov gen col lt capt sgt rev hon st mt president senator mayor governor minister prime "
    "king queen pope judge professor captain coach sir lord lady".split()
)
_DATES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday christmas easter".split()
)
ALWAYS_CAPITALISED = frozenset(
    "democrat democrats republican republicans tory tories gop maga marxist marxists marxism".split()
)
"""Names of parties and doctrines: within a term of several words, their capital does not make the term a name."""
_PEOPLES = frozenset(
    "french german germans dutch greek greeks swiss arab arabs danes czech czechs thai catholic catholics protestant "
    "protestants muslim muslims jew jews hindu hindus buddhist buddhists democrat democrats".split()
)
_PEOPLE_ENDINGS = ("ish", "ese", "ian", "ians", "ean", "eans", "ican", "icans", "oners")


def is_headline(tokens: Tokens) -> bool:
    """Return whether this is a headline: most content words are capitalised, and no full stop follows."""
    if tokens.headline is None:
        tokens.headline = _is_headline(tokens)
    return tokens.headline


def _is_headline(tokens: Tokens) -> bool:
    if tokens.text.rstrip(" \n\r\t\"'\u201d\u2019)").endswith("."):
        return False
    written = [
        tokens.written(at) for at, word in enumerate(tokens.words) if len(word) > 2 and word not in FUNCTION
    ]
    return len(written) >= 3 and sum(word[0].isupper() for word in written) >= _HEADLINE_SHARE * len(written)


def looks_like_name(tokens: Tokens, at: int, last: int) -> bool:
    """Return whether a word looks like part of a name; ``last`` is the last word of the match."""
    word = tokens.written(at)
    if not word[0].isupper():
        return False
    if word.isupper() and any(_is_all_caps(tokens, near) for near in (at, at - 1, at + 1)):
        return False
    if not opens_sentence(tokens, at):
        return True
    return _quoted_alone(tokens, at, last) or _continues_name(tokens, last + 1)


def _is_all_caps(tokens: Tokens, at: int) -> bool:
    return 0 <= at < len(tokens) and len(tokens.words[at]) >= _ALL_CAPS and tokens.written(at).isupper()


def opens_sentence(tokens: Tokens, at: int) -> bool:
    """Return whether a capital is required here: at the start, after a colon or an opening quotation mark."""
    if at == 0:
        return True
    gap = tokens.gap(at)
    mark = gap.rstrip(" ")
    if mark == ".":
        # "Dr. Great", "J. Great", but "1. Great food"
        before = tokens.words[at - 1]
        return before not in _TITLES and (len(before) > 1 or before.isdigit())
    return (
        mark.endswith(_OPENING)
        or mark.endswith(" '")
        or (gap != mark and mark.strip() in _DASHES)
        or mark == "\u2014"
    )


def _quoted_alone(tokens: Tokens, at: int, last: int) -> bool:
    """Return whether these words alone are in quotation marks, like the title of a work."""
    start, end = tokens.spans[at][0], tokens.spans[last][1]
    return tokens.text[start - 1 : start] in _QUOTES and tokens.text[end : end + 1] in _QUOTES


def _continues_name(tokens: Tokens, at: int) -> bool:
    """Return whether a word continues a name that the first word starts: *Legendary Pictures*."""
    for place in range(at, min(at + _LONGEST_NAME, len(tokens))):
        written, word = tokens.written(place), tokens.words[place]
        if not tokens.follows_directly(place) or not written[0].isupper() or word.split("'")[0] == "i":
            return False
        if len(written) > 1 and written.isupper():
            return False
        if not (word in _DATES or word in _PEOPLES or word.endswith(_PEOPLE_ENDINGS)):
            return word not in _TITLES
        # "Stunning Italian views", but "Great Russian Encyclopedia"
    return False
