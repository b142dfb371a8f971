"""The network's answers depend on the text alone."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError, ModelError
from unslant.neural.checkpoint import load_package
from unslant.neural.network import Network, threads

ROOT = Path(__file__).parents[2]


def rewritten(folder: Path, name: str, content: bytes) -> None:
    """Change a file and its digest, as somebody who made a bad model would."""
    (folder / name).write_bytes(content)
    about = json.loads((folder / "model.json").read_text())
    about["files"][name] = hashlib.sha256(content).hexdigest()
    (folder / "model.json").write_text(json.dumps(about))


def described(folder: Path, **changes: Any) -> None:
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | changes))


def test_one_pass_answers_every_question(network: Network) -> None:
    reading = network.read("the town was awful")
    assert set(reading.text_logits) == {"sentence", "kinds", "dimension"}
    assert set(reading.subword_logits) == {"spans", "span_kinds"}
    assert [reading.normalized.text[start:end] for start, end in reading.offsets] == [
        "the",
        "town",
        "was",
        "awful",
    ]
    assert [len(rows) for rows in reading.subword_logits.values()] == [4, 4]
    assert len(reading.text_logits["dimension"]) == 12


def test_nothing_can_be_read(network: Network) -> None:
    reading = network.read("")
    assert reading.offsets == []
    assert len(reading.text_logits["sentence"]) == 1


def test_a_text_that_just_fits_is_read_as_a_whole_and_a_longer_one_is_close_to_it(network: Network) -> None:
    fits = " ".join(["town"] * 13 + ["awful"])
    longer = " ".join(["town"] * 40 + ["awful"])
    assert len(network.read(fits).offsets) == 14
    reading = network.read(longer)
    assert len(reading.offsets) == 41
    marks = [row.index(max(row)) for row in reading.subword_logits["spans"]]
    assert marks[-1] == 1
    assert set(marks[:-1]) == {0}


def test_a_prefix_is_read_and_has_no_place(copy: Path) -> None:
    without = Network(load_package(copy)).read("the town was awful")
    described(copy, prefix="on: ")
    network = Network(load_package(copy))
    reading = network.read("the town was awful")
    assert reading.offsets == without.offsets
    assert reading.text_logits["sentence"] != without.text_logits["sentence"]
    assert len(network.read("the town was awful and " * 9).offsets) == 45


def test_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_THREADS", "3")
    assert threads() == 3
    monkeypatch.delenv("UNSLANT_THREADS")
    assert threads() >= 1
    for wrong in ("0", "-1", "many", "1.5"):
        monkeypatch.setenv("UNSLANT_THREADS", wrong)
        with pytest.raises(ConfigError, match="UNSLANT_THREADS"):
            threads()


@pytest.mark.parametrize("count", [0, 1, 7, 8, 100])
def test_threads_keep_the_order(monkeypatch: pytest.MonkeyPatch, tiny: Path, count: int) -> None:
    monkeypatch.setenv("UNSLANT_THREADS", "3")
    network = Network(load_package(tiny))
    assert network.map(lambda number: 2 * number, range(count)) == [2 * number for number in range(count)]


def test_words_are_found_once_for_all_heads(network: Network) -> None:
    reading = network.read("the  town was awful")
    assert [reading.normalized.text[word.start : word.end] for _, word in reading.words] == [
        "the",
        "town",
        "was",
        "awful",
    ]
    assert reading.words is reading.words


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_files_that_are_no_model_get_one_sentence(copy: Path, name: str) -> None:
    rewritten(copy, name, b"{}")
    with pytest.raises(ModelError, match="cannot be used") as error:
        Network(load_package(copy))
    assert "\n" not in str(error.value)
    assert name in str(error.value)


def _part(number: int, content: int | str | bytes) -> bytes:
    """Return a field of a message in the wire format of protocol buffers."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    encoded = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2, len(encoded) % 128 | 128, len(encoded) // 128]) + encoded


def test_a_graph_reads_no_other_file(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret").write_bytes(bytes(16))
    outside = _part(13, _part(1, "location") + _part(2, "secret"))
    weights = _part(1, 4) + _part(2, 1) + _part(8, "weights") + outside + _part(14, 1)
    node = _part(1, "weights") + _part(2, "logits") + _part(4, "Identity")
    output = _part(1, "logits") + _part(2, _part(1, _part(1, 1) + _part(2, _part(1, _part(1, 4)))))
    graph = _part(1, node) + _part(2, "graph") + _part(5, weights) + _part(12, output)
    rewritten(copy, "model.onnx", _part(1, 8) + _part(7, graph) + _part(8, _part(2, 17)))
    with pytest.raises(ModelError, match=r"model\.onnx' cannot be used: .*External data path"):
        Network(load_package(copy))


def test_heads_that_the_graph_lacks_are_noticed(copy: Path) -> None:
    about = json.loads((copy / "model.json").read_text())
    described(copy, heads=about["heads"] | {"other": about["heads"]["sentence"]})
    with pytest.raises(ModelError, match="inputs and heads"):
        Network(load_package(copy))


def test_a_missing_package_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tiny: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match="reinstall unslant"):
        Network(load_package(tiny))


def test_only_what_asks_for_the_model_loads_the_runtime(tiny: Path) -> None:
    code = (
        "import sys, unslant; from unslant.spec import Spec\n"
        "import unslant.neural.analyzer, unslant.neural.attribution, unslant.cli.models, unslant.cli.rules\n"
        "unslant.check('A plain text.', spec=Spec(analyzers=('rules',)))\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'torch', 'transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        f"unslant.check('A plain text.', spec=Spec(analyzers=('model',), model={str(tiny)!r}))\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines() == ["[]", "['numpy', 'onnxruntime', 'tokenizers']"]
