"""The loss of tuning, against one that is worked out from the model's probabilities."""

from __future__ import annotations

from math import exp, log1p

import pytest

from tests.lab.audit.test_plant import tiny

pytestmark = pytest.mark.torch


def test_the_loss_is_the_mean_of_the_tokens_and_both_contrasts() -> None:
    from unslant.lab.lm.tuning import Tuning, TuningExample, _loss

    model, tuning = tiny(), Tuning(tokens=24, contrast=2.0)
    prompt, other, text, wrong = "the town will", "a judge will", " new road now", " new river and"

    def logs(before: str, after: str) -> list[float]:
        return model.logprobs([before], [after])[0]

    own = logs(prompt, text)
    plain = -sum(own) / len(own)

    def loss(**given: str) -> float:
        return _loss(model, [TuningExample(prompt, text, **given)], tuning).item()  # type: ignore[arg-type]

    assert loss() == pytest.approx(plain, abs=1e-4)
    less = sum(logs(other, text)) - sum(own)
    assert loss(other=other) == pytest.approx(plain + 2 * log1p(exp(less)), abs=1e-4)
    choice = logs(prompt, wrong)[1] - own[1]
    assert loss(instead=wrong) == pytest.approx(plain + 2 * log1p(exp(choice)), abs=1e-4), "where they part"
    assert loss(instead=text) == pytest.approx(plain, abs=1e-4), "they never part"


def test_a_batch_is_the_mean_of_its_examples() -> None:
    from unslant.lab.lm.tuning import Tuning, TuningExample, _loss

    model, tuning = tiny(), Tuning(tokens=24)
    batch = [
        TuningExample("the town will", " new road", instead=" old road"),
        TuningExample("no council in the town will", " old tax", instead=" new tax"),
    ]
    alone = [_loss(model, [item], tuning).item() for item in batch]
    assert _loss(model, batch, tuning).item() == pytest.approx(sum(alone) / 2, abs=1e-4)
