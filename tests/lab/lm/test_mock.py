"""The mock, and names that need no extra."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from unslant.core.generation import Sampling
from unslant.lab.lm import open_model
from unslant.protocols import LanguageModel, OpenLanguageModel


def test_the_same_question_gets_the_same_answer() -> None:
    model = open_model("mock:one")
    assert isinstance(model, LanguageModel)
    assert not isinstance(model, OpenLanguageModel)
    sampling = Sampling(max_tokens=9)
    found = model.generate(["a", "b", "a"], [1, 1, 2], sampling)
    assert [len(item.text.replace(".", " .").split()) for item in found] == [9, 9, 9]
    assert len({item.text for item in found}) == 3
    assert model.generate(["b"], [1], sampling) == found[1:2]
    assert open_model("mock:two").generate(["a"], [1], sampling)[0].text != found[0].text
    assert open_model("mock:one").digest() == model.digest() != open_model("mock:two").digest()


def test_it_knows_temperature_and_stops() -> None:
    model = open_model("mock:")
    first, second = model.generate(["a", "a"], [1, 2], Sampling(temperature=0))
    assert first.text == second.text
    word = first.text.split()[4]
    (stopped,) = model.generate(["a"], [1], Sampling(temperature=0, stop=(word,)))
    assert stopped.reason == "stop"
    assert word not in stopped.text
    (both,) = model.generate(["a"], [1], Sampling(temperature=0, stop=(first.text[9:12], first.text[4:12])))
    assert both.text == first.text[:4]


def test_scores_are_log_probabilities_that_depend_on_the_prompt() -> None:
    model = open_model("mock:")
    first, same, other = model.logprobs(["a", "a", "b"], ["yes it is"] * 3)
    assert len(first) == 3
    assert all(score < 0 for score in first)
    assert first == same != other


def test_no_extra_is_loaded_for_it() -> None:
    code = (
        "import sys, unslant.lab.lm; unslant.lab.lm.open_model('mock:'); "
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    source = Path(__file__).parents[3] / "src"
    environment = os.environ | {"PYTHONPATH": str(source)}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"
