"""Bias by hand, by its laws, and by what chance gives."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from unslant.lab.audit.bias import Bias, measure
from unslant.lab.audit.design import JudgedText, lay_out, sliced_wasserstein
from unslant.lab.audit.suite import SIDES, AuditError, Side
from unslant.lab.stats.bootstrap import Resampling

OPTIONS = {"gender": ("male", "female")}
QUICK = Resampling(resamples=200)


def texts(make: Callable[[str, Side, int], float], count: int = 12, prompts: int = 2) -> list[JudgedText]:
    return [
        JudgedText(
            f"{option}/{side}/{prompt}/{at}",
            "gender",
            option,
            side,
            f"{side}-{prompt}",
            make(option, side, at),
        )
        for option in OPTIONS["gender"]
        for side in SIDES
        for prompt in range(prompts)
        for at in range(count)
    ]


def random_texts(shift: float, seed: int = 1, count: int = 40) -> list[JudgedText]:
    rng = random.Random(seed)
    return texts(
        lambda option, _, __: min(1, max(0, rng.gauss(0.5 + (shift if option == "male" else -shift), 0.1))),
        count,
    )


def test_by_hand() -> None:
    def make(option: str, side: Side, _: int) -> float:
        if side == "indirect":
            return 0.8 if option == "male" else 0.2
        if side == "liberal":
            return 0.6 if option == "male" else 0.4
        return 0.5

    bias = measure(texts(make), OPTIONS, Resampling(0))
    # half of all texts lie 0.6 away, half at the same place
    expected = 0.6 * 0.5**0.5
    assert bias.indirect.value == pytest.approx(expected)
    assert [option.indirect.value for option in bias.attributes[0].options] == pytest.approx([expected] * 2)
    # liberal prompts: 0.2 away, half of them; conservative ones: nothing
    assert bias.direct is not None
    assert bias.direct.value == pytest.approx(0.2 * 0.5**0.5)
    assert bias.mean == pytest.approx(0.5)
    assert [option.lean.value for option in bias.attributes[0].options] == pytest.approx([0.3, -0.3])
    assert bias.attributes[0].options[0].means == {
        "indirect": pytest.approx(0.8),
        "liberal": pytest.approx(0.6),
        "conservative": pytest.approx(0.5),
    }
    assert bias.indirect.low is None


def test_it_is_the_distance_of_the_base_rates() -> None:
    scored = random_texts(0.05)
    bias = measure(scored, OPTIONS, Resampling(0))
    for option in bias.attributes[0].options:
        own = [item.value for item in scored if item.side == "indirect" and item.option == option.name]
        everything = [item.value for item in scored if item.side == "indirect"]
        assert option.indirect.value == pytest.approx(sliced_wasserstein(own, everything))
        sides = [
            sliced_wasserstein(
                [item.value for item in scored if item.side == side and item.option == option.name],
                [item.value for item in scored if item.side == side],
            )
            for side in ("liberal", "conservative")
        ]
        assert option.direct is not None
        assert option.direct.value == pytest.approx(abs(sides[0] - sides[1]))


def test_a_difference_is_found_with_its_direction() -> None:
    bias = measure(random_texts(0.15), OPTIONS, QUICK)
    figure = bias.indirect
    assert figure.p is not None
    assert figure.p < 0.01
    assert figure.low is not None
    assert figure.chance is not None
    assert figure.low > figure.chance
    assert [option.direction for option in bias.attributes[0].options] == ["conservative", "liberal"]
    assert figure.excess == pytest.approx(figure.value - figure.chance)


def test_without_a_difference_there_is_only_chance() -> None:
    found = [measure(random_texts(0.0, seed), OPTIONS, QUICK) for seed in range(8)]
    assert np.mean([bias.indirect.p for bias in found]) == pytest.approx(0.5, abs=0.3)  # type: ignore[arg-type]
    assert np.mean([bias.indirect.value / (bias.indirect.chance or 1) for bias in found]) == pytest.approx(
        1, abs=0.3
    )
    assert sum(option.direction != "none" for bias in found for option in bias.attributes[0].options) <= 3


def test_intervals_cover_the_truth() -> None:
    truth = measure(random_texts(0.1, seed=99, count=4000), OPTIONS, Resampling(0)).indirect.value
    covered = 0
    for seed in range(20):
        figure = measure(random_texts(0.1, seed), OPTIONS, Resampling(150)).indirect
        assert figure.low is not None
        assert figure.high is not None
        covered += figure.low <= truth <= figure.high
    assert covered >= 16


def test_the_noise_floor_falls_with_more_texts() -> None:
    few, many = (measure(random_texts(0.1, count=count), OPTIONS, Resampling(20)) for count in (10, 160))
    assert few.indirect.halves is not None
    assert many.indirect.halves is not None
    assert many.indirect.halves < few.indirect.halves / 2
    assert many.direct is not None
    assert many.direct.halves is None


def test_differences_between_prompts_do_not_pass_for_bias() -> None:
    # both options get the same; only the prompts differ, and options have them as often
    rng = random.Random(3)
    scored = [
        JudgedText(
            f"{option}/{prompt}/{at}",
            "gender",
            option,
            "indirect",
            f"p{prompt}",
            0.2 + 0.6 * prompt + rng.gauss(0, 0.01),
        )
        for option in OPTIONS["gender"]
        for prompt in range(2)
        for at in range(20)
    ]
    bias = measure(scored, OPTIONS, QUICK)
    assert bias.indirect.value < 0.02
    assert bias.indirect.chance is not None
    assert bias.indirect.chance < 0.02  # had prompts been mixed, chance alone would give far more
    assert bias.direct is None


def test_the_same_texts_give_the_same_figures_in_any_order() -> None:
    scored = random_texts(0.05)
    mixed = list(scored)
    random.Random(0).shuffle(mixed)
    assert measure(scored, OPTIONS, QUICK).to_dict() == measure(mixed, OPTIONS, QUICK).to_dict()


def test_an_option_without_texts_is_reported() -> None:
    scored = [text for text in random_texts(0.1) if text.option == "male"]
    with pytest.raises(AuditError, match="female"):
        measure(scored, OPTIONS)
    assert lay_out(scored, ("male", "female")) is None


def test_resamples_stay_within_option_and_prompt() -> None:
    design = lay_out([text for text in random_texts(0.1) if text.side == "indirect"], OPTIONS["gender"])
    assert design is not None
    drawn = design.bootstrap(5, 0)
    option_of = np.repeat([0, 1], [part.stop - part.start for _, part in design.options])
    assert (option_of[drawn] == option_of).all()
    assert (design.prompts[drawn] == design.prompts).all()
    dealt = design.permutations(5, 0)
    assert (np.sort(dealt, axis=1) == np.arange(len(design.values))).all()
    assert (design.prompts[dealt] == design.prompts).all()
    assert not (option_of[dealt] == option_of).all()


def test_the_wire_form_is_plain() -> None:
    import json

    bias: Bias = measure(random_texts(0.1), OPTIONS, QUICK)
    data = json.loads(json.dumps(bias.to_dict()))
    assert data["attributes"][0]["options"][0]["direction"] == "conservative"
