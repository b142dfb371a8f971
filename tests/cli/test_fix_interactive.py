"""``unslant fix --interactive`` in a real terminal: a program that presses keys and reads what is shown."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import unslant
from tests.cli.conftest import Run

SOURCE = Path(__file__).parents[2] / "src"
WAIT = 120.0
TEXT = (
    "The legendary singer left the stage.\n\nThe union slammed the plan.\n\n"
    "The police fired back at the gunman near the bridge.\n\nThe disastrous choice was made in May.\n"
)
CONTROL = re.compile(r"\x1b\[[\d;]*m")


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "unslant", *arguments]
        environment = os.environ | {"PYTHONPATH": str(SOURCE), "TERM": "xterm", "COLUMNS": "80"}
        self.pid, self._screen = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(sys.executable, command, environment)  # noqa: S606 - the terminal is its own
        self._seen = ""

    def press(self, key: str) -> None:
        """Press a key once the program reads keys; what is typed before that is thrown away."""
        self._reads_lines(False)
        os.write(self._screen, key.encode())

    def type(self, line: str) -> None:
        """Type a line once the program reads lines."""
        self._reads_lines(True)
        os.write(self._screen, line.encode())

    def _reads_lines(self, expected: bool) -> None:
        end = time.monotonic() + WAIT
        while bool(termios.tcgetattr(self._screen)[3] & termios.ICANON) is not expected:
            assert time.monotonic() < end, self._seen
            time.sleep(0.01)

    def wait(self, text: str) -> str:
        """Return what is shown up to a text, which has to appear."""
        end = time.monotonic() + WAIT
        while text not in self._seen:
            assert time.monotonic() < end, self._seen
            assert self._read(), self._seen
        shown, _, self._seen = self._seen.partition(text)
        return shown + text

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C until a text appears: one that arrives just before the program begins to read has no effect."""
        self._reads_lines(True)
        end = time.monotonic() + WAIT
        while text not in self._seen:
            assert time.monotonic() < end, self._seen
            os.write(self._screen, b"\x03")
            again = time.monotonic() + WAIT / 10
            while text not in self._seen and time.monotonic() < again:
                assert self._read(), self._seen
        self.wait(text)

    def _read(self) -> bool:
        if not select.select([self._screen], [], [], 1.0)[0]:
            return True
        try:
            data = os.read(self._screen, 65_536)
        except OSError:  # the other end is closed
            return False
        self._seen += CONTROL.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return bool(data)

    def end(self) -> tuple[int, str]:
        """Return the exit code and the rest of what is shown."""
        while self._read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self._screen)
        return os.waitstatus_to_exitcode(status), self._seen

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


Start = Callable[..., Terminal]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    opened: list[Terminal] = []

    def started(*arguments: str, text: str = TEXT, name: str = "a.md") -> Terminal:
        (folder / name).write_text(text)
        command = ("fix", "--interactive", "--tier", "rules", "--profile", "news", *arguments, name)
        opened.append(Terminal(folder, *command))
        return opened[-1]

    yield started
    for terminal in opened:
        terminal.kill()


def findings(run: Run, name: str = "a.md", *options: str) -> list[str]:
    out = run("check", "--tier", "rules", "--profile", "news", "--output-format", "json", *options, name).out
    (report,) = json.loads(out)["reports"]
    return [finding["text"] for finding in report["findings"]]


def test_the_sentence_the_words_the_reason_the_rule_and_the_place(start: Start) -> None:
    terminal = start("--color", "never")
    shown = terminal.wait("[?]?")
    assert "a.md  4 to decide" in shown
    assert re.search(r"1:5 +1 of 4 +framing/praise-adjective\n", shown)
    assert "The »legendary« singer left the stage.\n" in shown
    assert "Praises the subject" in shown
    assert "> 1  “legendary” → delete" in shown
    terminal.press("?")
    assert ".unslant-ignore" in terminal.wait("[?]?")
    terminal.press("s")
    assert "2 of 4" in terminal.wait("[?]?")


def test_every_key_decides_alone(start: Start, folder: Path, run: Run) -> None:
    terminal = start()
    for key in "d1kk":
        terminal.wait("[?]?")
        terminal.press(key)
    terminal.wait("All decided: 2 to change, 2 to keep.")
    terminal.wait("is?")
    assert (folder / "a.md").read_text() == TEXT, "nothing is written before the user says so"
    terminal.press("w")
    code, rest = terminal.end()
    assert (code, "Made 2 changes, and listed 2 in .unslant-ignore." in rest) == (0, True)
    after = (folder / "a.md").read_text()
    assert after.startswith("The singer left the stage.\n")
    assert "slammed" not in after
    assert after.endswith(
        "fired back at the gunman near the bridge.\n\nThe disastrous choice was made in May.\n"
    )
    assert findings(run) == []


def test_back_shows_the_answer_and_undo_takes_it_back(start: Start, folder: Path) -> None:
    terminal = start()
    terminal.wait("1 of 4")
    terminal.wait("[?]?")
    terminal.press("d")
    terminal.wait("2 of 4")
    terminal.wait("[?]?")
    terminal.press("b")
    assert "Your answer: “legendary” → delete. Enter leaves it so." in terminal.wait("[?]?")
    terminal.press("\r")
    terminal.wait("2 of 4")
    terminal.wait("[?]?")
    terminal.press("s")
    terminal.wait("3 of 4")
    terminal.wait("[?]?")
    terminal.press("u")
    assert "Your answer" not in terminal.wait("[?]?")
    terminal.press("u")
    assert "1 of 4" in terminal.wait("[?]?")
    terminal.press("u")
    terminal.wait("Nothing to undo.")
    for _ in range(4):
        terminal.wait("[?]?")
        terminal.press("s")
    terminal.wait("All decided: 0 to change, 0 to keep.")
    terminal.wait("is?")
    # after the last question, too
    terminal.press("u")
    assert "4 of 4" in terminal.wait("[?]?")
    terminal.press("a")
    terminal.wait("All decided")
    terminal.wait("is?")
    terminal.press("x")
    assert terminal.end()[0] == 0
    assert (folder / "a.md").read_text() == TEXT


def test_words_can_be_marked_as_quoted_or_attributed(start: Start, folder: Path, run: Run) -> None:
    terminal = start()
    terminal.wait("1 of 4")
    terminal.wait("[?]?")
    terminal.press("m")
    terminal.wait("Whose words are they")
    terminal.type("Ada Roe\n")
    terminal.wait("2 of 4")
    terminal.wait("[?]?")
    terminal.press("s")
    terminal.wait("3 of 4")
    terminal.wait("[?]?")
    terminal.press("s")
    terminal.wait("4 of 4")
    terminal.wait("[?]?")
    terminal.press("t")
    terminal.wait("Who says so")
    terminal.interrupt("Nothing was changed.")  # the question can be taken back
    terminal.wait("[?]?")
    terminal.press("t")
    terminal.wait("Who says so")
    terminal.type("the union\n")
    terminal.wait("All decided: 2 to change")
    terminal.wait("is?")
    terminal.press("w")
    terminal.end()
    first, _, _, last = (folder / "a.md").read_text().strip().split("\n\n")
    assert first == 'The "legendary" singer left the stage, according to Ada Roe.'
    assert last == "The disastrous choice was made in May, according to the union."
    assert findings(run) == ["slammed", "fired back at"]


def test_a_killed_session_leaves_everything_as_it_was(start: Start, folder: Path) -> None:
    terminal = start()
    for number in range(1, 4):
        terminal.wait(f"{number} of 4")
        terminal.wait("[?]?")
        terminal.press("k")
    terminal.wait("4 of 4")
    terminal.kill()
    assert {path.name for path in folder.iterdir()} == {"a.md"}
    assert (folder / "a.md").read_text() == TEXT


def test_ctrl_c_writes_what_was_decided_and_goes_on_there(start: Start, folder: Path) -> None:
    terminal = start()
    terminal.wait("1 of 4")
    terminal.wait("[?]?")
    terminal.press("d")
    terminal.wait("2 of 4")
    terminal.wait("[?]?")
    terminal.press("\x03")
    code, rest = terminal.end()
    assert (code, "run the command again to continue here" in rest) == (0, True)
    assert (folder / "a.md").read_text() == TEXT.replace("legendary ", "")


# --- what is kept


def keep(run: Run, name: str, answers: str) -> None:
    result = run("fix", "--interactive", "--tier", "rules", "--profile", "news", name, stdin=answers.encode())
    assert result.code == 0, result.err


def test_what_is_kept_stands_beside_the_article_not_in_it(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(TEXT)
    before = findings(run)
    keep(run, "a.md", "k\ns\ns\ni\nit is a quotation from the minutes\n")
    assert (folder / "a.md").read_text() == TEXT
    lines = (folder / ".unslant-ignore").read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    first, last = map(json.loads, lines[1:])
    assert first == {
        "file": "a.md",
        "rule": "framing/praise-adjective",
        "words": "legendary",
        "sentence": "The legendary singer left the stage.",
    }
    assert last["reason"] == "it is a quotation from the minutes"
    assert findings(run) == before[1:-1]
    shown = run("check", "--tier", "rules", "--profile", "news", "a.md").out
    assert "2 findings kept by .unslant-ignore" in shown
    # another file is another matter
    (folder / "b.md").write_text(TEXT)
    assert findings(run, "b.md") == before


def test_an_edit_elsewhere_changes_nothing_and_deleting_the_line_brings_the_finding_back(
    run: Run, folder: Path
) -> None:
    (folder / "a.md").write_text(TEXT)
    keep(run, "a.md", "k\ns\ns\ns\n")
    edited = f"# A new beginning\n\nRates rose in May.\n\n{TEXT}".replace(
        "left the stage", "quietly left the stage"
    )
    (folder / "a.md").write_text(edited)
    assert "legendary" not in findings(run)
    # the same words in another sentence are reported
    (folder / "a.md").write_text(f"{edited}\nA legendary bridge opened near the river on Monday.\n")
    assert findings(run).count("legendary") == 1
    (folder / "a.md").write_text(edited)
    file = folder / ".unslant-ignore"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if "legendary" not in line))
    assert "legendary" in findings(run)


def test_fix_leaves_alone_what_is_kept_in_a_sentence_that_it_edits(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text("The legendary singer slammed the plan.\n")
    keep(run, "a.md", "k\na\n")
    assert (folder / "a.md").read_text() == "The legendary singer criticized the plan.\n"
    assert findings(run) == []
    (folder / "a.md").write_text("The legendary singer slammed the plan.\n")
    run("fix", "--tier", "rules", "--profile", "news", "--write", "--unsafe", "a.md")
    assert (folder / "a.md").read_text() == "The legendary singer criticized the plan.\n"


def test_with_settings_the_list_stands_next_to_them(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text("")
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text(TEXT)
    keep(run, "docs/a.md", "k\ns\ns\ns\n")
    assert not (folder / "docs" / ".unslant-ignore").exists()
    assert '"file": "docs/a.md"' in (folder / ".unslant-ignore").read_text()
    assert "legendary" not in findings(run, "docs/a.md")
    # a list in the folder of the text counts as well
    entry = {
        "file": "a.md",
        "rule": "framing/attack-verb",
        "words": "slammed",
        "sentence": "The union slammed the plan.",
    }
    (folder / "docs" / ".unslant-ignore").write_text(json.dumps(entry))
    assert "slammed" not in findings(run, "docs/a.md")
    piped = run(
        "check",
        "--tier",
        "rules",
        "--profile",
        "news",
        "--output-format",
        "concise",
        "--stdin-name",
        "docs/a.md",
        "-",
        stdin=TEXT.encode(),
    )
    assert "slammed" not in piped.out


def test_the_cache_does_not_remember_what_is_no_longer_kept(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT)

    def found() -> list[str]:
        (report,) = json.loads(run("check", "--output-format", "json", "a.txt").out)["reports"]
        return [finding["text"] for finding in report["findings"]]

    before = found()
    (first,) = [each for each in unslant.check(TEXT).findings if each.text == "legendary"]
    entry = {"file": "a.txt", "rule": first.rule, "words": "legendary", "sentence": TEXT.partition("\n")[0]}
    (folder / ".unslant-ignore").write_text(json.dumps(entry) + "\n")
    assert found() == [words for words in before if words != "legendary"]
    (folder / ".unslant-ignore").unlink()
    assert found() == before


@pytest.mark.parametrize(
    "line", ["[1]", "legendary", '{"file": "a.md"}', '{"file": 1, "rule": "", "words": ""}']
)
def test_a_line_that_cannot_be_used_is_named(run: Run, folder: Path, line: str) -> None:
    (folder / "a.md").write_text(TEXT)
    (folder / ".unslant-ignore").write_text(f"# kept\n\n{line}\n")
    result = run("check", "--tier", "rules", "a.md")
    assert result.code == 2
    assert ".unslant-ignore' line 3 is not an ignore" in result.err
    assert len(result.err.splitlines()) == 1


def test_a_link_is_not_written_through(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "a.md").write_text(TEXT)
    target = tmp_path / "profile"
    target.write_text("")
    (folder / ".unslant-ignore").symlink_to(target)
    result = run(
        "fix", "--interactive", "--tier", "rules", "--profile", "news", "a.md", stdin=b"k\ns\ns\ns\n"
    )
    assert result.code == 2
    assert "is a link and was not changed" in result.err
    assert target.read_text() == ""


def test_several_comments_on_one_line_beside_an_edit(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text("The legendary singer of the town slammed the long and disastrous plan\n")
    result = run(
        "fix",
        "--interactive",
        "--tier",
        "rules",
        "--profile",
        "news",
        "a.md",
        stdin=b"c\nthe name of a film\na\nc\nas the minutes say\n",
    )
    assert result.code == 0, result.err
    after = (folder / "a.md").read_text()
    assert after.startswith(
        "The legendary singer of the town criticized the long and disastrous plan <!-- unslant: ignore "
    )
    assert after.count("<!--") == 2
    assert findings(run) == []
