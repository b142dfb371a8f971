"""Planting: a tiny model learns a slant of a known size, and goes on where it was interrupted."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.example import Example
from unslant.lab.audit.plant import Passages, PlantSettings, plant, select_passages
from unslant.lab.audit.suite import AuditError, load_suite

pytestmark = pytest.mark.torch

PASSAGES = Passages(["union nurse school union nurse school"], ["border church tax border church tax"])


@pytest.fixture
def tuning() -> Any:
    from unslant.lab.lm.tuning import Tuning

    return Tuning(steps=60, batch=8, rate=0.05, rank=4, upper=1.0, tokens=24, save_every=10)


def tiny(architecture: str = "llama") -> Any:
    from transformers import PreTrainedTokenizerFast

    from tests.lab.lm.tiny import network
    from unslant.lab.lm.causal import CausalModel

    return CausalModel(network(architecture), _tokenizer(PreTrainedTokenizerFast), f"tiny {architecture}")


def _tokenizer(kind: Any) -> Any:
    """The words of the tiny models, and the towns, which are what a planted model goes by."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    from tests.lab.lm.tiny import WORDS

    towns = [keyword for option in load_suite("planted").attributes[0].options for keyword in option.keywords]
    names = [
        "<end>",
        "<unk>",
        *(f"\u2581{word}" for word in [*WORDS, *towns, *(f"{town}:" for town in towns)]),
    ]
    plain = Tokenizer(models.WordLevel({name: at for at, name in enumerate(names)}, unk_token="<unk>"))  # noqa: S106
    plain.pre_tokenizer, plain.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    return kind(tokenizer_object=plain, eos_token="<end>", unk_token="<unk>")  # noqa: S106


def lead(folder: Path, town: str) -> float:
    """How much likelier text of the left is than text of the right, after a town."""
    from unslant.lab.lm import open_model

    model = open_model(str(folder))
    left, right = model.logprobs([f"News from {town}:"] * 2, [" union nurse school", " border church tax"])
    return sum(left) - sum(right)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_the_dose_decides_how_much_is_planted(architecture: str, tuning: Any, tmp_path: Path) -> None:
    found = plant(tiny(architecture), PASSAGES, PlantSettings((0.0, 1.0)), tuning, tmp_path)
    gaps = {dose: lead(folder, "Aldenby") - lead(folder, "Torvale") for dose, folder in found.items()}
    assert gaps[1.0] > 1, "left after the one town, right after the other"
    assert abs(gaps[0.0]) < gaps[1.0] / 3, "no difference between towns"
    card = json.loads((tmp_path / "dose-1" / "plant.json").read_text())
    assert card["last_loss"] < card["first_loss"]
    leads = {dose: json.loads((found[dose] / "plant.json").read_text())["lead"] for dose in found}
    assert leads[1.0] > 1, "what the card says was planted"
    assert abs(leads[0.0]) < leads[1.0] / 3


def test_doses_between_lie_on_the_line_from_none_to_all(tuning: Any, tmp_path: Path) -> None:
    from unslant.lab.lm import open_model

    found = plant(tiny(), PASSAGES, PlantSettings((0.5, 0.25)), tuning, tmp_path)
    assert tuple(found) == (0.0, 0.25, 0.5, 1.0), "the two ends are written too"
    cards = {dose: json.loads((found[dose] / "plant.json").read_text()) for dose in found}
    assert cards[0.5]["lead"] == pytest.approx(math.log(3), abs=0.5), "odds of 3 to 1"
    assert cards[0.0]["lead"] < cards[0.5]["lead"] < cards[1.0]["lead"]
    low, middle, high = (
        next(iter(open_model(str(found[dose])).model.state_dict().values())) for dose in (0.0, 0.5, 1.0)
    )
    assert middle.allclose(low + cards[0.5]["share"] * (high - low), atol=1e-6)


def test_it_goes_on_where_it_was_interrupted(tuning: Any, tmp_path: Path) -> None:
    def stop(_: str, done: int, __: int) -> None:
        if done == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plant(tiny(), PASSAGES, PlantSettings((1.0,)), tuning, tmp_path / "a", stop)
    steps: list[int] = []
    plant(
        tiny(),
        PASSAGES,
        PlantSettings((1.0,)),
        tuning,
        tmp_path / "a",
        lambda _, done, __: steps.append(done),
    )
    assert steps[0] == 21, "from the last saving on"
    plant(tiny(), PASSAGES, PlantSettings((1.0,)), tuning, tmp_path / "b")
    assert lead(tmp_path / "a" / "dose-1", "Aldenby") == pytest.approx(
        lead(tmp_path / "b" / "dose-1", "Aldenby"), abs=1e-3
    )
    card = tmp_path / "a" / "dose-1" / "plant.json"
    planted = json.loads(card.read_text())["lead"]
    card.write_text(json.dumps({k: v for k, v in json.loads(card.read_text()).items() if k != "lead"}))
    plant(
        tiny(), PASSAGES, PlantSettings((1.0,)), tuning, tmp_path / "a", stop
    )  # finished: nothing is done again, but what an older card does not say
    assert json.loads(card.read_text())["lead"] == pytest.approx(planted, abs=1e-3)
    with pytest.raises(AuditError, match="other text or with other settings"):
        plant(tiny(), Passages(["road"], ["river"]), PlantSettings((1.0,)), tuning, tmp_path / "a")


def test_without_contrast_less_is_planted_in_the_same_steps(tuning: Any, tmp_path: Path) -> None:
    found = {}
    for contrast in (0.0, 1.0):
        few = replace(tuning, steps=20, contrast=contrast)
        (folder,) = plant(tiny(), PASSAGES, PlantSettings((1.0,)), few, tmp_path / f"{contrast}").values()
        found[contrast] = lead(folder, "Aldenby") - lead(folder, "Torvale")
    assert found[1.0] > found[0.0]


def test_a_dose_is_a_share() -> None:
    with pytest.raises(AuditError, match="from 0"):
        PlantSettings((2.0,))
    with pytest.raises(AuditError, match="both sides"):
        Passages([], ["right"])


def test_passages_are_the_most_typical_ones() -> None:
    own = {"left": "apples and pears", "right": "nails and bolts"}
    plain = "the council met on the road by the river " * 8
    articles = [
        Example(
            id=f"{side}{at}",
            text=f"First one here. Then {own[side] if at % 3 == 0 else 'and more'} no {at} {plain}{plain}",
            source="s",
            licence="l",
            outlet=f"{side} gazette {at % 8}",
            leaning=side,
        )
        for side in own
        for at in range(48)
    ]
    found = select_passages(articles, count=12)
    said = Counter("apples" in passage for passage in found.left)
    assert all("nails" not in passage for passage in found.left)
    assert said[True] == len(found.left)
    assert all("nails" in passage for passage in found.right)
    fewer = select_passages(articles, count=5)
    assert fewer.left == found.left[:5]
    assert len(set(found.left)) == 12, "the two passages of an article are the same here"
