"""The gates: what an edit must leave alone to be applied automatically, or at all.

The first gate that an edit fails decides. Markup, quotations and links are never touched. Facts are not either, unless
a rule's own wording changes them, which a person then decides. Everything else needs review, unless edits of its class
have a record of being right.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from unslant.core.types import Applicability, Document, Edit, Report, Sentence, Span
from unslant.rewrite.breaks import find_break
from unslant.rewrite.facts import changed_fact
from unslant.rewrite.meaning import lost_meaning
from unslant.rewrite.result import Gate, Suggestion
from unslant.rewrite.scoring import weigh_findings
from unslant.rewrite.soundness import review_gate, unsound
from unslant.rewrite.wordings import WORDINGS
from unslant.rules.compiled import paired_rules
from unslant.text.directives import directives_over
from unslant.text.edits import apply_edits, count_changed_words, move_offset
from unslant.text.words import split_words

__all__ = [
    "GATES",
    "PASSED",
    "Case",
    "allowance",
    "clip_spans",
    "judge",
    "make_case",
    "over_budget",
    "pointless",
    "settle",
]

GATES = (
    *("markup", "quotation", "link", "rule", "distinction", "judge", "parse"),
    *("number", "date", "unit", "negation", "modality", "falsity", "legality"),
    *("cause", "contrast", "quantity", "name", "degree"),
    *("slant", "meaning", "record", "budget", "overlap", "again"),
)
"""Every gate by its name, in the order in which they are asked; the last two look at all edits together."""

PASSED = Gate("all", "It passed every gate.", Applicability.SAFE)

_NEVER = frozenset(("falsity", "legality", "cause", "contrast"))
"""Facts that not even a rule's own wording may change."""
_RANK = {Applicability.SAFE: 0, Applicability.REVIEW: 1, Applicability.DISPLAY: 2}
_SPECIAL = re.compile(r"[<>&\[\]{}|*_`~\\=#^]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_GRAVE = re.compile(r"``.*?(?:''|$)", re.DOTALL)
"""A quotation in the marks of tokenized text."""
_ROUNDING = 1e-9
_REACH = 200
"""How far from an edit the brackets of a link are looked for."""
_NOISE = 0.02
"""How much a model's probability may rise by the noise of rounding and rewording alone."""
_ONE_MORE = 0.5
"""What one suggestion weighs: without some words the model may flag others, which does not count against the edit."""
_NOISE_CONFIDENT = 0.1
"""The same where the edit model is confident: deleting a word moves the probability either way."""


@dataclass(frozen=True, slots=True)
class Case:
    """A suggestion before the gates: the sentence before and after its edit."""

    sentence: Sentence
    text: str
    """The sentence with a NUL for markup."""
    suggestion: Suggestion
    """With its edit tidied, by offsets from the start of the sentence."""
    after: Sentence
    """The sentence after the edit, as a document of its own that can be analyzed."""
    budget: float

    @property
    def edit(self) -> Edit:
        """The edit to judge."""
        return self.suggestion.edit


def make_case(sentence: Sentence, text: str, suggestion: Suggestion, budget: float) -> Case:
    """Return the case of one suggestion."""
    return Case(sentence, text, suggestion, edit_sentence(sentence, [suggestion.edit]), budget)


def clip_spans(spans: Sequence[Span], sentence: Sentence) -> list[tuple[int, int]]:
    """Return the parts of ordered spans that lie in a sentence, by offsets from its start."""
    span = sentence.span
    found = []
    for other in spans[bisect_right(spans, span.start, key=lambda other: other.end) :]:
        if other.start >= span.end:
            break
        found.append((max(other.start, span.start) - span.start, min(other.end, span.end) - span.start))
    return found


def edit_sentence(sentence: Sentence, edits: Sequence[Edit]) -> Sentence:
    """Return the sentence after some edits, without its markup, with its quotations and inline ignores."""
    document = sentence.document
    text = apply_edits(sentence.text, edits)
    whole = Span(0, len(text)) if text else None
    quotations = (
        (move_offset(start, edits), move_offset(end, edits))
        for start, end in clip_spans(document.quotations, sentence)
    )
    directives = (document.directives[number] for number in directives_over(document, sentence.span))
    edited = Document(
        text,
        text,
        document.id,
        document.format,
        quotations=tuple(Span(start, end) for start, end in quotations if start < end),
        directives=tuple(replace(each, span=whole, scope=whole) for each in directives) if whole else (),
    )
    return Sentence(edited, whole or Span(0, 1))


def allowance(text: str, budget: float) -> int:
    """Return how many words of a sentence may change without review: a share, rounded up, and at least one."""
    return max(1, ceil(split_words(text).count() * budget - _ROUNDING))


def judge(case: Case, before: Report, after: Report) -> Gate:
    """Return the gate that decides, given what the detector says of the sentence before and after."""
    return (
        _untouchable(case)
        or _unsound(case)
        or _broken(case)
        or _facts(case)
        or _worth(case.suggestion, before, after)
        or _readable(case)
        or PASSED
    )


def settle(case: Case) -> Gate | None:
    """Return the gate that decides about a rule's wording whatever the detector says; None: it depends on that.

    Only an edit that may be safe depends on it: otherwise a rule's wording is offered for review in any case.
    """
    return _untouchable(case) or _unsound(case) or _broken(case) or _facts(case) or _readable(case)


def pointless(case: Case, level: Applicability = Applicability.DISPLAY) -> bool:
    """Say whether nobody would see an edit whatever the detector says, so that the costly question can be skipped.

    That holds for results that are not sound, for words that cannot simply be deleted, and for edits above the level
    that is asked for.
    """
    if _unsound(case) is not None:
        return True
    hidden = _RANK[level] < _RANK[Applicability.DISPLAY]
    deletion = case.suggestion.origin in ("deletion", WORDINGS)
    if not hidden and not deletion:
        return False
    gate = _untouchable(case) or _facts(case)
    if gate is not None:
        return hidden and _RANK[gate.verdict] > _RANK[level]
    gate = _broken(case) or _readable(case)
    if gate is None:
        return False
    return (deletion and gate.verdict is Applicability.DISPLAY) or (
        hidden and _RANK[gate.verdict] > _RANK[level]
    )


def _untouchable(case: Case) -> Gate | None:
    def shown(name: str, reason: str) -> Gate:
        return Gate(name, reason, Applicability.DISPLAY)

    edit = case.edit
    removed, wording = case.text[edit.start : edit.end], edit.replacement
    if "\0" in removed or _leaves_only_markup(case.text, edit):
        return shown("markup", "Markup is in the way; change it by hand.")
    if set(_CONTROL.findall(wording)) - set(removed):
        return shown("markup", "The new wording contains control characters.")
    if case.sentence.document.format != "text" and set(_SPECIAL.findall(wording)) - set(removed):
        return shown("markup", "The new wording would be read as markup.")
    if _quoted(case.sentence, edit) or _MARKS.findall(wording) != _MARKS.findall(removed):
        return shown("quotation", "It would change a quotation.")
    if _linked(case.sentence, edit):
        return shown("link", "It would change a link.")
    if case.suggestion.bare.applicability is Applicability.DISPLAY:
        return shown("rule", "The rule offers this wording for display only.")
    return None


def _leaves_only_markup(text: str, edit: Edit) -> bool:
    """Say whether only markup would be left where the words stood, such as the asterisks of an emphasis."""
    around = text[edit.start - 1 : edit.start] + text[edit.end : edit.end + 1]
    return not edit.replacement.strip() and around in ("\0", "\0\0")


def _quoted(sentence: Sentence, edit: Edit) -> bool:
    quotations = (*clip_spans(sentence.document.quotations, sentence), *_find_quotations(sentence.text))
    return any(edit.start < end and start < edit.end for start, end in quotations)


def _find_quotations(text: str) -> list[tuple[int, int]]:
    """Return what lies between pairs of straight quotation marks, however they are spaced."""
    marks = [at for at, char in enumerate(text) if char == '"']
    found = [(start, end + 1) for start, end in zip(marks[::2], marks[1::2], strict=False)]
    return [*found, *(match.span() for match in _GRAVE.finditer(text))]


def _linked(sentence: Sentence, edit: Edit) -> bool:
    """Say whether the words are an address, or the name by which a link finds its target."""
    document = sentence.document
    if any(start < edit.end and edit.start < end for start, end in clip_spans(document.hidden, sentence)):
        return True
    source = document.source
    start, end = sentence.span.start + edit.start, sentence.span.start + edit.end
    opening = source.rfind("[", max(0, start - _REACH), start)
    closing = source.find("]", end, end + _REACH)
    if document.format not in ("markdown", "wikitext") or opening < 0 or closing < 0:
        return False
    inside = source[opening + 1 : closing]
    if "]" in source[opening:start] or "[" in source[end:closing] or "\n\n" in inside:
        return False
    if document.format == "wikitext":
        return source[opening - 1 : opening] == "[" and "|" not in source[opening:start]
    following = source[closing + 1 : closing + 2]
    return following != "(" and (following != "[" or source[closing + 1 : closing + 3] == "[]")


def _facts(case: Case) -> Gate | None:
    found = changed_fact(_plain(case.text), case.after.text)
    if found is None:
        return None
    name, word = found
    decide = name == "degree" or (
        case.suggestion.by_rule and (name not in _NEVER or _is_label(case.suggestion))
    )
    stated = f"\u201c{word}\u201d ({name})" if word else f"a {name}"
    return Gate(
        name,
        f"It would change what is stated: {stated}.",
        Applicability.REVIEW if decide else Applicability.DISPLAY,
    )


def _is_label(suggestion: Suggestion) -> bool:
    """Say whether the words are a label that one side gives the other, in which *fake* or *hoax* states no fact."""
    return any(finding.rule in paired_rules() for finding in suggestion.findings)


def _plain(text: str) -> str:
    return text.replace("\0", " ")


def _worth(suggestion: Suggestion, before: Report, after: Report) -> Gate | None:
    """Ask whether the sentence is less slanted afterwards, by the detector's own measure."""
    old, new = weigh_findings(before), weigh_findings(after)
    was = before.sentences[0].probability if before.sentences else None
    now = after.sentences[0].probability if after.sentences else None
    slack = _NOISE_CONFIDENT if suggestion.confident else _NOISE
    if was is not None and now is not None and now > was + slack:
        return Gate("slant", "The sentence would seem more slanted than before.", Applicability.REVIEW)
    fewer = new < old or (not suggestion.findings and was is not None and now is not None and now < was)
    # where the edit model is confident, the slant that it sees is gone with the words
    fewer = fewer or suggestion.confident
    if not fewer or new > old + (_ONE_MORE if suggestion.confident else 0.0):
        return Gate("slant", "The sentence would be as slanted as before.", Applicability.REVIEW)
    return None


def _broken(case: Case) -> Gate | None:
    """Ask this before anything that a person may decide: nobody should be offered a broken sentence."""
    wrong = find_break(_plain(case.text), case.after.text, [case.edit])
    if wrong is None:
        return None
    return Gate("parse", f"The sentence may no longer hang together: {wrong}.", Applicability.DISPLAY)


def _readable(case: Case) -> Gate | None:
    lost = lost_meaning(_plain(case.text), case.suggestion)
    if lost is not None:
        return Gate("meaning", *lost)
    unproved = review_gate(_plain(case.text), case.after.text, case.suggestion)
    return unproved or over_budget(case.text, [case.edit], case.budget)


def _unsound(case: Case) -> Gate | None:
    return unsound(_plain(case.text), case.after.text, case.suggestion)


def over_budget(text: str, edits: Sequence[Edit], budget: float) -> Gate | None:
    """Return the gate that blocks edits which change more of a sentence than is allowed without review."""
    allowed, changed = allowance(text, budget), count_changed_words(text, edits)
    if changed <= allowed:
        return None
    words = f"{changed} word" if changed == 1 else f"{changed} words"
    return Gate(
        "budget",
        f"It changes {words} of the sentence; {allowed} may change without review.",
        Applicability.REVIEW,
    )
