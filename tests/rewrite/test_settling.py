"""All edits of a text together: those that would not come to rest are held back, the others made."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import unslant
from unslant import registry
from unslant.core.types import Analysis, Proposal, Sentence
from unslant.spec import Spec


class Insists:
    """An edit model that would leave out one word, and then another."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        found = []
        for sentence in sentences:
            text, base = sentence.text, sentence.span.start
            word = "hit " if "hit " in text else "odd " if "town" in text else ""
            at = text.find(word) if word else -1
            proposal = (Proposal(base + at, base + at + len(word), "", 0.9),) if at >= 0 else ()
            found.append(Analysis(probability=0.2, proposals=proposal))
        return found


RESTLESS = "The hit show in the odd town opened last year by the river."
"""Without *hit*, *odd* would go next."""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (RESTLESS, RESTLESS),
        (f"The legendary singer came to it late. {RESTLESS}", f"The singer came to it late. {RESTLESS}"),
        (f"{RESTLESS} The legendary singer came to it late.", f"{RESTLESS} The singer came to it late."),
        (
            f"The legendary singer sang there then. {RESTLESS} Unfortunately, the plan to go there failed.",
            f"The singer sang there then. {RESTLESS} The plan to go there failed.",
        ),
        (f"{RESTLESS} The hit show came to it late.", f"{RESTLESS} The show came to it late."),
    ],
)
def test_a_sentence_that_does_not_come_to_rest_keeps_no_other_from_being_fixed(
    monkeypatch: pytest.MonkeyPatch, text: str, after: str
) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "insists", f"{__name__}:Insists")
    spec = Spec(analyzers=("rules", "insists"))
    fixed = unslant.fix(text, spec=spec)
    assert fixed.text == after
    assert "again" in {one.gate.name for one in fixed.edits if not one.applied}
    assert unslant.fix(after, spec=spec).text == after
