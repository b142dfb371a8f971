"""Traps: sentences that a careless edit damages, with what must survive.

Every file of ``cases/traps`` is a class of damage. A line holds the political side that the sentence is about (``L``,
``R`` or ``-``), the sentence, the words that must survive and, after ``!``, wording that no edit may leave behind.
Separators are ``|`` and ``;``. Words with a question mark must survive safe edits; a person may decide to change them.
A trap is never changed to fit what the code does: the code is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import unslant
from unslant.core.types import Applicability
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed
from unslant.spec import TIERS

SPECS = {tier: unslant.Spec(analyzers=TIERS[tier]) for tier in ("rules", "all")}
MALFORMED = re.compile(
    r"  | [,.;:!?]|,,|\(\)|\b(?:an?|the) (?:an?|the)\b|\b(?:an?|the|of|and|or)[,.]"
    r"|\ba [aeio]\w|\ban [bcdfgjklpqtvwyz]\w",
    re.IGNORECASE,
)
"""What no English sentence has; the traps themselves have none of it."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A sentence and what must survive."""

    damage: str
    side: str
    text: str
    keep: tuple[str, ...]
    never: tuple[str, ...]

    @classmethod
    def read(cls, damage: str, line: str) -> Trap:
        """Read one line of a file."""
        side, text, keep, *rest = (part.strip() for part in line.split(" | "))
        never = rest[0].removeprefix("!") if rest else ""
        return cls(damage, side, text, _items(keep), _items(never))

    def damages(self, new: str, *, safe: bool = False) -> Iterator[str]:
        """Yield what is wrong with the sentence after an edit that needs review, or after a safe one."""
        for words in self.keep:
            if (safe or not words.endswith("?")) and words.rstrip("?").lower() not in new.lower():
                yield f"lost: {words}"
        yield from (f"wrote: {words}" for words in self.never if words in new and words not in self.text)
        if found := MALFORMED.search(new):
            yield f"malformed: {found[0]!r}"


def _items(text: str) -> tuple[str, ...]:
    return tuple(item.strip(" ") for item in text.split(";") if item.strip())


TRAPS = [
    Trap.read(path.stem, line)
    for path in sorted((Path(__file__).parent / "cases" / "traps").glob("*.txt"))
    for line in path.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
CLASSES = sorted({trap.damage for trap in TRAPS})


@cache
def fixed(tier: str, unsafe: bool) -> dict[str, Fixed]:
    """Fix every trap as a document of its own."""
    documents = [unslant.read(trap.text) for trap in TRAPS]
    fixer = Fixer(SPECS[tier], unsafe=unsafe)
    return {trap.text: result for trap, result in zip(TRAPS, fixer.fix(documents), strict=True)}


def outcomes(tier: str, trap: Trap) -> Iterator[str]:
    """Yield the sentence after each edit that is offered or made, and after all of them."""
    result = fixed(tier, True)[trap.text]
    yield result.text
    for suggestion in result.edits:
        for edit in (suggestion.edit, *suggestion.alternatives):
            if edit.applicability is not Applicability.DISPLAY:
                yield suggestion.sentence_with(edit)


@pytest.mark.parametrize("tier", SPECS)
@pytest.mark.parametrize("damage", CLASSES)
def test_safe_edits_damage_nothing(damage: str, tier: str) -> None:
    found = {
        new: wrong
        for trap in TRAPS
        if trap.damage == damage
        if (wrong := list(trap.damages(new := fixed(tier, False)[trap.text].text, safe=True)))
    }
    assert not found


@pytest.mark.parametrize("tier", SPECS)
@pytest.mark.parametrize("damage", CLASSES)
def test_review_edits_damage_nothing(damage: str, tier: str) -> None:
    found = {
        new: wrong
        for trap in TRAPS
        if trap.damage == damage
        for new in outcomes(tier, trap)
        if (wrong := list(trap.damages(new)))
    }
    assert not found


def test_the_traps_hold_for_themselves() -> None:
    assert not {trap.text: wrong for trap in TRAPS if (wrong := list(trap.damages(trap.text, safe=True)))}
    assert all(trap.keep for trap in TRAPS)


def test_the_traps_cover_the_classes_and_both_sides() -> None:
    assert len(TRAPS) == len({trap.text for trap in TRAPS}) >= 700
    assert len(CLASSES) >= 20
    assert min(Counter(trap.damage for trap in TRAPS).values()) >= 15
    for damage in CLASSES:
        sides = Counter(trap.side for trap in TRAPS if trap.damage == damage)
        assert sides["L"] == sides["R"], damage
