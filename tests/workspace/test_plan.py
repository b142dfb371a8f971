"""From arguments to jobs, each with the format and the settings of its folder; and what is left out of a run."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import unslant
from unslant.config import Settings
from unslant.report.outcome import Outcome
from unslant.spec import Spec
from unslant.workspace.baseline import Baseline, write
from unslant.workspace.changes import find_introduced
from unslant.workspace.plan import Filters, Inputs, RunPlan, make_filters, plan

RULES = Spec(analyzers=("rules",))
SETTINGS = Settings(spec=RULES)


def planned(
    *arguments: str,
    settings: Settings = SETTINGS,
    settings_for: Callable[[Path], Settings] | None = None,
    stdin: bytes = b"",
    **inputs: object,
) -> RunPlan:
    given = replace(Inputs(arguments, io.BytesIO(stdin)), **inputs)  # type: ignore[arg-type]
    return plan(given, settings, settings_for or (lambda _: settings))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "b.txt", "c.html", "d.py", "e.bin", "sub/f.rst"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("They slammed it.\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_folder_gives_a_job_for_each_text_with_the_format_of_its_suffix() -> None:
    work = planned(".")
    assert {Path(job.display).name: job.format for job in work.jobs} == {
        "a.md": "markdown",
        "b.txt": "text",
        "c.html": "html",
        "f.rst": "rst",
    }
    assert not work.failures
    assert work.skipped == {".py": 1, ".bin": 1}


@pytest.mark.usefixtures("folder")
def test_with_code_source_files_are_read_for_their_comments() -> None:
    work = planned(".", code=True)
    assert {job.format for job in work.jobs if job.display.endswith(".py")} == {"code-python"}
    assert work.skipped == {".bin": 1}


@pytest.mark.usefixtures("folder")
def test_a_format_given_by_the_user_is_that_of_every_file() -> None:
    assert {job.format for job in planned(".", format="wikitext").jobs} == {"wikitext"}


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_named_is_read_whatever_its_suffix() -> None:
    (job,) = planned("e.bin").jobs
    assert (job.display, job.format) == ("e.bin", "text")


@pytest.mark.usefixtures("folder")
def test_each_folder_has_its_own_settings() -> None:
    model = replace(SETTINGS, spec=replace(RULES, threshold=0.9))
    work = planned(".", settings_for=lambda path: model if "sub" in path.parts else SETTINGS)
    assert {Path(job.display).name: job.spec.threshold for job in work.jobs if job.spec.threshold == 0.9} == {
        "f.rst": 0.9
    }


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_checked_is_named_and_the_rest_goes_on() -> None:
    work = planned("missing.txt", "b.txt")
    assert [job.display for job in work.jobs] == ["b.txt"]
    (failure,) = work.failures
    assert failure.path == "missing.txt"
    assert failure.error


def test_a_table_is_refused_with_the_command_that_reads_it(folder: Path) -> None:
    (folder / "rows.parquet").write_bytes(b"PAR1")
    (failure,) = planned("rows.parquet").failures
    assert failure.error is not None
    assert "unslant score rows.parquet --column text" in failure.error


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("<stdin>", None, "text"),
        ("notes.md", None, "markdown"),
        ("notes.md", "html", "html"),
        ("notes.unknown", None, "text"),
    ],
)
def test_standard_input_has_the_format_of_its_name(name: str, form: str | None, expected: str) -> None:
    (job,) = planned("-", stdin=b"They slammed it.", stdin_name=name, format=form).jobs
    assert (job.display, job.format, job.text, job.path) == (name, expected, "They slammed it.", None)


def test_standard_input_that_is_no_text_is_a_failure() -> None:
    work = planned("-", stdin=b"\x00\xff\x00\xfe" * 20)
    assert not work.jobs
    assert [failure.path for failure in work.failures] == ["<stdin>"]


@pytest.mark.parametrize("cached", [True, False])
def test_the_cache_is_used_if_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("x")
    assert planned("a.txt", settings=replace(SETTINGS, cache=cached)).jobs[0].cached is cached


def outcome(path: Path) -> Outcome:
    return Outcome(str(path), unslant.check(path.read_text(), spec=RULES))


def found(result: Outcome) -> list[str]:
    assert result.report is not None
    return [finding.text for finding in result.report.findings]


def test_without_filters_everything_is_reported(folder: Path) -> None:
    assert found(Filters().apply(outcome(folder / "b.txt"))) == ["slammed"]
    work = planned(".")
    assert Filters().narrow(work) is work
    assert Filters().messages() == ()


def test_files_without_a_change_are_dropped_but_not_standard_input(folder: Path) -> None:
    filters = Filters(introduced={str((folder / "b.txt").resolve()): find_introduced([], "They slammed it.")})
    work = filters.narrow(planned("a.md", "b.txt", "-", stdin=b"They met."))
    assert [job.display for job in work.jobs] == ["b.txt", "<stdin>"]


def test_only_new_words_are_reported(folder: Path) -> None:
    path = folder / "b.txt"
    path.write_text("They slammed it. They lambasted it.")
    new = find_introduced(["They slammed it."], path.read_text())
    assert found(Filters(introduced={str(path.resolve()): new}).apply(outcome(path))) == ["lambasted"]


def test_a_baseline_accepts_what_it_holds_and_counts_it(folder: Path) -> None:
    path, baseline = folder / "b.txt", folder / "baseline.json"
    report = unslant.check(path.read_text(), spec=RULES)
    write(baseline, {"b.txt": report.findings})
    filters = make_filters(None, baseline, 1_000_000)
    result = filters.apply(outcome(path))
    assert (found(result), result.accepted) == ([], 1)
    assert filters.messages() == ()


def test_a_baseline_that_holds_more_than_there_is_says_so(folder: Path) -> None:
    path, baseline = folder / "b.txt", folder / "baseline.json"
    write(baseline, {"b.txt": unslant.check(path.read_text(), spec=RULES).findings})
    path.write_text("They met.\n")
    filters = make_filters(None, baseline, 1_000_000)
    assert found(filters.apply(outcome(path))) == []
    (message,) = filters.messages()
    assert "contains 1 finding that no longer occurs" in message
    assert "unslant baseline" in message
    assert isinstance(filters.baseline, Baseline)


def test_an_outcome_with_an_error_passes() -> None:
    failed = Outcome("a.txt", error="no such file")
    assert Filters().apply(failed) is failed
