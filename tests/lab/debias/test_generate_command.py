"""``unslant generate`` and the trainings behind it, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401
from tests.lab.lm.tiny import network, tokenizer

from .made import WORDS
from .test_debiaser import articles

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[3]


@pytest.fixture
def tiny(folder: Path) -> str:  # noqa: F811
    network("gpt2").save_pretrained(folder / "tiny")
    tokenizer().save_pretrained(folder / "tiny")
    (folder / "words.json").write_text(json.dumps({"left": WORDS.left, "right": WORDS.right}))
    rows = [
        {
            "id": article.id,
            "text": article.text,
            "outlet": article.outlet,
            "leaning": article.leaning,
            "split": "train",
        }
        for article in articles()
    ]
    (folder / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "tiny"


def test_a_mock_writes_with_any_seed(run: Run) -> None:  # noqa: F811
    result = run(
        "generate", "mock:", "--prompt", "The town", "--samples", "2", "--seed", "5", "--max-tokens", "4"
    )
    assert result.code == 0
    assert [line[:12] for line in result.out.splitlines() if line] == ["[5] The town", "[6] The town"]


def test_every_way_of_writing(run: Run, tiny: str) -> None:  # noqa: F811
    trained = run(
        "train", "debiaser", tiny, "--output", "guide", "--corpus", "news.jsonl", "--articles", "120"
    )
    assert trained.code == 0, trained.err
    assert "accuracy on unseen outlets" in trained.out
    common = (
        "generate",
        tiny,
        "--prompt",
        "the council said",
        "--samples",
        "8",
        "--max-tokens",
        "8",
        "--output-format",
        "jsonl",
    )
    texts = {}
    for mode, more in {
        "none": (),
        "embedding": ("--words", "words.json"),
        "classifier": ("--guide", "guide"),
        "naive": (),
        "in-glove": (),
    }.items():
        result = run(*common, "--debias", mode, *more)
        assert result.code == 0, result.err
        rows = [json.loads(line) for line in result.out.splitlines()]
        assert [row["seed"] for row in rows] == list(range(8))
        texts[mode] = [row["text"] for row in rows]
    strong = ("--target", "3", "--strength", "50", "--balance", "20")
    far = run(*common, "--debias", "embedding", "--words", "words.json", *strong)
    assert far.code == 0, far.err
    assert [json.loads(line)["text"] for line in far.out.splitlines()] != texts["embedding"]
    zero = run(*common, "--debias", "embedding", "--words", "words.json", "--strength", "0")
    assert [json.loads(line)["text"] for line in zero.out.splitlines()] == texts["none"]
    full = run(*common, "--debias", "embedding", "--words", "words.json", "--full-loop")
    assert [json.loads(line)["text"] for line in full.out.splitlines()] == texts["embedding"]


def test_the_balance_changes_the_text(run: Run, tiny: str) -> None:  # noqa: F811
    common = ("generate", tiny, "--prompt", "the council said", "--samples", "8", "--max-tokens", "8")
    mode = ("--debias", "embedding", "--words", "words.json", "--strength", "50", "--target", "3")
    written = {balance: run(*common, *mode, "--balance", balance) for balance in ("0", "20")}
    assert [result.code for result in written.values()] == [0, 0]
    assert written["0"].out != written["20"].out


def test_steps_bound_what_strength_and_target_can_do(run: Run, tiny: str) -> None:  # noqa: F811
    """Fifteen steps of a fixed size reach only so far, however strong the pull; longer ones reach farther."""
    common = ("generate", tiny, "--prompt", "the council said", "--samples", "8", "--max-tokens", "8")
    mode = ("--debias", "embedding", "--words", "words.json", "--strength", "50", "--target", "3")
    short, long = run(*common, *mode), run(*common, *mode, "--rate", "0.1")
    assert (short.code, long.code) == (0, 0)
    assert short.out != long.out
    assert run(*common, *mode, "--rate", "0").code == 2


def test_prompts_from_a_file(run: Run, folder: Path) -> None:  # noqa: F811
    (folder / "prompts.txt").write_text("One\n\nTwo\n")
    result = run(
        "generate", "mock:", "--prompts", "prompts.txt", "--max-tokens", "2", "--output-format", "jsonl"
    )
    assert [json.loads(line)["prompt"] for line in result.out.splitlines()] == ["One", "Two"]


def test_what_is_wrong_is_reported_in_one_sentence(run: Run, tiny: str) -> None:  # noqa: F811
    for arguments, message in {
        ("generate", "mock:"): "Missing option '--prompt'",
        ("generate", "mock:", "--prompt", "a", "--debias", "embedding"): "does not expose its hidden states",
        ("generate", tiny, "--prompt", "a", "--debias", "classifier", "--guide", "none"): "no debiaser found",
        ("generate", tiny, "--prompt", "a", "--max-tokens", "500"): "do not fit into",
        ("generate", tiny, "--prompt", "a", "--chat"): "no chat template",
        ("train", "debiaser", "mock:"): "does not expose its hidden states",
        (
            "train",
            "bias-words",
            "--output",
            "w.json",
            "--corpus",
            "news.jsonl",
        ): "distinctive words on one side, not 250",
    }.items():
        result = run(*arguments)
        assert (result.code, result.out) == (2, "")
        assert message in result.err
        assert "Traceback" not in result.err


def test_words_and_vectors_are_trained_from_a_file(run: Run, tiny: str) -> None:  # noqa: F811
    assert (
        run("train", "bias-words", "--output", "own.json", "--corpus", "news.jsonl", "--count", "3").code == 0
    )
    own = json.loads(Path("own.json").read_text())
    assert set(own["left"]) == set(WORDS.left)
    assert set(own["right"]) == set(WORDS.right)
    result = run(
        "train", "neutral-vectors", "--output", "table.json", "--corpus", "news.jsonl", "--words", "own.json"
    )
    assert result.code == 0, result.err
    table = json.loads(Path("table.json").read_text())
    assert set(table["naive"]) == set(WORDS.all)
    del tiny
