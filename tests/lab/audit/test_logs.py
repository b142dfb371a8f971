"""The logs of other programs, as they write them and as somebody else may write them."""

from __future__ import annotations

import json
import os
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from unslant.lab.audit.hosts.logs import read_log
from unslant.lab.audit.suite import AuditError

ABOUT = {"key": "roads/1", "side": "liberal"}
FOUND = {("roads/1", "liberal"): "Yes."}
SAMPLE = {"metadata": ABOUT, "output": {"choices": [{"message": {"content": "Yes."}}]}}
HEADER = {"eval": {"model": "openai/small"}}


def packed(path: Path, *samples: Any, header: str = json.dumps(HEADER), **others: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", header)
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}.json", json.dumps(sample))
        for name, content in others.items():
            archive.writestr(f"samples/{name}.json", content)
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_each_program_has_a_form_of_its_own(tmp_path: Path) -> None:
    result = {"provider": {"id": "small"}, "vars": ABOUT, "response": {"output": "Yes."}}
    parts = {"choices": [{"message": {"content": [{"type": "text", "text": "Yes."}, {"type": "image"}]}}]}
    logs = {
        "a.eval": packed(tmp_path / "a.eval", SAMPLE),
        "b.json": written(
            tmp_path / "b.json", json.dumps({**HEADER, "samples": [{**SAMPLE, "output": parts}]})
        ),
        "c.json": written(tmp_path / "c.json", json.dumps({"results": {"results": [result]}})),
        "d.jsonl": written(
            tmp_path / "d.jsonl", json.dumps({"doc": ABOUT, "filtered_resps": ["Yes."]}) + "\n"
        ),
    }
    found = {name: read_log(path) for name, path in logs.items()}
    assert all(log.replies == FOUND for log in found.values())
    assert [log.host for log in found.values()] == ["Inspect", "Inspect", "promptfoo", "lm-eval"]
    assert found["a.eval"].model == "openai/small"


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    size = 80_000_000
    data = packed(tmp_path / "a.eval", header=" " * size).read_bytes()
    told = size.to_bytes(4, "little")
    for content in (data, data.replace(told, (10).to_bytes(4, "little"))):
        (tmp_path / "a.eval").write_bytes(content)
        tracemalloc.start()
        try:
            with pytest.raises(AuditError, match=r"too large|cannot be read"):
                read_log(tmp_path / "a.eval")
            assert tracemalloc.get_traced_memory()[1] < 75_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.eval")
    with pytest.raises(AuditError, match="a pipe, not a regular file"):
        read_log(tmp_path / "a.eval")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "5"),
        ("a.json", "[]"),
        ("a.json", "[" * 100_000),
        ("a.json", '{"results": {"results": []}}'),
        ("a.json", '{"results": {"results": [{"provider": 1}]}}'),
        ("a.json", '{"samples": 5, "eval": {"model": 1}}'),
        ("a.json", '{"samples": [{"metadata": [], "output": {"choices": 3}}], "eval": {}}'),
        ("a.jsonl", "5\n"),
        ("a.jsonl", '{"doc": {}, "filtered_resps": []}\n'),
        ("a.eval", "no archive"),
    ],
)
def test_anything_else_is_one_sentence(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(AuditError, match=r"a\.(json|eval)"):
        read_log(written(tmp_path / name, text))


def test_so_is_an_archive_of_anything_else(tmp_path: Path) -> None:
    deep = packed(tmp_path / "deep.eval", deep="[" * 100_000)
    other = packed(tmp_path / "other.eval", 5, header="[]")
    encrypted = bytearray(packed(tmp_path / "a.eval", SAMPLE).read_bytes())
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.eval").write_bytes(encrypted)
    for path in (deep, other, tmp_path / "a.eval"):
        with pytest.raises(AuditError, match=path.name):
            read_log(path)
