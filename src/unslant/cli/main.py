"""The ``unslant`` command: finds the subcommand, and turns every outcome into an exit code."""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import signal
import sys
import threading
from typing import NoReturn

import click

from unslant.cli.exits import Exit
from unslant.core.errors import UnslantError, nearest

_LAB = "unslant.lab.cli"

_COMMANDS = {
    "Check and fix texts": {
        "check": ("unslant.cli.check:check", "Find slanted wording in files, folders or standard input."),
        "fix": ("unslant.cli.fix:fix", "Suggest or apply edits that remove the slant and keep the facts."),
        "compare": ("unslant.cli.compare:compare", "Show which findings a change introduces and resolves."),
        "score": ("unslant.cli.score:score", "Score the texts in a column of a table."),
        "baseline": (
            "unslant.cli.check:baseline",
            "Accept today's findings, so that only new ones are reported.",
        ),
        "rules": ("unslant.cli.rules:rules", "List the rules, or test a rule pack."),
        "explain": ("unslant.cli.rules:explain", "Explain a rule, or what the model sees in a text."),
        "trust": ("unslant.cli.trust:trust", "Let the configuration of a folder name models."),
        "models": ("unslant.cli.models:models", "List and verify models."),
        "serve": ("unslant.cli.serve:serve", "Start an HTTP server with a web page to write in."),
        "lsp": ("unslant.cli.serve:lsp", "Start a language server for editors."),
        "mcp": ("unslant.cli.serve:mcp", "Start a server for agents (Model Context Protocol)."),
        "completion": ("unslant.cli.main:completion", "Print a shell completion script."),
    },
    "Train and measure models": {
        "train": (f"{_LAB}.train:train", "Train a detector, a rewriter, a judge or a debiaser."),
        "evaluate": (
            f"{_LAB}.evaluate:evaluate",
            "Measure a model, the rules or a rewriter on labelled text.",
        ),
        "reproduce": (
            f"{_LAB}.reproduce:reproduce",
            "Reproduce the tables of a paper, ours beside the published figures.",
        ),
        "release": (
            f"{_LAB}.release:release",
            "Make everything again that ships with unslant, and compare.",
        ),
        "data": (f"{_LAB}.data:data", "Download, verify, describe, compare and split corpora."),
        "annotate": (f"{_LAB}.annotate:annotate", "Run an annotation project in Label Studio."),
        "agree": (f"{_LAB}.annotate:agree", "Measure inter-annotator agreement."),
        "aggregate": (f"{_LAB}.annotate:aggregate", "Turn annotations into majority and soft labels."),
        "harvest": (f"{_LAB}.harvest:harvest", "Extract neutrality edits from a wiki's history."),
        "label": (f"{_LAB}.harvest:label", "Turn sentence pairs into weakly labelled training data."),
    },
    "Study language models": {
        "audit": (f"{_LAB}.audit:audit", "Measure the political slant of a language model."),
        "generate": (f"{_LAB}.generate:generate", "Generate text, optionally with less political slant."),
        "probe": (f"{_LAB}.probe:probe", "Measure how well a language model recognizes slant."),
    },
}
"""All commands: where each lives, and its line in the help. A command is imported only when it is run, and the lab's
commands are found by these names alone, because the linter must not import the lab."""

_BY_NAME = {name: entry for section in _COMMANDS.values() for name, entry in section.items()}


class _Commands(click.Group):
    """A group that imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_BY_NAME)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _BY_NAME:
            return None
        module, _, attribute = _BY_NAME[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in _COMMANDS.items():
            with formatter.section(title):
                width = max(map(len, _BY_NAME))
                formatter.write_dl([(name.ljust(width), about) for name, (_, about) in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _BY_NAME and not args[0].startswith("-"):
            close = nearest(args[0], _BY_NAME)
            hint = f" Did you mean {close!r}?" if close else " Run 'unslant --help' for a list."
            ctx.fail(f"no command named {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from unslant.version import VERSION

        click.echo(f"unslant {VERSION}")
        ctx.exit()


@click.command(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Find slanted wording in text, explain it, and suggest a neutral wording.

    To begin, run: unslant check FILE
    """


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands and options in your shell.

    \b
    bash:  unslant completion bash >> ~/.bashrc
    zsh:   unslant completion zsh >> ~/.zshrc
    fish:  unslant completion fish > ~/.config/fish/completions/unslant.fish
    """  # noqa: D301 - the command line needs the character itself
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(script(main, {}, "unslant", "_UNSLANT_COMPLETE").source())


def run() -> NoReturn:
    """Run the command line and exit."""
    # What is built at the start lives to the end: collecting garbage would only delay the first answer.
    gc.set_threshold(50_000, 20, 50)
    signal.signal(signal.SIGTERM, _terminate)
    is_check = sys.argv[1:2] == ["check"]
    if is_check:
        # numpy would start threads for large matrices, of which a check has none
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = _run(sys.argv[1:])
    if is_check and not _is_watched():
        _leave(code)
    sys.exit(code)


def _is_watched() -> bool:
    """Return whether a profiler, a debugger or a thread that is not ours waits for the end of the interpreter."""
    ours = (threading.main_thread().name, "unslant-")
    foreign = any(not thread.name.startswith(ours) for thread in threading.enumerate() if not thread.daemon)
    return foreign or sys.getprofile() is not None or sys.gettrace() is not None


def _leave(code: int) -> None:
    """End the process without freeing rules and model one object at a time: a tenth of the time of a first check.

    What was registered for the exit is run, and what was printed is written; if that fails, this returns.
    """
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def _run(arguments: list[str]) -> int:
    if any("\0" in argument for argument in arguments):  # from a program: no shell can pass it on
        _echo_error("unslant: an argument contains a NUL character, which no file name has")
        return Exit.USAGE
    try:
        outcome = main.main(arguments, prog_name="unslant", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        _show_usage(error)
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return Exit.INTERRUPTED
    except UnslantError as error:
        _echo_error(f"unslant: {error}")
        return Exit.USAGE
    except OSError as error:
        # a full disk, a folder without permission: the message of the system says what to do
        where = f"{error.filename!r}: " if error.filename is not None else ""
        _echo_error(f"unslant: {where}{error.strerror or error}")
        _discard_output()
        return Exit.USAGE
    except Exception as error:
        if os.environ.get("UNSLANT_TRACEBACK"):
            raise
        _echo_error(
            f"unslant: internal error: {type(error).__name__}: {error}. "
            "Please report it; UNSLANT_TRACEBACK=1 shows the traceback."
        )
        return Exit.INTERNAL
    return int(outcome or 0)


def _show_usage(error: click.ClickException) -> None:
    """Print what click prints, with everything that the user typed made visible."""
    shown = io.StringIO()
    error.show(shown)
    _echo_error(shown.getvalue().rstrip("\n"))


def _echo_error(message: str) -> None:
    """Print a message; a file or an option that it quotes may contain anything."""
    from unslant.report.printable import clean_lines

    click.echo(clean_lines(message), err=True)


def _discard_output() -> None:
    """Drop what could not be written: a second failure at exit would only confuse."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a file
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _terminate(_: int, __: object) -> NoReturn:
    """End as after Ctrl-C, so that nothing half written is left behind."""
    raise KeyboardInterrupt
