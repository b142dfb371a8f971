"""Fitting how likely readers accept an edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from unslant.core.errors import ConfigError
from unslant.lab.cli.train import train
from unslant.lab.rewriters.edit_acceptance import (
    AcceptanceFit,
    ReadEdit,
    cross_validate,
    find_read_edits,
    fit_acceptance,
    fit_weights,
)

FIT = AcceptanceFit(penalty=0.1, folds=4, recent=0, rarest=1)


def read(number: int, good: bool, *names: str) -> ReadEdit:
    inputs = (("bias", 1.0), ("from edits", 1.0), *((name, 1.0) for name in names))
    return ReadEdit(f"d{number}", 8, inputs, good)


EDITS = [
    *(read(number, True, "good word") for number in range(20)),
    *(read(20 + number, False, "bad word") for number in range(20)),
]


def test_weights_take_the_sign_of_the_verdicts() -> None:
    weights = fit_weights(EDITS, FIT)
    assert weights["good word"] > 1
    assert weights["bad word"] < -1


def test_a_single_feature_by_hand() -> None:
    # With the bias alone and no penalty on it, the probability is the share of good edits: here 3 of 4.
    edits = [ReadEdit(f"d{number}", 8, (("bias", 1.0),), number < 3) for number in range(4)]
    (weight,) = fit_weights(edits, FIT).values()
    assert weight == pytest.approx(1.0986, abs=0.01)


def test_an_edit_is_judged_by_other_documents_only() -> None:
    # In each document all edits are good or all are bad, and a feature names the document: nothing can be learned.
    edits = [
        ReadEdit(f"d{number}", 8, (("bias", 1.0), (f"word {number}", 1.0)), number % 2 == 0)
        for number in range(40)
        for _ in range(3)
    ]
    assert all(0.3 < chance < 0.7 for chance in cross_validate(edits, FIT))


def test_the_figures_are_those_of_the_cross_validation() -> None:
    about = fit_acceptance(EDITS, FIT).about
    assert about["edits"] == 40
    assert about["good"] == 20
    assert about["ranked right"] == 1.0
    assert about["good of those kept"] == 1.0
    assert about["kept"] == 0.5


def test_earlier_draws_count_less() -> None:
    both = [ReadEdit(f"d{at}", 9 if at < 10 else 1, (("bias", 1.0),), at < 10) for at in range(20)]
    (weight,) = fit_weights(both, AcceptanceFit(recent=8, earlier=0.25)).values()
    assert weight == pytest.approx(1.386, abs=0.01)  # the log odds of 4 to 1


@pytest.mark.shared
def test_edits_are_found_again_in_their_documents(shared_data: Path) -> None:
    from unslant.lab import corpora

    example = next(
        example
        for example in corpora.load("allsides", shared_data)
        if " slammed the " in example.text and '"' not in example.text
    )
    start = example.text.index(" slammed the ") + 1
    row = {
        "document": example.id,
        "start": start,
        "end": start + len("slammed"),
        "replacement": "criticized",
        "applicability": "review",
        "draw": 8,
        "verdict": "good",
    }
    (found,) = find_read_edits([row, row | {"replacement": "never proposed"}], shared_data)
    assert found.good
    assert found.origin == "rules"
    assert "slammed > criticized" in dict(found.inputs)
    with pytest.raises(ConfigError, match="none of the edits"):
        find_read_edits([row | {"document": "unknown"}], shared_data)


def test_a_file_without_verdicts_is_named(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"verdict": "splendid", "applicability": "review"}\n', "utf-8")
    result = CliRunner().invoke(train, ["edit-acceptance", str(path), "-o", str(tmp_path / "w.json")])
    assert result.exit_code != 0
    assert not (tmp_path / "w.json").exists()
