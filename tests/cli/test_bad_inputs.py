"""Whatever is given instead of a file, every command says so in a sentence, at once, with the right exit code.

The table is every sort of bad file, in every place where a command takes a file. The exit code is 2 unless ``EXPECTED``
has another.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from unslant.cli.main import _run

DEEP = 20_000

FILES: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\n",
    "binary": bytes(range(256)) * 8,
    "nul": b"\0" * 100,
    "latin": b'{"text": "caf\xe9"}\ntext = "caf\xe9"\n',
    "utf16": '{"text": "a"}'.encode("utf-16"),
    "broken": b'{"schema": "unsl',
    "deep": b"[" * DEEP,
    "deep-object": b'{"a":' * DEEP,
    "deep-toml": b"a = " + b"[" * 5_000,
    "scalar": b"42",
    "null": b"null",
    "list": b"[]",
    "wrong": b'{"schema": 3, "sections": 4, "files": [], "figures": "x"}',
    "infinite": b'{"schema": "unslant/baseline/1", "files": {"a": {"f": {"rule": 1, "text": 2, "count": Infinity}}}}',
    "digits": b"9" * 10_000,
    "escape": b"\x1b]0;owned\x07\x1b[31m = \x1b[2J",
    "toml": b"[nothing]\nhere = 1\n",
    "gzip": gzip.compress(b"x" * 100)[:-9],
    "gguf": b"GGUF\x03\0\0\0" + b"\xff" * 40,
}
SPECIAL = ("missing", "folder", "pipe", "device", "socket", "loop", "inside-a-file", "long-name", "huge")

COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "--tier", "rules", "FILE"),
    "check-config": ("check", "--config", "FILE", "good.txt"),
    "check-baseline": ("check", "--tier", "rules", "--baseline", "FILE", "good.txt"),
    "check-model": ("check", "--model", "FILE", "good.txt"),
    "check-output": ("check", "--tier", "rules", "good.txt", "--output", "OUTPUT"),
    "fix": ("fix", "--tier", "rules", "--write", "FILE"),
    "fix-config": ("fix", "--config", "FILE", "good.txt"),
    "baseline": ("baseline", "--config", "rules.cfg", "FILE", "-o", "new-baseline.json"),
    "rules": ("rules", "--config", "FILE"),
    "explain": ("explain", "--config", "FILE", "framing/praise-adjective"),
    "models": ("models", "FILE"),
    "serve-token": ("serve", "--host", "192.0.2.1", "--token-file", "FILE"),
    "agree": ("agree", "FILE.json"),
    "agree-table": ("agree", "FILE.csv"),
    "aggregate": ("aggregate", "FILE.jsonl"),
    "card": ("evaluate", "card", "package", "FILE"),
    "card-folder": ("evaluate", "card", "FILE", "good.txt"),
    "annotate-import": ("annotate", "import", "FILE", "good.txt", "-o", "out.jsonl"),
    "annotate-export": ("annotate", "export", "edits", "FILE.csv", "project"),
    "harvest": ("harvest", "FILE", "-o", "harvest"),
    "harvest-comments": ("harvest", "good.txt", "-o", "harvest", "--comments", "FILE.toml"),
    "label": ("label", "FILE.jsonl"),
    "suite": ("audit", "compare", "package", "package", "--suite", "FILE.toml"),
    "estimate": ("audit", "estimate", "FILE", "--margin", "0.1"),
    "train": ("train", "detector", "FILE.toml", "--output", "run"),
    "descriptions": ("probe", "mock:x", "--descriptions-file", "FILE.toml", "--list-descriptions"),
    "verify": ("data", "verify", "FILE.jsonl"),
    "prompts": ("generate", "mock:x", "--prompts", "FILE", "--max-tokens", "1"),
}

_NOT_TEXT = {"binary", "latin", "gzip", "gguf"}
_EMPTY = ("empty", "blank")
EXPECTED: dict[str, dict[str, int]] = {
    # a text or a list of prompts may say anything, and a configuration nothing
    "check": dict.fromkeys({*FILES} - _NOT_TEXT, 0),
    "fix": dict.fromkeys({*FILES} - _NOT_TEXT, 0),
    "baseline": dict.fromkeys({*FILES} - _NOT_TEXT, 0),
    "prompts": dict.fromkeys({*FILES} - _NOT_TEXT - {*_EMPTY, "utf16"}, 0),
    "check-config": dict.fromkeys(_EMPTY, 0),
    "fix-config": dict.fromkeys(_EMPTY, 0),
    "rules": dict.fromkeys(_EMPTY, 0),
    "explain": dict.fromkeys(_EMPTY, 0),
    "label": dict.fromkeys(_EMPTY, 0),
    "check-output": {"device": 0},
    # what is wrong in a corpus is what `verify` is asked for
    "verify": dict.fromkeys({*FILES, "huge"}, 1) | dict.fromkeys(_EMPTY, 0),
}
"""The exit codes other than 2, by command and sort of file."""


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every sort of bad file under every suffix that a command asks for."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "good.txt").write_text("A plain sentence.\n")
    (folder / "rules.cfg").write_text('analyzers = ["rules"]\n')
    (folder / "package").mkdir()
    (folder / "package" / "card.json").write_text("{}")
    for suffix in ("", ".json", ".jsonl", ".csv", ".toml"):
        for name, content in FILES.items():
            (folder / f"{name}{suffix}").write_bytes(content)
        (folder / f"folder{suffix}").mkdir()
        os.mkfifo(folder / f"pipe{suffix}")
        (folder / f"device{suffix}").symlink_to("/dev/zero")
        (folder / f"loop{suffix}").symlink_to(f"loop{suffix}")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(folder / f"socket{suffix}"))
        with (folder / f"huge{suffix}").open("wb") as file:
            file.truncate(3 << 30)
    return folder


def path_of(sort: str, suffix: str) -> str:
    if sort == "inside-a-file":
        return f"good.txt/inner{suffix}"
    return ("x" * 300 if sort == "long-name" else sort) + suffix


def cases() -> Iterator[tuple[str, str]]:
    for command in COMMANDS:
        for sort in (*FILES, *SPECIAL):
            yield command, sort


ROWS = list(cases())


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 300


@pytest.fixture
def alarm() -> Iterator[None]:
    """End a command that waits for something."""

    def ring(_: int, __: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(300)  # a busy machine may let any of them wait for long; CPU time is bounded below
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


Answer = tuple[int, str, str]


@pytest.fixture
def run(
    bad: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    alarm: None,  # noqa: ARG001
) -> Callable[..., Answer]:
    monkeypatch.chdir(bad)
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UNSLANT_CONFIG_DIR", str(tmp_path / "config"))

    def run(*arguments: str) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
        began = time.process_time()
        code = _run(list(arguments))
        used = time.process_time() - began
        out, err = capsys.readouterr()
        assert used < 5, f"{used:.1f} s"
        return code, out, err

    return run


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def check_answer(code: int, out: str, err: str) -> None:
    assert code != 4, err
    assert code in (0, 1, 2), (code, err)
    assert "Traceback" not in err
    assert "internal error" not in err
    assert not CONTROLS.search(out + err), "control characters reach the terminal"
    if code == 2:
        assert err.strip() or "cannot be used" in out, "no word about what is wrong"
        assert len(err) < 2_000


@pytest.mark.parametrize(("command", "sort"), ROWS, ids=lambda part: str(part))
def test_a_bad_file_is_a_sentence(
    run: Callable[..., Answer], tmp_path: Path, command: str, sort: str
) -> None:
    arguments = []
    for part in COMMANDS[command]:
        if part == "OUTPUT":
            # existing files are fine to write to; these are not
            part = path_of(sort, "") if sort in SPECIAL and sort not in ("huge", "missing") else "/dev/full"
        elif part.startswith("FILE"):
            part = path_of(sort, part.removeprefix("FILE"))
        elif part in ("new-baseline.json", "project", "harvest", "run", "out.jsonl"):
            part = str(tmp_path / part)
        arguments.append(part)
    code, out, err = run(*arguments)
    check_answer(code, out, err)
    assert code == EXPECTED.get(command, {}).get(sort, 2), (out, err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--analyzer", "llm:http://[::1", "good.txt"),
        ("check", "--analyzer", "llm:http://", "good.txt"),
        ("check", "--analyzer", "llm:http://host:port/v1?model=x", "good.txt"),
        ("check", "--analyzer", "llm:http://host:99999/v1?model=x", "good.txt"),
        ("fix", "--rewriter", "llm:http://[::1", "good.txt"),
        ("generate", "http://[::1", "--prompt", "x"),
        ("audit", "run", "http://[::1", "-o", "OUT"),
        ("check", "--analyzer", "llm:", "good.txt"),
        ("check", "--analyzer", "hf:", "good.txt"),
        ("check", "--analyzer", "nothing", "good.txt"),
        ("check", "--analyzer", "\x1b[31m", "good.txt"),
        ("check", "--select", "\x1b[31m", "good.txt"),
        ("check", "--since", "--upload-pack=x", "good.txt"),
        ("check", "--since", "\x1b[31m", "good.txt"),
        ("check", "--threshold", "nan", "good.txt"),
        ("check", "--threshold", "2", "good.txt"),
        ("check", "--jobs", "-1", "good.txt"),
        ("check", "\x1b[31mred\n.txt"),
        ("check", "nul\0byte"),
        ("check", "--config", "nul\0byte", "good.txt"),
        ("check", "--baseline", "nul\0byte", "good.txt"),
        ("check", "--output", "nul\0byte", "good.txt"),
        ("fix", "--budget", "7", "good.txt"),
        ("\x1b[31m",),
        ("check", "--\x1b[31m"),
        ("explain", "\x1b[31m"),
        ("trust", "missing"),
        ("trust", "--remove", "missing"),
        ("serve", "--limit", "seconds=nan"),
        ("serve", "--limit", "seconds=inf"),
        ("serve", "--limit", "x=1"),
        ("serve", "--host", "192.0.2.1"),
        ("serve", "--host", "not a host", "--insecure-public"),
        ("models", "nul\0byte"),
        ("data", "verify", "nothing"),
        ("data", "get", "nothing"),
        ("audit", "run", "mock:x", "--suite", "missing.toml"),
        ("baseline", "good.txt", "-o", "/dev/null"),
        ("baseline", "good.txt", "-o", "folder"),
    ],
    ids=lambda arguments: " ".join(arguments).encode("unicode_escape").decode()[:60],
)
def test_a_bad_option_is_a_sentence(
    run: Callable[..., Answer], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    code, out, err = run(*(str(tmp_path / "out") if part == "OUT" else part for part in arguments))
    check_answer(code, out, err)
    assert code == 2, (out, err)


def test_a_folder_that_cannot_be_written_to(run: Callable[..., Answer]) -> None:
    for arguments in (
        ("data", "get", "babe", "--yes", "--data", "/proc/1"),
        ("data", "get", "babe", "--yes", "--data", "good.txt/inner"),
        ("harvest", "good.txt", "-o", "/proc/nothing"),
        ("annotate", "export", "edits", "empty.csv", "/proc/nothing"),
        ("train", "detector", "findings", "--output", "/proc/nothing"),
    ):
        code, out, err = run(*arguments)
        check_answer(code, out, err)
        assert code == 2, arguments
