"""Answers on the disk: added to, read back, gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.probing.descriptions import ProbeAnswer
from unslant.lab.probing.runs import AnswerFile, AnswerRecord, read_records

HEAD = {"task": "extraction", "model": "tiny"}


def _record(number: int) -> AnswerRecord:
    return AnswerRecord(
        "extraction/question/001", 5, 0, f"item {number}", ProbeAnswer(f"wört {number}", 0.25, Span(1, 4))
    )


def test_what_was_added_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.jsonl"
    with AnswerFile(path, HEAD) as records:
        records.add([_record(1), _record(2)])
        assert list(read_records(path)) == [_record(1), _record(2)]
    with AnswerFile(path, HEAD) as records:
        assert set(records.known) == {_record(1).key, _record(2).key}
        records.add([_record(3)])
    assert list(read_records(path)) == [_record(1), _record(2), _record(3)]


def test_a_line_that_was_cut_off_is_dropped_and_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerFile(path, HEAD) as records:
        records.add([_record(1), _record(2)])
    whole = path.read_bytes()
    for length in range(len(whole) - 1, len(whole) - 30, -1):
        path.write_bytes(whole[:length])
        with AnswerFile(path, HEAD) as records:
            assert list(records.known) == [_record(1).key]
            records.add([_record(2)])
        assert path.read_bytes() == whole


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerFile(path, HEAD) as records:
        records.add([_record(1)])
    with pytest.raises(ConfigError, match="a different model; use another --output"):
        AnswerFile(path, {**HEAD, "model": "other"})


@pytest.mark.parametrize("content", ["hello\n", '{"schema": "other"}\n', "[1]\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigError, match="not written by 'unslant probe'"):
        AnswerFile(path, HEAD)
    assert path.read_text() == content


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerFile(path, HEAD) as records:
        records.add([_record(1)])
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(ConfigError, match="line 3 is not an answer"):
        AnswerFile(path, HEAD)
