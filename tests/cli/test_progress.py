"""The progress bar: what it shows, and when it stays silent."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from unslant.cli.options import quiet_option
from unslant.cli.progress import ProgressBar, is_quiet


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """A terminal on standard error, in a world where a second passes with every look at the clock."""
    terminal = _Terminal()
    monkeypatch.setattr("unslant.cli.progress.sys", SimpleNamespace(stderr=terminal))
    monkeypatch.setattr("unslant.cli.progress.time", SimpleNamespace(monotonic=_clock()))
    return terminal


def _clock() -> Callable[[], float]:
    now = 0.0

    def tick() -> float:
        nonlocal now
        now += 1.0
        return now

    return tick


def test_it_shows_the_share_and_the_time_that_is_left(screen: _Terminal) -> None:
    bar = ProgressBar("checking", 4)
    bar.advance(1)
    assert "checking [#######                       ]  25%, about 3 s left" in screen.getvalue()
    bar.clear()
    assert screen.getvalue().endswith("\r\x1b[K")


def test_a_step_that_begins_in_the_middle_does_not_count_what_was_done_before(screen: _Terminal) -> None:
    bar = ProgressBar()
    bar("epoch 1", 51, 100)
    assert " 51%, about 49 s left" in screen.getvalue()


def test_a_new_label_is_a_new_step_and_the_last_count_clears_the_bar(screen: _Terminal) -> None:
    bar = ProgressBar()
    bar("one", 1, 2)
    bar("two", 1, 2)
    bar("two", 2, 2)
    shown = screen.getvalue()
    assert shown.index("one") < shown.index("two")
    assert shown.endswith("\r\x1b[K")


def test_an_unknown_total_shows_the_count(screen: _Terminal) -> None:
    ProgressBar()("file.zip", 12_345, None)
    assert "file.zip 12,345" in screen.getvalue()


def test_the_bar_is_cleared_while_an_item_is_used(screen: _Terminal) -> None:
    bar = ProgressBar("fixing", 2)
    bar.advance(1)
    for _ in bar.around(["item"]):
        assert screen.getvalue().endswith("\r\x1b[K")


def test_it_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressBar("checking", 2)
    bar.advance(2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("arguments", "quiet"), [([], False), (["-q"], True), (["--quiet"], True)])
def test_quiet_is_known_wherever_the_bar_is_made(arguments: list[str], quiet: bool) -> None:
    @click.command()
    @quiet_option
    def command() -> None:
        click.echo(is_quiet())

    assert CliRunner().invoke(command, arguments).output == f"{quiet}\n"
    assert not is_quiet()
