"""The command line as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from unslant.cli.exits import Exit
from unslant.cli.main import _BY_NAME
from unslant.version import VERSION

from .conftest import Run
from .help_page import PAGE, commands, help_page

ROOT = Path(__file__).parents[2]


def test_version_and_help(run: Run) -> None:
    assert run("--version").out == f"unslant {VERSION}\n"
    for command in _BY_NAME:
        result = run(command, "--help")
        assert result.code == 0
        assert result.out.startswith(f"Usage: unslant {command}")
        assert command in run("--help").out


def test_an_unknown_command_or_option_is_exit_2_with_a_hint(run: Run) -> None:
    result = run("chekc")
    assert (result.code, result.out) == (2, "")
    assert "Did you mean 'check'?" in result.err
    result = run("check", "--fail-no", "never", "-")
    assert result.code == 2
    assert "--fail-on" in result.err


def test_the_help_in_the_documentation_is_current() -> None:
    assert PAGE.read_text("utf-8") == help_page(), "run: python -m tests.cli.help_page"


def test_every_command_is_explained_on_a_page_beside_its_help() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in PAGE.parent.glob("*.md") if path != PAGE)
    found = [name for name, _ in commands() if name not in pages and f"`{name.split()[-1]}`" not in pages]
    assert found == []


def test_every_command_and_option_has_a_help_text() -> None:
    for name, command in commands():
        assert command.help, name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.name}"
                assert parameter.help.split("  [")[0].endswith("."), f"{name} {parameter.name}"


def test_the_same_option_has_the_same_name_and_short_form_everywhere() -> None:
    """An option that another command calls by its usual name is not called otherwise here."""
    unusual = {"--format", "--json", "--out", "--bootstrap", "--batch", "--silent", "--jsonl", "--markdown"}
    short: dict[str, set[str]] = {}
    for name, command in commands():
        for parameter in command.params:
            assert not unusual & {*parameter.opts}, name
            for option in parameter.opts:
                if not option.startswith("--") and isinstance(parameter, click.Option):
                    short.setdefault(option, set()).add(max(parameter.opts, key=len))
    assert {option: names for option, names in short.items() if len(names) > 1} == {}
    for name, command in commands():
        for parameter in command.params:
            for option, (usual,) in short.items():
                if usual in parameter.opts:
                    assert option in parameter.opts, f"{name} {usual}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.code == 0
    assert "_UNSLANT_COMPLETE" in result.out


def test_completion_knows_commands_and_options() -> None:
    def complete(words: str, count: int) -> str:
        return subprocess.run(
            [sys.executable, "-m", "unslant"],
            env=os.environ
            | {
                "PYTHONPATH": str(ROOT / "src"),
                "_UNSLANT_COMPLETE": "bash_complete",
                "COMP_WORDS": words,
                "COMP_CWORD": str(count),
            },
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    assert "check" in complete("unslant ch", 1)
    assert "--fail-on" in complete("unslant check --fa", 2)


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "torch",
        "transformers",
        "onnxruntime",
        "fastapi",
        "ray",
        "pandas",
        "sklearn",
        "numpy",
        "pyarrow",
    ]
    code = (
        "import sys, unslant; early = sorted(sys.modules); "
        "unslant.check('It is a plain text.', spec=unslant.Spec(analyzers=('rules',))); "
        f"print([name for name in {heavy} if name in sys.modules], 'unslant.pipeline' in early)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "[] False\n"


_WITH_EXIT_FUNCTION = """
import atexit, sys
atexit.register(print, "the end")
sys.argv = ["unslant", "check", "--no-config", "--tier", "rules", "--text", "The legendary plan failed."]
from unslant.cli.main import run
run()
"""


def test_a_check_writes_everything_and_runs_exit_functions_before_it_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITH_EXIT_FUNCTION], capture_output=True, text=True, check=False
    )
    assert done.returncode == Exit.FINDINGS, done.stderr
    assert "legendary" in done.stdout
    assert done.stdout.endswith("the end\n")
    assert done.stderr == ""


def test_a_check_can_be_profiled(tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    command = [
        "-m",
        "cProfile",
        "-o",
        str(figures),
        "-m",
        "unslant",
        "check",
        "--tier",
        "rules",
        "--text",
        "A plan.",
    ]
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    assert figures.stat().st_size > 1_000
