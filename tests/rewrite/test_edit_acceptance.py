"""How likely readers accept an edit, and that the gate asks it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import unslant
from unslant.core.errors import ModelError
from unslant.core.types import Edit, Finding, Span
from unslant.rewrite.edit_acceptance import (
    EditAcceptance,
    features,
    load_acceptance,
    save_acceptance,
    shipped_acceptance,
)
from unslant.rewrite.result import Suggestion
from unslant.spec import TIERS, Spec
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edit


def suggest(text: str, words: str, new: str = "", origin: str = "edits", trust: float = 0.9) -> Suggestion:
    start = text.index(words)
    span = Span(start, start + len(words))
    bare = Edit(span.start, span.end, new, probability=trust)
    finding = Finding(span, words, "framing", "", "model", probability=0.8)
    return Suggestion(tidy_edit(text, bare), bare, origin, Span(0, len(text)), text, (finding,))


def inputs(text: str, suggestion: Suggestion) -> dict[str, float]:
    return dict(features(text, apply_edits(text, [suggestion.edit]), suggestion))


def test_features_of_a_deletion() -> None:
    text = "The council held a stunning vote."
    found = inputs(text, suggest(text, "stunning"))
    assert {"from edits", "from edits delete", "delete adjective", "delete after a", "adjective after a"} <= (
        found.keys()
    )
    assert found["finding"] == pytest.approx(math.log(4))
    assert {"out stunning", "next vote", "finding of the model"} <= found.keys()
    assert found["trust"] == pytest.approx(3.6)
    assert "unsure" not in found


def test_features_of_a_replacement_leave_out_what_only_moves() -> None:
    text = "It was an enormous crowd."
    found = inputs(text, suggest(text, "an enormous", "a large", "rules", 1.0))
    assert {"out enormous", "in large", "enormous > large", "replace after an"} <= found.keys()
    assert not {"out an", "in a"} & found.keys()


def test_probability_by_hand() -> None:
    text = "The council held a stunning vote."
    suggestion = suggest(text, "stunning")
    weights = {"bias": 1.0, "out stunning": -0.75, "unknown": 9.0}
    acceptance = EditAcceptance(weights, 0.5, 0.5, 0.5, 0.5)
    new = apply_edits(text, [suggestion.edit])
    # 1 - 0.75 * 2, as words count twice
    assert acceptance.probability(text, new, suggestion) == pytest.approx(1 / (1 + math.exp(0.5)))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The liberal mayor held a stunning vote.", "The conservative mayor held a stunning vote."),
        ("A stunning Democratic bill passed.", "A stunning Republican bill passed."),
        ("The stunning leftist won.", "The stunning rightist won."),
    ],
)
def test_both_sides_count_alike(left: str, right: str) -> None:
    first, second = (inputs(text, suggest(text, "stunning")) for text in (left, right))
    assert first.keys() == second.keys()


def test_a_saved_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    acceptance = EditAcceptance({"bias": 0.5, "out “so-called”": -1.25}, 0.8, 0.7, 0.25, 0.9, {"edits": 3})
    save_acceptance(acceptance, path)
    assert load_acceptance(path) == acceptance


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "other"}', '{"format": "unslant/edit-acceptance/1"}', '{"a": ']
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"weights\.json cannot be read"):
        load_acceptance(path)
    with pytest.raises(ModelError, match=r"missing\.json cannot be read"):
        load_acceptance(tmp_path / "missing.json")


def test_what_ships_was_fitted_on_verdicts_and_is_small() -> None:
    shipped = shipped_acceptance()
    assert shipped.about["edits"] > 2000
    sources = [shipped.least(name, model_agrees=True) for name in ("rules", "edits", "wordings")]
    assert 0 < shipped.least("rules", model_agrees=False) < sources[0] < sources[1] < sources[2] < 1
    assert len(json.dumps(dict(shipped.weights))) < 200_000


def test_a_rules_wording_is_likelier_accepted_than_a_weak_proposal() -> None:
    text = "The senator slammed the plan on Monday in the town hall of the city."
    offered = unslant.fix(text, spec=Spec(analyzers=TIERS["rules"]), unsafe=True)
    assert offered.text == text.replace("slammed", "criticized")
    new = text.replace("slammed", "said")
    acceptance = shipped_acceptance()
    weak = acceptance.probability(text, new, suggest(text, "slammed", "said", "edits", 0.56))
    ruled = acceptance.probability(text, offered.text, suggest(text, "slammed", "criticized", "rules", 1.0))
    assert weak < ruled
