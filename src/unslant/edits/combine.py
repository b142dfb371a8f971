"""Which edits of a document go together: a choice without overlaps, tidied together, and read again once.

The text that comes out is read under the standard of the document that went in. What an edited sentence then asks for
is made along with its edits, where it can be; a sentence that does not come to rest stays as it was, so that fixing a
text twice gives what fixing it once gives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from unslant.core.types import Applicability, Document, Edit, Finding, Report, Span
from unslant.edits.decide import allowance
from unslant.edits.invariants import broken
from unslant.edits.types import Reason
from unslant.text.edits import (
    apply_edits,
    count_changed_words,
    inserted_spans,
    rebase_back,
    trim_edit,
)
from unslant.text.reading import reread
from unslant.text.tidy import tidy_edits

_ROUNDS = 3
"""How often an edited sentence may ask for more before it is left as it was."""
_READINGS = 64
"""How often a document is read to find the edits that change its markup."""

Check = Callable[[Document], Report]


@dataclass(frozen=True, slots=True)
class Choice:
    """An edit of the document that is applied, and the findings that it answers."""

    edit: Edit
    sentence: Span
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """What is applied together, and why other edits are not."""

    choices: tuple[Choice, ...]
    held: Mapping[Span, Reason]
    """By sentence: why its edits are not applied."""


class _Picked(NamedTuple):
    """The best edit of a finding, or one that followed from others."""

    edit: Edit
    finding: Finding | None


def by_sentence(report: Report) -> Iterator[tuple[Span, list[Finding]]]:
    """Yield the sentences with findings; a finding across sentences is in none."""
    spans = report.sentences

    def number(finding: Finding) -> int:
        at = bisect_right(spans, finding.span.start, key=lambda verdict: verdict.span.start) - 1
        return at if at >= 0 and spans[at].span.contains(finding.span) else -1

    for at, group in groupby(report.findings, key=number):
        if at >= 0:
            yield spans[at].span, [*group]


def combine(report: Report, level: Applicability, budget: float, check: Check) -> Combined:
    """Choose edits up to a level so that the resulting text asks for no more of them."""
    document = report.document
    reported = dict(by_sentence(report))
    picked = {span: edits for span, findings in reported.items() if (edits := list(_pick(findings, level)))}
    held: dict[Span, Reason] = {}
    choices = _place(document, picked, level, budget, held)
    for left in range(_ROUNDS, -1, -1):
        choices = _keep_structure(document, choices, held)
        if not choices:
            break
        new = reread(document, apply_edits(document.source, [choice.edit for choice in choices]))
        edited = {choice.sentence for choice in choices}
        asking = {
            sentence: more
            for sentence, more in _asking(check(new), choices, level, report).items()
            if sentence in edited or sentence not in reported
        }
        if not asking:
            break
        for sentence, more in asking.items():
            bare = [trim_edit(new.prose, edit) for edit in more]
            back = [rebase_back(edit, [choice.edit for choice in choices]) for edit in bare]
            follows = [
                _Picked(edit, _answered(document, edit, reported.get(sentence, ())))
                for edit in back
                if edit is not None
            ]
            if (
                left
                and len(follows) == len(more)
                and all(sentence.contains(each.edit.span) for each in follows)
            ):
                picked[sentence] = [*picked.get(sentence, ()), *follows]
            else:
                held[sentence] = Reason.AGAIN
        choices = _place(document, picked, level, budget, held)
    return Combined(tuple(choices), held)


def _answered(document: Document, edit: Edit, findings: Sequence[Finding]) -> Finding | None:
    """Return the finding that an edit answers: one that offered the same words, if only for review."""
    for finding in findings:
        if any(trim_edit(document.prose, own).change == edit.change for own in finding.edits):
            return finding
    return None


def _pick(findings: Sequence[Finding], level: Applicability) -> Iterator[_Picked]:
    """Yield the best edit of each finding, none in conflict with a better one."""
    best = [
        (edit.applicability.rank, place, -(edit.probability or 1.0), number, _Picked(edit, finding))
        for number, finding in enumerate(findings)
        for place, edit in enumerate(finding.edits)
        if edit.applicability.rank <= level.rank
    ]
    best.sort(key=lambda each: each[:-1])
    taken: list[_Picked] = []
    for *_, each in best:
        answered = any(each.finding is other.finding for other in taken)
        if not answered and not any(each.edit.conflicts(other.edit) for other in taken):
            taken.append(each)
    yield from taken


def _place(
    document: Document,
    picked: Mapping[Span, Sequence[_Picked]],
    level: Applicability,
    budget: float,
    held: dict[Span, Reason],
) -> list[Choice]:
    return [
        choice
        for span, edits in picked.items()
        if span not in held
        for choice in _tidy_together(document, span, edits, level, budget, held)
    ]


def _tidy_together(
    document: Document,
    span: Span,
    edits: Sequence[_Picked],
    level: Applicability,
    budget: float,
    held: dict[Span, Reason],
) -> list[Choice]:
    """Return the edits of one sentence, tidied together; the least likely goes until the sentence is whole."""
    source, prose = (text[span.start : span.end] for text in (document.source, document.prose))
    masked = "".join(char if char == own else "\0" for char, own in zip(prose, source, strict=True))
    left = list(edits)
    while left:
        bare = [trim_edit(prose, each.edit.shift(-span.start)) for each in left]
        if not any(edit.conflicts(other) for at, edit in enumerate(bare) for other in bare[:at]):
            tidied = tidy_edits(masked, bare)
            within = level is not Applicability.SAFE or len(left) == 1
            if not within and count_changed_words(prose, tidied) > allowance(prose, budget):
                held[span] = Reason.BUDGET
                return []
            removed = [masked[edit.start : edit.end] for edit in tidied]
            lines = all(
                old.count("\n") + old.count("\r")
                == edit.replacement.count("\n") + edit.replacement.count("\r")
                for old, edit in zip(removed, tidied, strict=True)
            )
            markup = any("\0" in each for each in removed)
            if len(left) == 1 or (lines and not markup and not broken(prose, apply_edits(prose, tidied))):
                return _choices(span, left, tidied, bare)
        left.remove(min(left, key=lambda each: each.edit.probability or 0.0))
    return []


def _choices(
    span: Span, picked: Sequence[_Picked], tidied: Sequence[Edit], bare: Sequence[Edit]
) -> list[Choice]:
    parts: list[list[_Picked]] = [[] for _ in tidied]
    for each, edit in zip(picked, bare, strict=True):
        nearest = min(
            range(len(tidied)),
            key=lambda at: max(tidied[at].start - edit.end, edit.start - tidied[at].end, 0),
        )
        parts[nearest].append(each)
    return [
        Choice(
            replace(
                max((each.edit for each in own), key=lambda each: each.applicability.rank),
                start=edit.start + span.start,
                end=edit.end + span.start,
                replacement=edit.replacement,
            ),
            span,
            tuple(each.finding for each in own if each.finding is not None),
        )
        for edit, own in zip(tidied, parts, strict=True)
        if own
    ]


def _asking(
    report: Report, choices: Sequence[Choice], level: Applicability, before: Report
) -> dict[Span, list[Edit]]:
    """Return what the new text asks for in addition, by the sentence of the old text that led to it.

    A sentence may have become two, of which only one has a changed word. Where no word has changed, an edit elsewhere
    may have led to it, such as one that takes a definition away.
    """
    places = inserted_spans([choice.edit for choice in choices])
    unchanged = {sentence.span for sentence in before.sentences}
    found: dict[Span, list[Edit]] = {}
    for span, findings in by_sentence(report):
        more = [each.edit for each in _pick(findings, level)]
        if not more:
            continue
        grown = sum(
            choice.edit.growth for choice, (_, end) in zip(choices, places, strict=True) if end <= span.start
        )
        was = span.start - grown
        own = [
            choice.sentence
            for choice, (start, end) in zip(choices, places, strict=True)
            if (start <= span.end and span.start <= end) or choice.sentence.start <= was < choice.sentence.end
        ]
        if not own and was >= 0 and (same := Span(was, was + len(span))) in unchanged:
            own = [same]
        if own:
            found.setdefault(own[0], []).extend(more)
    return found


# --- structure -------------------------------------------------------------------------------------------------------


def _structure(document: Document) -> tuple[str, int, int]:
    """Return what edits must leave as it is read: the markup alone, the blocks, the quotations."""
    markup = ""
    if document.source != document.prose:
        pairs = zip(document.source, document.prose, strict=True)
        markup = "".join(own for own, shown in pairs if own != shown)
    return markup, len(document.blocks or ()), len(document.quotations)


def _keep_structure(document: Document, choices: Sequence[Choice], held: dict[Span, Reason]) -> list[Choice]:
    """Return the edits after which the document is read with the same structure.

    Those that change it are found by halves. Where there are so many that this takes too long, what is left counts as
    guilty.
    """
    expected = _structure(document)

    def same(some: Iterable[Choice]) -> bool:
        new = apply_edits(document.source, [choice.edit for choice in some])
        return _structure(reread(document, new)) == expected

    if not choices or same(choices):
        return list(choices)
    guilty: list[Choice] = []
    readings = 0
    halves = [list(choices)]
    while halves:
        some = halves.pop()
        readings += 1
        if readings < _READINGS and len(some) < len(choices) and same(some):
            continue
        if len(some) == 1 or readings >= _READINGS:
            guilty += some
        else:
            halves += [some[len(some) // 2 :], some[: len(some) // 2]]
    blamed = {choice.sentence for choice in guilty} or {choice.sentence for choice in choices}
    held.update(dict.fromkeys(blamed, Reason.MARKUP))
    return [choice for choice in choices if choice.sentence not in blamed]


def apart(text: str, edit: Edit, other: Edit) -> bool:
    """Return whether two edits of a sentence can be made each by itself and together, in any order."""
    first, second = sorted((edit, other), key=lambda each: each.change)
    if second.start < first.end or not any(char.isalnum() for char in text[first.end : second.start]):
        return False
    return apply_edits(text, [first, second]) == apply_edits(text, tidy_edits(text, [first, second]))
