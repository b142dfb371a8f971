"""The classifier that guides mode 2: learning, keeping, refusing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.lab.lm.tiny import model
from unslant.core.errors import ConfigError, ModelError
from unslant.core.example import Example
from unslant.core.generation import Sampling
from unslant.lab.debias.debiaser import load_debiaser, save_debiaser
from unslant.lab.debias.guide import ClassifierGain, FastGuide
from unslant.lab.debias.settings import DebiasSettings
from unslant.lab.debias.train_debiaser import DebiaserTraining, train_debiaser

from .made import counterpart, debiaser

pytestmark = pytest.mark.torch

OWN = {"left": ["union", "nurse", "school"], "right": ["border", "church", "tax"]}
SMALL = DebiaserTraining(articles=190, epochs=30, patience=8, directions=16, rate=3e-3, batch=64)


def articles(outlets: int = 8) -> list[Example]:
    rng = random.Random(0)
    return [
        Example(
            id=f"{side}-{outlet}-{number}",
            text=" ".join(rng.choice([*words, "the", "a", "said", "road", "town"]) for _ in range(24)),
            source="made",
            licence="none",
            outlet=f"{side} gazette {outlet}",
            leaning=side,
        )
        for side, words in OWN.items()
        for outlet in range(outlets)
        for number in range(12)
    ]


def test_it_learns_to_tell_outlets_apart_that_it_never_saw() -> None:
    trained, about = train_debiaser(model("gpt2", batch=16), articles(), SMALL)
    assert about["held_out"]["article_accuracy"] > 0.7
    assert not set(about["outlets"]) & set(about["held_out_outlets"])
    assert trained.weight.shape == (64, 32)
    assert trained.out_weight.shape == (2, 64)


def test_it_learns_from_a_teacher_that_has_not_seen_the_outlets_kept_apart() -> None:
    given: set[str] = set()

    def teach(examples: Sequence[Example]) -> Callable[[Sequence[str]], list[float | None]]:
        given.update(str(example.outlet) for example in examples)

        def share(text: str) -> float | None:
            left, right = (sum(word in OWN[side] for word in text.split()) for side in ("left", "right"))
            return (1 + right) / (2 + left + right) if left + right else None

        return lambda texts: [share(text) for text in texts]

    taught, about = train_debiaser(model("gpt2", batch=16), articles(), SMALL, teach=teach)
    assert about["taught_by"] == "a teacher of words"
    assert given == set(about["outlets"]), "and not one of the others"
    assert about["held_out"]["agreement"] > 0.3
    assert about["held_out"]["article_accuracy"] > 0.7
    assert taught.weight.shape == (64, 32)


def test_no_more_is_read_than_the_directions_requested() -> None:
    narrow = DebiaserTraining(articles=190, epochs=2, directions=3, inner=8)
    trained, _ = train_debiaser(model("gpt2", batch=16), articles(), narrow)
    assert int(torch.linalg.matrix_rank(trained.weight, atol=1e-4)) == 3


def test_always_naming_one_side_is_no_knowledge() -> None:
    from unslant.lab.debias.train_debiaser import _accuracies, _Article

    always_left = replace(debiaser(4), out_weight=torch.zeros(2, 4), out_bias=torch.tensor([1.0, 0.0]))
    articles = [_Article("", side, "gazette", True) for side in (0, 0, 0, 1)]
    states = [torch.ones(3, 4) for _ in articles]
    assert _accuracies(always_left, articles, states, range(4)) == {
        "token_accuracy": 0.5,
        "article_accuracy": 0.5,
    }


def test_what_is_kept_apart_has_a_fifth_of_the_articles_however_small_its_outlets() -> None:
    from unslant.lab.debias.train_debiaser import _choose_held_out

    (first, *_) = articles()
    guests = {f"guest {number}": [first] * 2 for number in range(30)}
    outlets = {**guests, "large": [first] * 200, "middle": [first] * 90, "small": [first] * 50}
    held = _choose_held_out(outlets, 100)
    kept = sum(min(100, len(outlets[name])) for name in held)
    assert "large" not in held
    assert 60 <= kept <= 60 + 90, "a fifth of 300, and no more than the last outlet brings"


def test_a_large_outlet_does_not_come_before_the_others() -> None:
    many = [
        replace(article, id=f"{article.id}-{copy}")
        for article in articles()
        for copy in range(40 if str(article.outlet).endswith("0") else 1)
    ]
    some = replace(SMALL, articles=60, epochs=1, per_outlet=24)
    _, about = train_debiaser(model("gpt2", batch=16), many, some)
    assert 6 <= about["held_out_articles"] <= 20


def test_learning_is_repeatable() -> None:
    first, second = (train_debiaser(model("llama"), articles(), SMALL)[0] for _ in range(2))
    assert torch.equal(first.weight, second.weight)


def test_too_few_outlets_are_an_error() -> None:
    with pytest.raises(ConfigError, match="too few outlets"):
        train_debiaser(model(), articles(outlets=1), SMALL)


def test_the_gradient_of_the_odds_is_the_automatic_one() -> None:
    guide = debiaser(16)
    hidden = torch.randn(5, 16, generator=torch.Generator().manual_seed(2)).requires_grad_()
    logits = guide.logits(hidden)
    (logits[:, 1] - logits[:, 0]).sum().backward()
    value, gradient = guide.margin(hidden.detach())
    assert torch.allclose(value, (logits[:, 1] - logits[:, 0]).detach(), atol=1e-6)
    assert hidden.grad is not None
    assert torch.allclose(gradient, hidden.grad, atol=1e-6)


def test_a_way_to_the_other_side_comes_back_too(tmp_path: Path) -> None:
    way = counterpart()
    save_debiaser(replace(debiaser(), counterpart=way), tmp_path, {"model_digest": "abc"})
    found = load_debiaser(tmp_path, "abc").counterpart
    assert found is not None
    assert all(torch.equal(one, other) for one, other in zip(found.tensors, way.tensors, strict=True))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    save_debiaser(debiaser(), tmp_path, {"model": "tiny", "model_digest": "abc"})
    return tmp_path


def test_a_folder_comes_back_as_it_was(kept: Path) -> None:
    found = load_debiaser(kept, "abc")
    assert found.counterpart is None
    assert torch.equal(found.weight, debiaser().weight)
    assert torch.equal(found.out_bias, debiaser().out_bias)
    assert found.card["model"] == "tiny"


def test_another_models_debiaser_is_refused(kept: Path) -> None:
    with pytest.raises(ModelError, match=r"another model or precision \(tiny, float32\)"):
        load_debiaser(kept, "xyz")


def test_damage_is_noticed(kept: Path, tmp_path: Path) -> None:
    content = bytearray((kept / "debiaser.safetensors").read_bytes())
    content[-1] ^= 1
    (kept / "debiaser.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="do not match the card"):
        load_debiaser(kept, "abc")
    with pytest.raises(ModelError, match="no debiaser found"):
        load_debiaser(tmp_path / "none", "abc")


def test_a_card_that_matches_rubbish_is_refused_too(kept: Path) -> None:
    import hashlib

    (kept / "debiaser.safetensors").write_bytes(b"rubbish")
    card: dict[str, Any] = json.loads((kept / "debiaser.json").read_text())
    card["sha256"] = hashlib.sha256(b"rubbish").hexdigest()
    (kept / "debiaser.json").write_text(json.dumps(card))
    with pytest.raises(ModelError, match="cannot be read"):
        load_debiaser(kept, "abc")


def test_what_a_model_wrote_is_read_after_its_prompt() -> None:
    rng = random.Random(0)
    words = {"left": "union", "right": "border"}
    told = [
        Example(
            id=f"{side}-{town}-{number}",
            text=f"the {word} {town} "
            + " ".join(rng.choice(["a", "said", "road", "town"]) for _ in range(12)),
            source="made",
            licence="none",
            outlet=f"{word} {town}",
            leaning=side,
            extra={"prompt": f"the {word} {town}"},
        )
        for side, word in words.items()
        for town in ("river", "street", "bridge", "hill")
        for number in range(24)
    ]
    _, about = train_debiaser(model("gpt2", batch=16), told, SMALL)
    assert about["held_out"]["article_accuracy"] > 0.9, "the prompt tells the side"
    _, about = train_debiaser(
        model("gpt2", batch=16), [replace(example, extra={}) for example in told], SMALL
    )
    assert about["held_out"]["article_accuracy"] < 0.8, "names of outlets are left out of articles"


def test_texts_after_prompts_of_both_sides_show_the_way_between_them() -> None:
    rng, tiny = random.Random(0), model("gpt2", batch=16)
    words = {"left": ("union", "border"), "right": ("border", "union")}
    told = [
        Example(
            id=f"{side}-{number}",
            text=f"the {own} " + " ".join(rng.choice(["a", "said", "road", "town"]) for _ in range(12)),
            source="made",
            licence="none",
            outlet=f"{side} {number % 5}",
            leaning=side,
            extra={"prompt": f"the {own}", "other_prompt": f"the {other}"},
        )
        for side, (own, other) in words.items()
        for number in range(60)
    ]
    trained, about = train_debiaser(tiny, told, replace(SMALL, stride=1))
    assert about["held_out"]["token_accuracy"] > 0.8
    assert about["held_out"]["way_explained"] > 0.5

    def between(strength: float) -> float:
        """How far the policies after the two prompts are apart, in total variation."""
        state = tiny.prefill(["the union a road", "the border a road"])
        settings = DebiasSettings("classifier", strength=strength, rate=0.05, target=1.0)
        guide = FastGuide(
            tiny.head.weight.detach(), ClassifierGain(trained), settings, [1, 2], Sampling(max_tokens=2)
        )
        one, other = guide.logits(state).softmax(1)
        return float((one - other).abs().sum() / 2)

    assert between(10.0) < between(0.0) / 2
