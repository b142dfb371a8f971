"""All edits of a text together: those that would not converge are held back, the others made."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import unslant
from unslant import registry
from unslant.core.types import Analysis, Applicability, Edit, Sentence
from unslant.spec import Spec

pytestmark = pytest.mark.usefixtures("trusting")


class Insists:
    """An edit model that would leave out one word, and then cannot decide between two others."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        found = []
        for sentence in sentences:
            text, base = sentence.text, sentence.span.start
            swapped = ("red", "blue") if "red" in text else ("blue", "red")
            word, put = ("hit ", "") if "hit " in text else swapped
            at = text.find(word)
            proposal = (Edit(base + at, base + at + len(word), put, probability=0.9),) if at >= 0 else ()
            found.append(Analysis(probability=0.2, proposals=proposal))
        return found


UNSTABLE = "The hit show in the red town opened last year by the river."
"""Without *hit*, *red* would become *blue*, and *blue* *red*."""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (UNSTABLE, UNSTABLE),
        (f"The legendary singer came to it late. {UNSTABLE}", f"The singer came to it late. {UNSTABLE}"),
        (f"{UNSTABLE} The legendary singer came to it late.", f"{UNSTABLE} The singer came to it late."),
        (
            f"The legendary singer sang there then. {UNSTABLE} Unfortunately, the plan to go there failed.",
            f"The singer sang there then. {UNSTABLE} The plan to go there failed.",
        ),
        (f"{UNSTABLE} The hit show came to it late.", f"{UNSTABLE} The show came to it late."),
    ],
)
def test_a_sentence_that_does_not_converge_keeps_no_other_from_being_fixed(
    monkeypatch: pytest.MonkeyPatch, text: str, after: str
) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "insists", f"{__name__}:Insists")
    spec = Spec(analyzers=("rules", "insists"))
    fixed = unslant.fix(text, spec=spec)
    assert fixed.text == after
    assert "again" in {suggestion.gate.name for suggestion in fixed.edits if not suggestion.applied}
    assert unslant.fix(after, spec=spec).text == after


class OneByOne:
    """An edit model that would leave out one word, and then another."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        found = []
        for sentence in sentences:
            text, base = sentence.text, sentence.span.start
            word = next((item for item in ("hit ", "odd ", "Sadly, ", "badly ") if item in text), "")
            at = base + text.find(word)
            proposal = (Edit(at, at + len(word), "", probability=0.9),) if word else ()
            found.append(Analysis(probability=0.2, proposals=proposal))
        return found


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "The hit show in the odd town opened in the old hall by the river.",
            "The show in the town opened in the old hall by the river.",
        ),
        (
            "The odd town saw a hit show in the old hall by the river.",
            "The town saw a show in the old hall by the river.",
        ),
        # an edit beside another, and one that changes a capital
        ("A hit odd show came to the old hall by the river.", "A show came to the old hall by the river."),
        (
            "Sadly, the hit show in the old hall by the river was long.",
            "The show in the old hall by the river was long.",
        ),
        # four of them are more than follow from one
        (
            "Sadly, the hit show in the odd town was badly run by the river of all the old mills there.",
            "Sadly, the hit show in the odd town was badly run by the river of all the old mills there.",
        ),
    ],
)
def test_what_follows_from_an_edit_is_made_with_it(
    monkeypatch: pytest.MonkeyPatch, text: str, after: str
) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "one-by-one", f"{__name__}:OneByOne")
    spec = Spec(analyzers=("one-by-one",))
    other = "It was a hit song."
    fixed = unslant.fix(f"{text} {other}", spec=spec)
    assert fixed.text == f"{after} It was a song."
    assert unslant.fix(fixed.text, spec=spec).text == fixed.text
    made = [suggestion for suggestion in fixed.edits if suggestion.applied]
    assert {item.edit.applicability for item in made} == {Applicability.SAFE}
    assert all(fixed.document.source[item.edit.span.start : item.edit.span.end] for item in made)


class Unstable:
    """An analyzer whose edit model leaves out *hit*, and cannot decide between two words for the same thing."""

    def __init__(self, spec: Spec) -> None:
        """Need nothing."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        found = []
        for sentence in sentences:
            base = sentence.span.start
            sure = [
                Edit(base + at, base + at + len(word), put, probability=chance)
                for word, put, chance in (("hit ", "", 0.9), ("red", "blue", 0.6), ("blue", "red", 0.6))
                if (at := sentence.text.find(word)) >= 0
            ]
            found.append(Analysis(proposals=tuple(sure)))
        return found


def test_edits_that_do_not_converge_do_not_take_the_safe_ones_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "unstable", f"{__name__}:Unstable")
    spec = Spec(analyzers=("unstable",))
    text = "The hit show in the red old hall by the river opened on Monday evening. A hit song was heard."
    safe = "The show in the red old hall by the river opened on Monday evening. A song was heard."
    assert unslant.fix(text, spec=spec).text == safe
    unsafe = unslant.fix(text, spec=spec, unsafe=True)
    assert unsafe.text == safe
    assert {suggestion.edit.applicability for suggestion in unsafe.edits if suggestion.applied} == {
        Applicability.SAFE
    }
    assert unslant.fix(unsafe.text, spec=spec, unsafe=True).text == safe
