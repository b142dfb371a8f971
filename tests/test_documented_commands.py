"""Commands in the documentation exist with these options; those that need no model, corpus or network also run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run, folder, run
from unslant.cli.main import main
from unslant.cli.rules import ListByDefault

__all__ = ["folder", "run"]

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^|^\$ |[|&;] *|do )unslant ")
INLINE = re.compile(r"`(unslant [a-z][^`]*)`")
OPERATORS = {"|", "||", "&&", ";", "<", ">", ">>"}
RUNNABLE = (
    "agree ratings.csv",
    "aggregate ratings.csv",
    "audit run mock:",
    "baseline",
    "check",
    "compare article.md",
    "completion",
    "data list",
    "data show",
    "data stats own.csv",
    "explain",
    "fix",
    "generate mock:",
    "models",
    "probe --list-descriptions",
    "rules",
    "score own.csv",
    "train detector --list",
    "train rewriter --list",
)
"""How a command begins that a test can run: quick, and with nothing but the files of ``inputs``."""
ELSEWHERE = ("--interactive", "runs/", "hf:", "llm:")
"""What makes such a command need an answer, or a model that is not here."""
PLACEHOLDERS = {"TASK": "tagging", "$task": "tagging"}
SLANTED = "The legendary senator slammed the plan. His wife, a mailman, admitted that it failed.\n"


def _documented() -> Iterator[tuple[str, list[str], str]]:
    """Yield page, words and what is passed to standard input for each command in a fenced block."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text("utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                for words in _commands(line.removeprefix("$ ")) if CALL.search(line) else ():
                    yield page.name, words, SLANTED if "-" in words else ""


def _commands(line: str) -> Iterator[list[str]]:
    """Yield the words after ``unslant`` for each call in a line of shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|<>&")
    lexer.whitespace_split = True
    words = list(lexer)
    while "unslant" in words:
        words = words[words.index("unslant") + 1 :]
        end = next((at for at, word in enumerate(words) if word in OPERATORS), len(words))
        yield words[:end]


COMMANDS = [
    pytest.param(words, stdin, id=f"{page}: {' '.join(words)}") for page, words, stdin in _documented()
]
GUIDES = tuple(f"{path.name}: " for path in (ROOT / "docs" / "guides").glob("*.md"))
RUN = [
    parameter
    for parameter in COMMANDS
    if " ".join(parameter.values[0]).startswith(RUNNABLE)
    and not str(parameter.id).startswith(GUIDES)  # tests/test_guides.py runs them in order
    and not any(part in " ".join(parameter.values[0]) for part in ELSEWHERE)
]


def _find(words: list[str]) -> tuple[click.Command, click.Context, list[str]]:
    """Return the command that words name, and the words that are left."""
    command: click.Command = main
    context = click.Context(main, info_name="unslant")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            pytest.fail(f"there is no command {words[0]!r}")
        command, words = found, words[1:]
        context = click.Context(command, context, info_name=command.name)
        if isinstance(command, ListByDefault):
            words = command.with_command(words)
    return command, context, words


def _check_words(words: list[str]) -> None:
    """Parse words as the command line does, without looking whether files exist."""
    command, context, rest = _find(words)
    assert not isinstance(command, click.Group), f"{' '.join(words)}: names no command"
    values, left, _ = command.make_parser(context).parse_args(list(rest))
    assert not left, f"unexpected: {left}"
    # what was not given is None or a sentinel, by the version of click
    given = {name: value for name, value in values.items() if isinstance(value, str | bool | list | tuple)}
    eager = any(parameter.is_eager and given.get(parameter.name or "") for parameter in command.params)
    for parameter in command.params:
        value = given.get(parameter.name or "")
        if parameter.required and not eager:
            assert value not in (None, (), []), f"{' '.join(words)}: {parameter.name} is missing"
        if value is not None and not isinstance(parameter.type, click.Path | click.File):
            parameter.type_cast_value(context, value)


def test_there_are_commands_in_the_documentation() -> None:
    assert len(COMMANDS) > 60
    assert len(RUN) > 15


@pytest.mark.parametrize(("words", "stdin"), COMMANDS)
def test_a_documented_command_exists_with_these_options(words: list[str], stdin: str) -> None:
    del stdin
    _check_words([PLACEHOLDERS.get(word, word) for word in words])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_sentences_exist_with_these_options(page: Path) -> None:
    if page.name == "cli.md":
        pytest.skip("its help texts are compared as a whole")
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for inline in INLINE.findall(text):
        words = [word for word in inline.split()[1:] if "…" not in word and "\\|" not in word]
        known = [word for word in words if word.startswith("--")]
        words = [PLACEHOLDERS.get(word, word) for word in words]
        command, _, _ = _find([word for word in words if not word.isupper()])
        options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        missing = [word for word in known if word.partition("=")[0].strip("`,.") not in options]
        assert missing == [], f"{page.name}: {inline}"


@pytest.fixture
def inputs(folder: Path) -> Path:
    """The files that the documentation speaks of, in a git repository."""
    for name in ("article.md", "docs/guide.md", "posts/new.md", "in.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SLANTED, "utf-8")
    (folder / "own.csv").write_text(
        "sentence,is_biased\nIt rained.,objective\nThey lied.,subjective\n", "utf-8"
    )
    rows = [f"{item},{who},{label}" for who in "xy" for item, label in enumerate("ynny")]
    (folder / "ratings.csv").write_text("item,annotator,label\n" + "\n".join(rows) + "\n", "utf-8")
    (folder / "unslant-baseline.json").write_text('{"schema": "unslant/baseline/1", "files": {}}', "utf-8")
    identity = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in (["init", "-q", "-b", "main"], ["add", "docs"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=folder, check=True, env=os.environ | identity)
    return folder


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(("words", "stdin"), RUN)
def test_a_documented_command_runs(run: Run, words: list[str], stdin: str) -> None:
    if "unslant-baseline.json" in words:
        assert run("baseline", "docs").code == 0
    result = run(*words, stdin=stdin.encode())
    assert result.code in (0, 1), result.err
    assert "Traceback" not in result.err
    assert result.out or "--output" in words
