"""A folder that is checked may contain files named like the modules that Python and unslant import: none of them runs.

The commands are run as they are installed, by a script outside of the folder, with the folder as the current one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path
from threading import Timer

import pytest

from tests.lab.wiki.dump_files import PAIR, Dump, PageOf, edited

ROOT = Path(__file__).parents[1]
TEXT = "The legendary singer slammed the plan.\n"
OURS = ("unslant", "sitecustomize", "usercustomize", "click", "numpy", "nupunkt", "onnxruntime", "pathspec")
EXTRAS = (
    "platformdirs",
    "tokenizers",
    "pyarrow",
    "fastapi",
    "uvicorn",
    "h11",
    "pydantic",
    "pygls",
    "lsprotocol",
    "ray",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file for every module of the standard library, and for the packages that we use."""
    folder = tmp_path_factory.mktemp("hostile")
    mark = folder.parent / f"{folder.name}.ran"
    for name in (*sys.stdlib_module_names, *OURS, *EXTRAS):
        (folder / f"{name}.py").write_text(
            f"with open({str(mark)!r}, 'a') as stream:\n    stream.write({name!r} + ' ')\nraise SystemExit(99)\n"
        )
    # large enough to be shared between processes, and quick to read
    for number in range(3):
        (folder / f"page{number}.txt").write_text(TEXT + " " * 800_000)
    (folder / "small.md").write_text(TEXT)
    for number in range(2):
        Dump([PageOf(edited(*PAIR))]).write(folder / f"small-{number}.xml")
    (folder / "rows.csv").write_text("text\n" + TEXT * 40)
    return folder


@pytest.fixture
def unslant(folder: Path, tmp_path: Path) -> list[str]:
    """Return the command as it is installed: a script in a folder of its own."""
    script = tmp_path / "bin" / "unslant"
    script.parent.mkdir()
    script.write_text(
        "import sys\nfrom unslant.cli.main import run\nif __name__ == '__main__':\n    sys.exit(run())\n"
    )
    mark(folder).unlink(missing_ok=True)
    return [sys.executable, str(script)]


def mark(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.ran"


def environment(tmp_path: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return clean | {"PYTHONPATH": str(ROOT / "src"), "UNSLANT_CACHE_DIR": str(tmp_path / "cache")}


def run(
    command: list[str], folder: Path, tmp_path: Path, given: str = ""
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(tmp_path),
        input=given,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    ran = mark(folder).read_text() if mark(folder).exists() else ""
    assert ran == "", f"{command}: {ran}\n{done.stderr}"
    assert done.returncode in (0, 1), done.stderr
    return done


@pytest.mark.usefixtures("unslant")
def test_the_files_would_run(folder: Path, tmp_path: Path) -> None:
    """Python started with code on its command line takes them, as workers would; this shows that the folder works."""
    done = subprocess.run(
        [sys.executable, "-c", "import random"],
        cwd=folder,
        env=environment(tmp_path),
        check=False,
        timeout=60,
    )
    assert done.returncode == 99
    assert mark(folder).read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--tier", "rules", "--no-cache", "--jobs", "2", "."],
        ["check", "small.md"],
        ["fix", "small.md"],
        ["score", "rows.csv", "--tier", "rules", "--jobs", "2", "--output", "{out}/scores.jsonl"],
        ["harvest", "small-0.xml", "small-1.xml", "--workers", "2", "--output", "{out}/pairs"],
        ["check", "--show-config"],
        ["rules"],
        ["models"],
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_no_command_imports_from_the_folder(
    folder: Path, unslant: list[str], tmp_path: Path, arguments: list[str]
) -> None:
    run([*unslant, *(part.format(out=tmp_path) for part in arguments)], folder, tmp_path)


@pytest.mark.usefixtures("unslant")
def test_python_with_its_own_option_imports_nothing_from_the_folder(folder: Path, tmp_path: Path) -> None:
    done = run(
        [sys.executable, "-P", "-m", "unslant", "check", "--tier", "rules", "small.md"], folder, tmp_path
    )
    assert "slammed" in done.stdout


def test_the_hook_of_pre_commit_imports_nothing_from_the_folder(
    folder: Path, unslant: list[str], tmp_path: Path
) -> None:
    (entry,) = re.findall(r"^ +entry: (.+)$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    program, *arguments = shlex.split(entry)
    assert program == "unslant", "the installed script, not python -m"
    done = run([*unslant, *arguments, "small.md"], folder, tmp_path)
    assert "slammed" in done.stdout


@pytest.mark.usefixtures("unslant")
def test_the_action_starts_python_isolated(folder: Path, tmp_path: Path) -> None:
    text = (ROOT / "action.yml").read_text()
    starts = [
        line.strip() for line in text.splitlines() if re.search(r"\bpython3?\b", line) and "#" not in line
    ]
    assert starts == ['python3 -I -m venv "$RUNNER_TEMP/unslant"']
    for line in starts:
        words = [word.replace("$RUNNER_TEMP", str(tmp_path)) for word in shlex.split(line)]
        run([sys.executable, *words[1:], "--without-pip"], folder, tmp_path)
    assert (tmp_path / "unslant" / "pyvenv.cfg").is_file()


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["one process", "two processes"])
def test_the_server_imports_nothing_from_the_folder(
    folder: Path, unslant: list[str], tmp_path: Path, options: list[str]
) -> None:
    with subprocess.Popen(
        [*unslant, "serve", "--port", "0", "--tier", "rules", *options],
        cwd=folder,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = ""
            while (address := re.search(r"http://127\.0\.0\.1:\d+/", said)) is None:
                line = process.stdout.readline()
                assert line, said
                said += line
            request = urllib.request.Request(  # noqa: S310 - the address is ours
                f"{address[0]}v1/check",
                json.dumps({"text": TEXT}).encode(),
                {"content-type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
                assert b"slammed" in response.read()
        finally:
            process.terminate()
            process.wait(30)
    assert not mark(folder).exists(), mark(folder).read_text()


def test_the_language_server_imports_nothing_from_the_folder(
    folder: Path, unslant: list[str], tmp_path: Path
) -> None:
    uri = (folder / "small.md").as_uri()
    opened = {"uri": uri, "languageId": "markdown", "version": 1, "text": TEXT}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
    ]
    with subprocess.Popen(
        [*unslant, "lsp", "--tier", "rules"],
        cwd=folder,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            for message in messages:
                body = json.dumps({"jsonrpc": "2.0"} | message).encode()
                process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            process.stdin.flush()
            stop = Timer(100, process.kill)
            stop.start()
            said = b""
            while b"slammed" not in said:
                part = process.stdout.read1()
                assert part, said
                said += part
            stop.cancel()
        finally:
            process.kill()
    assert not mark(folder).exists(), mark(folder).read_text()


@pytest.mark.ray
def test_ray_imports_nothing_from_the_folder(folder: Path, unslant: list[str], tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    command = [
        "score",
        "rows.csv",
        "--tier",
        "rules",
        "--engine",
        "ray",
        "--workers",
        "1",
        "--output",
        str(out),
    ]
    run([*unslant, *command], folder, tmp_path)
    assert out.is_file()
