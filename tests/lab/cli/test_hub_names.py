"""Names of models on the hub of Hugging Face, as a user writes them."""

from __future__ import annotations

import pytest

from .conftest import Run

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--text", "A text.", "--analyzer", "hf:nobody/nothing"],
        ["evaluate", "tagging", "--model", "hf:nobody/nothing"],
        ["fix", "--text", "A text.", "--rewriter", "hf:nobody/nothing"],
        ["evaluate", "judge", "--model", "hf:nobody/nothing"],
    ],
)
def test_a_name_on_a_hub_that_cannot_be_reached_is_one_sentence_at_once(
    command: list[str],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    result = run(*command)
    assert result.code == 2
    assert (
        "nobody/nothing: not in the cache of Hugging Face, and http://127.0.0.1:9 does not answer"
        in result.err
    )
