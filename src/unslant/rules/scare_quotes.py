"""Quotation marks that keep a distance from a word instead of quoting somebody."""

from __future__ import annotations

import re

from unslant.core.types import Sentence, Span
from unslant.text.words import LETTERS

__all__ = ["scare_quotes"]

_LENGTH = 40
_WORDS = 2
_NEAR = 160
"""How far before and after its sentence somebody who is quoted may be named."""
_MARKS = frozenset("\"'\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb")
_PARAGRAPH = re.compile(r"\n\s*\n")

_SPEECH = frozenset(
    """
    say says said saying tell tells told ask asks asked reply replies replied answer answers answered write writes
    wrote written writing add adds added state states stated announce announces announced declare declares declared
    argue argues argued arguing claim claims claimed claiming insist insists insisted insisting warn warns warned
    warning note notes noted noting comment commented remark remarked observe observed explain explains explained
    shout shouted cry cried whisper whispered quote quotes quoted quoting read reads according describe describes
    described describing label labels labeled labelled labeling dub dubs dubbed dubbing call calls called calling deem
    deemed brand branded branding characterize characterized characterise characterised denounce denounced praise
    praised criticize criticized criticise criticised accuse accused accusing tweet tweeted posted promise promised
    urge urged vow vowed express expressed refer referred refers speech interview statement letter memo ruling ruled
    court judge opinion article testified testimony cite cites cited citing suggest suggests suggested conclude
    concluded concludes consider considers considered regard regarded
    """.split()
)
"""Words of a sentence in which somebody is quoted."""
_SAID = frozenset("say says said told tells wrote writes tweeted according asked replied added".split())
"""Words that make the sentences beside them speech, too."""
_MENTION = frozenset(
    """
    word words term terms phrase phrases name names named title titled entitled known expression adjective noun verb
    adverb prefix suffix meaning means mean meant translate translated translates spell spelled spelt letter slogan
    motto nickname nicknamed abbreviation abbreviated short password key button option command file label define
    defined defines definition text field value string type page tab menu script variable
    """.split()
)
"""Words of a sentence in which a word is merely mentioned."""


def scare_quotes(sentence: Sentence, quotations: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the quotations of a sentence that seem to keep a distance from a word instead of quoting somebody.

    That is one quotation of one or two words that begin in lower case (so no title), without a comma or full stop
    inside the closing mark (so no speech), where neither the sentence nor the ones beside it speak of saying, calling,
    naming or defining.
    """
    if len(quotations) != 1 or not _looks_distant(sentence.document.prose, quotations[0]):
        return ()
    (span,) = quotations
    prose, around = sentence.document.prose, sentence.span
    words = _words(prose[around.start : span.start] + prose[span.end : around.end])
    if not words.isdisjoint(_SPEECH) or not words.isdisjoint(_MENTION):
        return ()
    before = _PARAGRAPH.split(prose[max(0, around.start - _NEAR) : around.start])[-1]
    after = _PARAGRAPH.split(prose[around.end : around.end + _NEAR])[0]
    return (span,) if _words(before + " " + after).isdisjoint(_SAID) else ()


def _words(text: str) -> set[str]:
    return {word.lower() for word in LETTERS.findall(text)}


def _looks_distant(prose: str, span: Span) -> bool:
    if len(span) > _LENGTH or prose[span.start] not in _MARKS or prose[span.end - 1] not in _MARKS:
        return False
    inside = prose[span.start + 1 : span.end - 1].strip()
    words = inside.split()
    if not 1 <= len(words) <= _WORDS or not inside[0].islower() or not inside[-1].isalpha():
        return False
    return all(LETTERS.fullmatch(part) for word in words for part in re.split("[-'\u2019]", word))
