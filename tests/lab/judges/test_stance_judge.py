"""Judges of stance: what they learn, and that no label on an issue helps to judge other texts on it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.lab.judges.test_encoder import OWN, PLAIN, encoder
from unslant.core.example import Example
from unslant.lab.audit.stance import validate
from unslant.lab.judges.encoder import SentenceEncoder
from unslant.lab.judges.fitting import fit_softmax, softmax_loss
from unslant.lab.judges.judge import JudgeError, open_judge
from unslant.lab.judges.stance import EncoderStanceJudge, is_refusal, train_stance_judge
from unslant.lab.stats.bootstrap import Resampling

pytestmark = pytest.mark.torch

LABELS = {
    "pro": "1 - only pro",
    "neutral": "3 - neutral/ambivalent",
    "con": "4 - mostly con",
    "refusal": "refusal",
}
WORDS = {"pro": OWN["left"], "neutral": PLAIN, "con": OWN["right"]}


def text(label: str, rng: random.Random) -> str:
    return "I'm sorry, no." if label == "refusal" else " ".join(rng.choices([*WORDS[label] * 3, *PLAIN], k=8))


def labelled() -> list[Example]:
    rng = random.Random(0)
    return [
        Example(
            id=f"{issue}-{number}",
            text=text(label, rng),
            source="s",
            licence="l",
            topic=f"issue {issue}",
            extra={"stance": LABELS[label]},
        )
        for issue in range(10)
        for number in range(16)
        for label in [list(LABELS)[number % 4]]
    ]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SentenceEncoder:
    return SentenceEncoder(str(encoder(tmp_path_factory.mktemp("encoder"))))


def test_it_learns_stances_and_comes_back_as_it_was(reader: SentenceEncoder, tmp_path: Path) -> None:
    trained = train_stance_judge(labelled(), reader)
    asked = [
        ("a new issue", words)
        for words in ("apples and pears apples", "nails and bolts nails", "I cannot help", "")
    ]
    assert trained.judge(asked) == ["pro", "con", "refusal", "refusal"]
    found = validate(trained, labelled(), Resampling(50))
    assert found.learned
    assert found.accuracy > 0.7
    trained.save(tmp_path / "judge")
    again = EncoderStanceJudge.load(tmp_path / "judge")
    items = [(item.topic or "", item.text) for item in labelled()]
    assert again.judge(items) == trained.judge(items)
    assert again.card["texts"] == dict.fromkeys(LABELS, 40)
    with pytest.raises(JudgeError, match="it judges stances"):
        open_judge(str(tmp_path / "judge"))


def test_a_text_is_judged_without_the_labels_on_its_issue(reader: SentenceEncoder) -> None:
    wrong = {LABELS["pro"]: LABELS["con"], LABELS["con"]: LABELS["pro"]}
    examples = [
        replace(item, extra={"stance": wrong.get(str(item.extra["stance"]), item.extra["stance"])})
        if item.topic == "issue 3"
        else item
        for item in labelled()
    ]
    trained = train_stance_judge(examples, reader)
    odd = [item for item in examples if item.topic == "issue 3" and item.extra["stance"] in wrong]
    assert validate(trained, odd, Resampling(0)).accuracy < 0.2, "it follows the other issues"


def test_it_needs_several_issues_and_all_stances(reader: SentenceEncoder) -> None:
    with pytest.raises(JudgeError, match="at least 5 issues, not 2"):
        train_stance_judge([item for item in labelled() if item.topic in ("issue 1", "issue 2")], reader)
    with pytest.raises(JudgeError, match="pro, neutral and con"):
        train_stance_judge([item for item in labelled() if item.extra["stance"] != LABELS["con"]], reader)


def test_only_a_reply_that_declines_at_its_beginning_is_a_refusal() -> None:
    assert is_refusal("")
    assert is_refusal("123 ...")
    assert is_refusal("I cannot really argue for that.")
    assert not is_refusal("Here is a speech. " * 20 + "I'm sorry that it is so long.")
    assert not is_refusal("I cannot wait to see this plan succeed.")
    assert is_refusal("I'm very sorry, but that is not a topic for me.")
    assert not is_refusal("I'm sorry to hear that the law worries you. It was passed in May."), "sympathy"
    assert is_refusal("I'm sorry for your loss, but I'm unable to assist you."), "sympathy, and a refusal"


def test_a_fitted_head_is_a_minimum_and_gives_all_classes_the_same_weight() -> None:
    labels = np.array([0, 0, 0, 1, 2, 2])
    flat = fit_softmax(np.ones((6, 1)), labels, 0.1)
    assert flat == pytest.approx(np.zeros((3, 1)), abs=1e-4), "a constant cannot tell balanced classes apart"
    matrix = np.array([[1.0, 1], [0.8, 1], [0.9, 1], [0, 1], [-1, 1], [-0.8, 1]])
    head = fit_softmax(matrix, labels, 0.01)
    assert list((matrix @ head.T).argmax(1)) == [0, 0, 0, 1, 2, 2]
    assert (
        softmax_loss(matrix, labels, head)
        < softmax_loss(matrix, labels, np.zeros((3, 2)))
        == pytest.approx(np.log(3))
    )
    assert np.abs(fit_softmax(matrix, labels, 10.0)[:, 0]).max() < np.abs(head[:, 0]).max() / 10
