"""The ``unslant`` command: finds the subcommand, and turns every way of ending into an exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import NoReturn

import click

from unslant.cli.exits import Exit
from unslant.core.errors import UnslantError, nearest

__all__ = ["main", "run"]

_COMMANDS = {
    "aggregate": (
        "unslant.lab.cli.aggregate:aggregate",
        "Take majorities and soft labels out of annotations.",
    ),
    "agree": ("unslant.lab.cli.agree:agree", "Measure how far annotators agree."),
    "annotate": (
        "unslant.lab.cli.annotate:annotate",
        "Make annotation projects for Label Studio and read their results.",
    ),
    "audit": ("unslant.lab.cli.audit:audit", "Measure the political slant of a language model."),
    "baseline": (
        "unslant.cli.baseline:baseline",
        "Accept today's findings, so that only new ones are reported.",
    ),
    "check": ("unslant.cli.check:check", "Find slanted wording in files, folders or standard input."),
    "completion": (
        "unslant.cli.completion:completion",
        "Print a script that completes commands in your shell.",
    ),
    "data": ("unslant.lab.cli.data:data", "Find, check, describe, compare and split the published corpora."),
    "evaluate": ("unslant.lab.cli.evaluate:evaluate", "Measure a model on labelled text."),
    "explain": ("unslant.cli.explain:explain", "Say what a rule is about, or what the model sees in a text."),
    "fix": ("unslant.cli.fix:fix", "Word slanted sentences neutrally, and prove that the facts stay."),
    "generate": (
        "unslant.lab.cli.generate:generate",
        "Let a language model write, with less slant if asked for.",
    ),
    "harvest": ("unslant.lab.cli.harvest:harvest", "Find neutrality edits in the history dumps of a wiki."),
    "label": ("unslant.lab.cli.label:label", "Label sentence pairs without annotators, as training data."),
    "lsp": ("unslant.cli.lsp:lsp", "Serve an editor, by the Language Server Protocol."),
    "models": ("unslant.cli.models:models", "List models, verify them, and say what they learned from."),
    "probe": (
        "unslant.lab.cli.probe:probe",
        "Measure how well a language model handles slant, and how much the wording matters.",
    ),
    "rules": ("unslant.cli.rules:rules", "List the rules, or measure them on labelled text."),
    "serve": ("unslant.cli.serve:serve", "Answer over HTTP, and serve a page to write in."),
    "train": ("unslant.lab.cli.train:train", "Train a model by a recipe."),
}
"""Where each command lives and what it is for; it is imported only when it is run."""


class _Commands(click.Group):
    """A group that imports a command only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in sorted(_COMMANDS.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            close = nearest(args[0], _COMMANDS)
            hint = f" Did you mean {close!r}?" if close else " 'unslant --help' lists them."
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
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show it."
)
def main() -> None:
    """Find slanted wording, say what kind it is and why, and offer a neutral wording.

    Start with: unslant check FILE
    """


def run() -> NoReturn:
    """Run the command line and exit."""
    # what is built at the start lives to the end: looking through it for garbage only delays the first answer
    gc.set_threshold(50_000, 20, 50)
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    try:
        outcome = main.main(arguments, prog_name="unslant", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # whoever read our output has seen enough; a second failure at exit would only confuse
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.INTERRUPTED
    except UnslantError as error:
        click.echo(f"unslant: {error}", err=True)
        return Exit.USAGE
    except Exception as error:
        if os.environ.get("UNSLANT_TRACEBACK"):
            raise
        click.echo(
            f"unslant: a bug in unslant, sorry: {type(error).__name__}: {error}. "
            "Set UNSLANT_TRACEBACK=1 to see where, and please report it.",
            err=True,
        )
        return Exit.INTERNAL
    return int(outcome or 0)
