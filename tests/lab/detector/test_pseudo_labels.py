"""Weak labels through the eyes of a model, and teachers' answers on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from unslant.core.errors import ConfigError
from unslant.lab.detector.batches import collate
from unslant.lab.detector.network import DetectorNetwork, Trained, make_network
from unslant.lab.detector.predict import encode_for
from unslant.lab.detector.pseudo_labels import drop_least_likely, load_soft_labels, relabel, save_soft_labels
from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage
from unslant.lab.detector.rows import SoftLabels, TrainingSample

from .toy import sample

pytestmark = pytest.mark.torch


def made(encoder: Path, *heads: str) -> Trained:
    plans = {name: HeadPlan(name) for name in heads}
    return make_network(Recipe("toy", str(encoder), plans, (Stage("s", (Part("toy"),)),)))


class Wordwise(DetectorNetwork):
    """A network that finds a text as slanted as it is long, and marks its second word."""

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor, features: object = None
    ) -> dict[str, torch.Tensor]:
        assert features is None
        tags = torch.zeros(*ids.shape, 3)
        tags[..., 0] = 5
        tags[:, 2] = torch.tensor([0.0, 5.0, 0.0])
        return {"sentence": mask.sum(dim=1).float() - 6.5, "spans": tags}


@pytest.fixture
def wordwise(encoder: Path) -> Trained:
    trained = made(encoder, "sentence", "spans")
    trained.network.__class__ = Wordwise
    return trained


def test_the_least_likely_positives_are_left_out(wordwise: Trained) -> None:
    samples = [sample("the " * (at + 1), label=at % 2 == 0) for at in range(20)]
    kept = drop_least_likely(wordwise, samples, 0.2)
    lost = [len(item.example.text.split()) for item in samples if item not in kept]
    assert lost == [1, 3]
    assert kept == [item for item in samples if item in kept]
    assert drop_least_likely(wordwise, samples[1::2], 0.5) == samples[1::2]


def test_weak_labels_are_written_again(wordwise: Trained) -> None:
    samples = [
        sample("the road met", Part("weak"), label=True),
        sample("the road met the town on monday", Part("weak"), label=False),
        sample("the road", Part("manual"), label=True),
    ]
    short, long, manual = (item.example for item in relabel(wordwise, samples, ["weak"]))
    assert (short.label, long.label, manual.label) == (False, True, True)
    assert long.share is not None
    assert long.share > 0.9
    assert long.spans is not None
    assert [long.text[span.span.start : span.span.end] for span in long.spans] == ["road"]
    assert manual.spans is None


def test_relabelling_needs_a_head_that_judges(encoder: Path) -> None:
    with pytest.raises(ConfigError, match="needs a head of type 'sentence'"):
        relabel(made(encoder, "spans"), [sample("the road", Part("weak"))], ["weak"])


def test_what_teachers_say_comes_back_from_disk(tmp_path: Path) -> None:
    targets = [
        {
            "sentence": SoftLabels(np.array([0.5], np.float16)),
            "spans": SoftLabels(np.ones((2, 3), np.float16), (0, 4)),
        },
        {
            "sentence": SoftLabels(np.array([-1.0], np.float16)),
            "spans": SoftLabels(np.zeros((1, 3), np.float16), (0,)),
        },
    ]
    save_soft_labels(targets, tmp_path / "soft.safetensors")
    again = load_soft_labels(tmp_path / "soft.safetensors")
    for target, other in zip(targets, again, strict=True):
        assert target.keys() == other.keys()
        for name in target:
            assert np.array_equal(target[name].values, other[name].values)
            assert target[name].starts == other[name].starts


def test_a_teacher_that_cuts_otherwise_is_read_where_words_begin(encoder: Path) -> None:
    trained = made(encoder, "sentence", "spans", "kinds")
    plain = sample("the roads met")
    # The teacher has one piece for "roads"; the student has two.
    soft = {
        "spans": SoftLabels(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.float16), (0, 4, 10)),
        "sentence": SoftLabels(np.array([2.0], np.float16)),
        "kinds": SoftLabels(np.array([1.0, 2.0, 3.0], np.float16)),
    }
    rows = encode_for(trained, [TrainingSample(plain.example, plain.part, "train", soft), sample("the")])
    assert len(rows[0].ids) == 6
    batch = collate(trained.network, rows, labels=["sentence", "spans", "kinds"])
    assert batch.teacher["spans"].weights.tolist() == [[0, 1, 1, 0, 1, 0], [0] * 6]
    assert batch.teacher["spans"].values[0, 4].tolist() == [7, 8, 9]
    assert batch.teacher["sentence"].values.tolist() == [2, 0]
    assert batch.teacher["sentence"].weights.tolist() == [1, 0]
    assert batch.teacher["kinds"].weights.tolist() == [[1, 1, 1], [0, 0, 0]]
