"""Edits for matched terms that leave a well-formed sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unslant.core.types import Applicability, Document, Edit, Sentence
from unslant.rules.frames import fits
from unslant.rules.inflect import Slot, forms, inflect
from unslant.rules.names import is_headline, opens_sentence
from unslant.text.function_words import ADVERBS, ARTICLES, BE, FUNCTION, HAVE, MODALS, PASTS, PREPOSITIONS
from unslant.text.tidy import indefinite_article
from unslant.text.words import ALPHANUMERIC

if TYPE_CHECKING:
    from unslant.rules.automaton import Tokens
    from unslant.rules.compiled import Entry

_TAGGED = re.compile(rf"({ALPHANUMERIC.pattern})@(v|n|adj|adv)\b")
_AND = frozenset(("and", "or"))
_HYPHENS = frozenset(("-", "\u2010", "\u2011"))
_PARTICIPLE_AFTER = frozenset("has have had having is are was were be been being get gets got".split())


@dataclass(frozen=True, slots=True)
class _EditContext:
    """The place of a matched term."""

    sentence: Sentence
    tokens: Tokens
    first: int
    last: int

    def offset(self, at: int) -> int:
        return self.sentence.span.start + at

    @property
    def start(self) -> int:
        return self.tokens.spans[self.first][0]

    @property
    def end(self) -> int:
        return self.tokens.spans[self.last][1]

    def article(self) -> int | None:
        """Return the index of an indefinite article directly before, if there is one."""
        before = self.first - 1
        if before >= 0 and self.tokens.words[before] in ("a", "an") and self.tokens.gap(self.first).isspace():
            return before
        return None

    def in_compound(self) -> bool:
        """Return whether a hyphen joins the words to others: *celebrity-bashing programs*."""
        tokens = self.tokens
        before = tokens.gap(self.first) if self.first else ""
        after = tokens.gap(self.last + 1) if self.last + 1 < len(tokens) else ""
        return before.strip() in _HYPHENS or after.strip() in _HYPHENS

    def describes(self) -> bool:
        """Return whether a singular noun describes the next one: *illegal immigrant laws*."""
        tokens, last = self.tokens, self.last
        if tokens.words[last].endswith("s"):
            return False
        # without an article, one thing can only describe another: "the surge of illegal immigrant families that"
        bare = self.first > 0 and tokens.words[self.first - 1] in PREPOSITIONS
        follows = last + 1 < len(tokens) and tokens.follows_directly(last + 1)
        return (bare and follows and tokens.words[last + 1] not in FUNCTION) or fits(
            "noun", tokens, self.first, last
        )

    def apply_capitals(self, text: str) -> str:
        """Return the text with the capitals that its place requires; capitals of a name are not copied."""
        words = [self.tokens.written(at) for at in range(self.first, self.last + 1)]
        stressed = len(words) == 1 and len(words[0]) > 3
        if all(word.isupper() for word in words) and (stressed or self.tokens.text.isupper()):
            return text.upper()
        due = opens_sentence(self.tokens, self.first) or is_headline(self.tokens)
        return text[:1].upper() + text[1:] if words[0][0].isupper() and due else text

    def edit(self, start: int, end: int, replacement: str, applicability: Applicability) -> Edit:
        """Return an edit from offsets in the sentence; one across markup, or to where a link leads, is only shown."""
        start, end = self.offset(start), self.offset(end)
        document = self.sentence.document
        if document.source[start:end] != document.prose[start:end] or _leads_somewhere(document, start):
            applicability = Applicability.DISPLAY
        return Edit(start, end, replacement, applicability)


def _leads_somewhere(document: Document, start: int) -> bool:
    """Return whether the words shown are also the target of the link: ``[[chairman]]``, but not ``[[a|chairman]]``."""
    if document.format != "wikitext":
        return False
    opened = document.source.rfind("[[", 0, start)
    if opened < 0:
        return False
    before = document.source[opened:start]
    closed = document.source.find("]]", start)
    return "]]" not in before and "|" not in before and "|" not in document.source[start:closed]


def edits_for(
    applicability: Applicability, entry: Entry, sentence: Sentence, tokens: Tokens, words: tuple[int, int]
) -> tuple[Edit, ...]:
    """Return the edits for the words from the first to the last, the best first."""
    if not entry.swap and not entry.delete:
        return ()
    place = _EditContext(sentence, tokens, *words)
    if place.in_compound() or (entry.trails and place.describes()):
        return ()
    found = [_swap_edit(place, wording, entry.term, applicability) for wording in entry.swap]
    if entry.delete:
        deletion = _delete_edit(place, applicability)
        # markup inside a deletion may contain words that should stay
        if deletion is not None and deletion.applicability is applicability:
            found.append(deletion)
    return tuple(dict.fromkeys(found))


def _swap_edit(place: _EditContext, wording: str, term: str, applicability: Applicability) -> Edit:
    slot = _slot(place, term)
    text = _TAGGED.sub(lambda tagged: inflect(tagged[1], tagged[2], slot), wording)
    text = place.apply_capitals(text)
    start = place.start
    article = place.article()
    if article is not None:
        old = place.tokens.written(article)
        new = _copy_capitals(old, indefinite_article(text))
        if new.lower() != old.lower():
            start = place.tokens.spans[article][0]
            text = new + place.tokens.gap(place.first) + text
    return place.edit(start, place.end, text, applicability)


def _slot(place: _EditContext, term: str) -> Slot:
    """Return the inflection of the term's tagged word in the text."""
    for lemma, pos in _TAGGED.findall(term):
        known = forms(lemma, pos)
        for at in range(place.first, place.last + 1):
            slot = known.get(place.tokens.words[at])
            before = at - 1
            while before > 0 and place.tokens.words[before] in ADVERBS:
                before -= 1
            if slot == "past" and at and place.tokens.words[before] in _PARTICIPLE_AFTER:
                return "participle"
            if slot is not None:
                return slot
    return "base"


def _copy_capitals(model: str, text: str) -> str:
    """Return the text with the capitals of the model."""
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text


def _delete_edit(place: _EditContext, applicability: Applicability) -> Edit | None:
    """Delete the words, with the space, comma or article that only they need."""
    tokens, first, last = place.tokens, place.first, place.last
    following = last + 1
    if following == len(tokens) and first == 0:
        return None
    after = tokens.gap(following) if following < len(tokens) else tokens.text[place.end :]
    if first == 0:
        return _delete_at_start(place, after, applicability)
    before = tokens.gap(first)
    if before.strip() == "," and after.lstrip().startswith(","):
        end = place.end + after.index(",") + 1
        start = place.start if _in_apposition(tokens, first, following) else tokens.spans[first - 1][1]
        gap = len(tokens.text[end:]) - len(tokens.text[end:].lstrip()) if start == place.start else 0
        return place.edit(start, end + gap, "", applicability)
    if (
        not before
        or not before.isspace()
        or after.lstrip().startswith(("-", "\u2010", "\u2011", ",", ":", ";"))
    ):
        # a hyphen or a comma after it belongs to what would be left
        return None
    if _one_of_two(tokens, first, last):
        return None
    article = place.article()
    if article is None:
        return place.edit(place.start - len(before), place.end, "", applicability)
    if following == len(tokens) or after.strip() not in ("", "$", "\u00a3", "\u20ac", "US$"):
        return None
    old = tokens.written(article)
    start = tokens.spans[article][0]
    if _stands_without_article(tokens, following):
        end = place.end + len(after) - len(after.lstrip())
        return place.edit(start, end, "", applicability) if article else None
    new = _copy_capitals(old, indefinite_article(tokens.words[following]))
    return place.edit(start, place.end, new, applicability)


def _in_apposition(tokens: Tokens, first: int, following: int) -> bool:
    """Return whether a noun is explained after an aside, so that one comma stays: *the mayor, sadly, a victim of*."""
    before = tokens.words[first - 1]
    verbal = before in BE or before in HAVE or before in MODALS or before in PASTS or before.endswith("ed")
    closes = any("," in tokens.gap(at) for at in range(following + 2, len(tokens)))
    return closes and not verbal and following < len(tokens) and tokens.words[following] in ARTICLES


def _one_of_two(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether another adverb is joined to the words: *exceedingly and ridiculously polite*."""
    words = tokens.words
    before = first > 1 and words[first - 1] in _AND and words[first - 2].endswith("ly")
    after = last + 2 < len(words) and words[last + 1] in _AND and words[last + 2].endswith("ly")
    return before or after


def _stands_without_article(tokens: Tokens, at: int) -> bool:
    """Return whether a number needs no article: *a staggering 40 million*, but not *a staggering 40-page bill*."""
    if not tokens.words[at][0].isdigit():
        return False
    return at + 1 == len(tokens) or not tokens.gap(at + 1).startswith(("-", "\u2010", "\u2011"))


def _delete_at_start(place: _EditContext, after: str, applicability: Applicability) -> Edit | None:
    tokens, following = place.tokens, place.last + 1
    if after.strip() not in ("", ","):
        return None
    start, end = tokens.spans[following]
    return place.edit(
        place.start, end, _copy_capitals(tokens.written(0), tokens.text[start:end]), applicability
    )
