"""A run that goes on must be the same run, and nothing in the way is followed or believed."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError
from unslant.report.table import guard_formula
from unslant.spec import Spec
from unslant.tables import run as run_module
from unslant.tables.run import ScoreJob, score_tables, write_records
from unslant.tables.scoring import ScoreSpec
from unslant.tables.sources import TableColumns

RULES = Spec(analyzers=("rules",))


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScoreJob:
    """Return a job that was stopped after its first part."""
    monkeypatch.setattr(run_module, "_PART_ROWS", 1)
    table = tmp_path / "rows.csv"
    table.write_text("text,other,key\nOne.,Four.,1\nTwo.,Five.,2\nThree.,Six.,3\n")
    job = ScoreJob((table,), TableColumns("text"), tmp_path / "out.jsonl", ScoreSpec(RULES))

    def stop(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_tables(job, stop)
    return job


def test_the_same_run_goes_on(stopped: ScoreJob) -> None:
    assert score_tables(stopped).resumed == 1


def _other_column(job: ScoreJob) -> ScoreJob:
    return replace(job, columns=TableColumns("other"))


def _with_ids(job: ScoreJob) -> ScoreJob:
    return replace(job, columns=TableColumns("text", "key"))


def _other_spec(job: ScoreJob) -> ScoreJob:
    return replace(job, what=ScoreSpec(replace(RULES, ignore=("framing",))))


def _other_format(job: ScoreJob) -> ScoreJob:
    return replace(job, what=replace(job.what, format="markdown"))


def _findings(job: ScoreJob) -> ScoreJob:
    return replace(job, what=replace(job.what, findings=True))


def _other_input(job: ScoreJob) -> ScoreJob:
    copy = job.inputs[0].with_name("copy.csv")
    copy.write_bytes(job.inputs[0].read_bytes())
    return replace(job, inputs=(copy,))


def _twice(job: ScoreJob) -> ScoreJob:
    return replace(job, inputs=job.inputs * 2)


def _longer(job: ScoreJob) -> ScoreJob:
    status = job.inputs[0].stat()
    with job.inputs[0].open("a") as stream:
        stream.write("Four.,Seven.,4\n")
    os.utime(job.inputs[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    return job


def _changed(job: ScoreJob) -> ScoreJob:
    status = job.inputs[0].stat()
    os.utime(job.inputs[0], ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    return job


@pytest.mark.parametrize(
    "change",
    [
        _other_column,
        _with_ids,
        _other_spec,
        _other_format,
        _findings,
        _other_input,
        _twice,
        _longer,
        _changed,
    ],
)
def test_another_run_does_not_go_on_from_there(stopped: ScoreJob, change: Any) -> None:
    with pytest.raises(ConfigError, match="--restart"):
        score_tables(change(stopped))
    assert not stopped.output.exists()


def test_another_version_does_not_go_on_from_there(
    stopped: ScoreJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "VERSION", "0.0.0")
    with pytest.raises(ConfigError, match="--restart"):
        score_tables(stopped)


def test_another_model_does_not_go_on_from_there(stopped: ScoreJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "model_identity", lambda _: "another")
    with pytest.raises(ConfigError, match="--restart"):
        score_tables(stopped)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_no_link_beside_the_output_is_followed(tmp_path: Path, suffix: str) -> None:
    """The name of the temporary file used to be known, and a link of that name was written through."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    out = tmp_path / f"out{suffix}"
    for name in (f".{out.name}.tmp", f"{out.name}.tmp"):
        (tmp_path / name).symlink_to(victim)
    write_records(out, [[{"text": "a"}]], {"text": "str"})
    assert victim.read_text() == "mine"
    assert out.stat().st_size


def test_nothing_is_left_beside_the_output(tmp_path: Path) -> None:
    def failing() -> Any:
        yield [{"text": "a"}]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_records(tmp_path / "out.csv", failing(), {"text": "str"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\t", "\r"])
def test_every_mark_of_a_formula_is_guarded(tmp_path: Path, mark: str) -> None:
    assert guard_formula(f"{mark}1") == f"'{mark}1"
    assert guard_formula(f"1{mark}1") == f"1{mark}1"
    out = tmp_path / "out.csv"
    write_records(out, [[{"id": f"{mark}cmd", "text": f"{mark}cmd"}]], {"id": "str", "text": "str"})
    with out.open(newline="") as stream:
        assert list(csv.reader(stream))[1] == [f"'{mark}cmd"] * 2


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_carriage_return_begins_no_row(tmp_path: Path, suffix: str) -> None:
    """Behind it, a formula would stand at the beginning of a cell."""
    out = tmp_path / f"out{suffix}"
    rows = [{"id": "a\r=cmd", "text": "b"}, {"id": "c", "text": "d\r\n+e"}, {"id": "f", "text": "g"}]
    write_records(out, [rows], {"id": "str", "text": "str"})
    with out.open(newline="") as stream:
        read = list(csv.reader(stream, delimiter="\t" if suffix == ".tsv" else ","))
    assert read == [["id", "text"], *([row["id"], row["text"]] for row in rows)]


def test_formulas_in_names_of_columns_are_ours_only() -> None:
    from unslant.tables.scoring import columns

    assert all(guard_formula(name) == name for findings in (False, True) for name in columns(findings))
