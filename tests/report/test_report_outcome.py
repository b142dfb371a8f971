"""Outcomes and their count."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from tests.report.report_samples import finding, outcome
from unslant.core.errors import UnknownName
from unslant.core.types import Note, Severity
from unslant.report import FORMATS, Outcome, RenderSettings, Tally, render, renderer
from unslant.report.terminal import closing

SOURCE = "A legendary, iconic show."
FLAGGED = outcome(
    SOURCE,
    finding(SOURCE, "legendary"),
    finding(SOURCE, "iconic", kind="epistemological", severity=Severity.SUGGESTION),
    notes=(Note("A note.", None),),
)
FAILED = Outcome("gone.txt", error="gone.txt does not exist.")


def count(*outcomes: Outcome) -> Tally:
    tally = Tally()
    assert list(tally.watch(outcomes)) == list(outcomes)
    return tally


def test_an_outcome_is_a_report_or_an_error() -> None:
    with pytest.raises(ValueError, match="either a report or an error"):
        Outcome("both.txt", FLAGGED.report, "an error")
    with pytest.raises(ValueError, match="either a report or an error"):
        Outcome("neither.txt")


def test_files_findings_and_failures_are_counted() -> None:
    summary = count(FLAGGED, FAILED, outcome("Fine.")).summary()
    assert summary.to_dict() == {
        "files": 2,
        "failed": 1,
        "notes": 1,
        "findings": 2,
        "severities": {"suggestion": 1, "warning": 1, "error": 0},
        "kinds": {"epistemological": 1, "framing": 1},
        "foreign": 0,
        "accepted": 0,
        "kept": 0,
        "interrupted": False,
    }
    assert summary.worst is Severity.WARNING
    assert count(FAILED).summary().worst is None


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ((), "No files to check."),
        ((outcome("Fine."),), "1 file checked, no slanted wording found."),
        ((FAILED,), "1 file could not be checked."),
        (
            (FLAGGED, outcome("Fine."), FAILED),
            "2 files checked, 2 findings: 1 warning, 1 suggestion; 1 file could not be checked.",
        ),
        ((FLAGGED,) * 2, "2 files checked, 4 findings: 2 warnings, 2 suggestions."),
    ],
)
def test_the_summary_reads_as_a_sentence(outcomes: tuple[Outcome, ...], said: str) -> None:
    assert closing(count(*outcomes).summary()) == said


def interrupted(*outcomes: Outcome) -> Iterator[Outcome]:
    yield from outcomes
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", FORMATS)
def test_an_interrupted_run_still_shows_what_was_found(name: str) -> None:
    stream = io.StringIO()
    summary = render(name, interrupted(FLAGGED), stream)
    assert summary.interrupted
    assert summary.findings == 2
    assert "legendary" in stream.getvalue()
    assert stream.getvalue().endswith("\n")


def test_an_interrupted_run_says_so() -> None:
    stream = io.StringIO()
    render("text", interrupted(FLAGGED), stream)
    assert "; interrupted." in stream.getvalue()
    stream = io.StringIO()
    render("text", interrupted(), stream)
    assert stream.getvalue() == "Interrupted before any file was checked.\n"


def test_an_unknown_format_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'sarif'"):
        renderer("sarf")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "html"])
def test_what_was_checked_is_written_before_the_next_file_is_requested(name: str) -> None:
    stream = io.StringIO()

    def outcomes() -> Iterator[Outcome]:
        yield FLAGGED
        assert "legendary" in stream.getvalue()
        yield outcome("Fine.")

    render(name, outcomes(), stream, RenderSettings())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8", "latin_1"])
def test_every_stream_can_take_every_text(name: str, encoding: str) -> None:
    source = "日本語 legendary 😀 \udc80 \x81."
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    render(name, [outcome(source, finding(source, "legendary"), path="bad\udc80é.txt")], stream)
    stream.seek(0)
    assert "legendary" in stream.read()
