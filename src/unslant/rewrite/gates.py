"""The gates: what an edit must leave alone to be made without a look, or at all.

The first gate that an edit does not pass decides. Markup, quotations and links are never touched. Facts are not
either, unless a rule's own wording does so, which is then for a person to decide. The rest asks for a look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from unslant.core.types import Applicability, Report, Sentence
from unslant.rewrite.candidate import Candidate
from unslant.rewrite.change import Change, worded, words_changed
from unslant.rewrite.facts import differing
from unslant.rewrite.meaning import lost_meaning
from unslant.rewrite.ranking import weight
from unslant.rewrite.soundness import broken
from unslant.rewrite.standing import clipped
from unslant.rewrite.types import Gate

__all__ = ["GATES", "PASSED", "Case", "allowance", "judge", "over_budget", "pointless"]

GATES = (
    *("markup", "quotation", "link", "rule"),
    *("number", "date", "unit", "negation", "modality", "name"),
    *("slant", "parse", "meaning", "budget", "overlap", "again"),
)
"""Every gate by its name, in the order in which they are asked; the last two look at all edits together."""

PASSED = Gate("all", "Every gate let it pass.", Applicability.SAFE)

_RANK = {Applicability.SAFE: 0, Applicability.REVIEW: 1, Applicability.DISPLAY: 2}
_SPECIAL = re.compile(r"[<>&\[\]{}|*_`~\\=#^]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_ROUNDING = 1e-9
_REACH = 200
"""How far from an edit the brackets of a link are looked for."""
_NOT_WORSE = 0.02
"""How much a model's probability may rise by the noise of rounding and rewording alone."""
_ONE_MORE = 0.5
"""What a suggestion weighs: without some words the model may mark others, which does not speak against the edit."""
_NOT_WORSE_SURE = 0.1
"""The same where the edit model stands by a change: leaving out a word moves the probability either way."""


@dataclass(frozen=True, slots=True)
class Case:
    """An edit before the gates: the sentence, and what is to change."""

    sentence: Sentence
    text: str
    """The sentence with a NUL for markup."""
    candidate: Candidate
    changes: tuple[Change, ...]
    new: str
    """The sentence after the changes."""
    budget: float


def allowance(text: str, budget: float) -> int:
    """Return how many words of a sentence may change without a look: a share of them, rounded up, and at least one."""
    return max(1, ceil(worded(text).count() * budget - _ROUNDING))


def judge(case: Case, before: Report, after: Report) -> Gate:
    """Return the gate that decides, with its verdict, given what the detector says of the sentence before and after."""
    return (
        _untouchable(case)
        or _facts(case)
        or _worth(case.candidate, before, after)
        or _readable(case)
        or PASSED
    )


def pointless(case: Case, level: Applicability = Applicability.DISPLAY) -> bool:
    """Say whether nobody would see an edit, whatever the detector says of it: asking it takes longest.

    That is so for what cannot simply be left out, and for edits above the level that is asked for.
    """
    hidden = _RANK[level] < _RANK[Applicability.DISPLAY]
    if not hidden and case.candidate.origin != "deletion":
        return False
    gate = _untouchable(case) or _facts(case)
    if gate is not None:
        return hidden and _RANK[gate.verdict] > _RANK[level]
    gate = _readable(case)
    if gate is None:
        return False
    simply = case.candidate.origin == "deletion" and gate.verdict is Applicability.DISPLAY
    return simply or (hidden and _RANK[gate.verdict] > _RANK[level])


def _untouchable(case: Case) -> Gate | None:
    def shown(name: str, reason: str) -> Gate:
        return Gate(name, reason, Applicability.DISPLAY)

    for change in case.changes:
        removed = case.text[change.start : change.end]
        if "\0" in removed or _empties(case.text, change):
            return shown("markup", "Markup is in the way; change it by hand.")
        if set(_CONTROL.findall(change.text)) - set(removed):
            return shown("markup", "The new wording holds control characters.")
        if case.sentence.document.format != "text" and set(_SPECIAL.findall(change.text)) - set(removed):
            return shown("markup", "The new wording would be read as markup.")
        if _quoted(case.sentence, change) or _MARKS.findall(change.text) != _MARKS.findall(removed):
            return shown("quotation", "It would change what is quoted.")
        if _linked(case.sentence, change):
            return shown("link", "It would change a link.")
    if case.candidate.limit is Applicability.DISPLAY:
        return shown("rule", "The rule offers this wording only to be looked at.")
    return None


def _empties(text: str, change: Change) -> bool:
    """Say whether markup is all that would be left where the words stood, such as the asterisks of an emphasis."""
    around = text[change.start - 1 : change.start] + text[change.end : change.end + 1]
    return not change.text.strip() and around in ("\0", "\0\0")


def _quoted(sentence: Sentence, change: Change) -> bool:
    quotations = (*clipped(sentence.document.quotations, sentence), *_paired(sentence.text))
    return any(change.start < end and start < change.end for start, end in quotations)


def _paired(text: str) -> list[tuple[int, int]]:
    """Return what lies between one straight mark and the next, two by two, however they are spaced."""
    marks = [at for at, char in enumerate(text) if char == '"']
    return [(start, end + 1) for start, end in zip(marks[::2], marks[1::2], strict=False)]


def _linked(sentence: Sentence, change: Change) -> bool:
    """Say whether the words are an address, or the name by which a link finds its target."""
    document = sentence.document
    if any(start < change.end and change.start < end for start, end in clipped(document.hidden, sentence)):
        return True
    source = document.source
    start, end = sentence.span.start + change.start, sentence.span.start + change.end
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
    found = differing(worded(_plain(case.text)), worded(_plain(case.new)))
    if found is None:
        return None
    name, word = found
    verdict = Applicability.REVIEW if case.candidate.vouched else Applicability.DISPLAY
    return Gate(name, f"It would change what is stated: \u201c{word}\u201d ({name}).", verdict)


def _plain(text: str) -> str:
    return text.replace("\0", " ")


def _worth(candidate: Candidate, before: Report, after: Report) -> Gate | None:
    """Ask whether the sentence is less slanted afterwards, by the detector's own measure."""
    old, new = weight(before), weight(after)
    was = before.sentences[0].probability if before.sentences else None
    now = after.sentences[0].probability if after.sentences else None
    slack = _NOT_WORSE_SURE if candidate.stood_by else _NOT_WORSE
    if was is not None and now is not None and now > was + slack:
        return Gate("slant", "The sentence would seem more slanted than before.", Applicability.REVIEW)
    fewer = new < old or (candidate.number is None and was is not None and now is not None and now < was)
    # where the edit model stands by a change, the slant that it sees is gone with the words
    fewer = fewer or candidate.stood_by
    if not fewer or new > old + (_ONE_MORE if candidate.stood_by else 0.0):
        return Gate("slant", "The sentence would be as slanted as before.", Applicability.REVIEW)
    return None


def _readable(case: Case) -> Gate | None:
    wrong = broken(_plain(case.text), _plain(case.new), case.changes)
    if wrong is not None:
        verdict = Applicability.REVIEW if case.candidate.vouched else Applicability.DISPLAY
        return Gate("parse", f"The sentence may no longer hang together: {wrong}.", verdict)
    lost = lost_meaning(_plain(case.text), case.candidate)
    if lost is not None:
        return Gate("meaning", *lost)
    return over_budget(case.text, case.changes, case.budget)


def over_budget(text: str, changes: Sequence[Change], budget: float) -> Gate | None:
    """Return the gate that holds back more changes to a sentence than are allowed without a look."""
    allowed, changed = allowance(text, budget), words_changed(text, changes)
    if changed <= allowed:
        return None
    words = f"{changed} word" if changed == 1 else f"{changed} words"
    return Gate(
        "budget",
        f"It changes {words} of the sentence; {allowed} may be without a look.",
        Applicability.REVIEW,
    )
