"""Replacing words in what was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.errors import ConfigError, UnknownName
from unslant.core.generation import Sampling
from unslant.lab.debias import debias
from unslant.lab.debias.model import BASELINES, WordReplacer, load_replacer, save_replacements
from unslant.lab.debias.words import default_words
from unslant.lab.lm import open_model

TABLE = WordReplacer({"union": ["guild", "club", "league"], "tax": ["fee"]})


def test_words_of_the_sides_are_replaced_and_nothing_else() -> None:
    (text,) = TABLE.replace(["A TAX, the Tax; taxes\nand tax-free!"], [1])
    assert text == "A FEE, the Fee; taxes\nand fee-free!"


def test_the_seed_decides_and_texts_do_not_depend_on_each_other() -> None:
    texts = ["union " * 8] * 20
    found = TABLE.replace(texts, range(20))
    assert len(set(found)) > 10
    assert TABLE.replace(texts[:1], [7]) == [found[7]]
    assert {word for text in found for word in text.split()} == {"guild", "club", "league"}


@pytest.mark.parametrize("mode", BASELINES)
def test_the_tables_that_ship_replace_by_words_of_no_side(mode: str) -> None:
    sides = default_words().all
    table = load_replacer(mode).choices
    assert set(table) <= sides
    assert len(table) > 0.9 * len(sides)
    sizes = {len(others) for others in table.values()}
    assert sizes == {1} if mode.startswith("naive") else max(sizes) == 10
    assert min(sizes) >= (1 if mode.startswith("naive") else 8), (
        "some of the ten nearest became bias words of a later list"
    )
    assert not sides & {other for others in table.values() for other in others}
    assert load_replacer("naive").digest() != load_replacer("in-glove").digest()


@pytest.mark.parametrize("mode", BASELINES)
def test_a_model_with_a_baseline_is_a_model(mode: str) -> None:
    base = open_model("mock:")
    writer = debias(base, mode)
    sampling = Sampling(max_tokens=60)
    plain = base.generate(["a", "b"], [1, 2], sampling)
    found = writer.generate(["a", "b"], [1, 2], sampling)
    assert [item.text for item in found] == load_replacer(mode).replace([item.text for item in plain], [1, 2])
    assert writer.digest() not in (base.digest(), debias("mock:", "none").digest())
    assert writer.logprobs(["a"], [" b"]) == base.logprobs(["a"], [" b"])


def test_naive_random_replaces_about_half_of_the_words_and_always_the_same() -> None:
    always, half = load_replacer("naive"), load_replacer("naive-random")
    assert always.choices == half.choices
    word = next(iter(always.choices))
    text = " ".join([word] * 400)
    (found,) = half.replace([text], [7])
    assert 140 < found.split().count(word) < 260
    assert half.replace([text], [7]) == [found] != half.replace([text], [8])
    assert always.replace([text], [7])[0].split().count(word) == 0
    assert always.digest() != half.digest()


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    save_replacements(
        path, {"naive": {"tax": ["fee"]}, "in-glove": {"tax": ["fee", "due"]}}, {"source": "made"}
    )
    assert load_replacer("in-glove", path).choices == {"tax": ["fee", "due"]}
    path.write_text('{"naive": {"tax": [1]}}')
    with pytest.raises(ConfigError, match="not a table of replacements"):
        load_replacer("naive", path)
    with pytest.raises(ConfigError, match=r"none\.json' does not exist; check the spelling; write a table"):
        load_replacer("naive", tmp_path / "none.json")
    with pytest.raises(UnknownName, match="Did you mean 'naive'"):
        load_replacer("naife")
