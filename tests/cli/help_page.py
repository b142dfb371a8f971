"""The page docs/cli.md: the help of every command. ``python -m tests.cli.help_page`` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from unslant.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
HEAD = """# Command line

The help of every command, as `unslant COMMAND --help` prints it. `python -m tests.cli.help_page` writes this page, and
a test checks that it is current.
"""
WIDTH = 100


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command and subcommand with its full name, groups before their commands."""
    yield from _below("unslant", main)


def _below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for part in command.list_commands(context):
            found = command.get_command(context, part)
            assert found is not None
            yield from _below(f"{name} {part}", found)


def help_page() -> str:
    """Return the page as it should be."""
    parts = [HEAD]
    for name, command in commands():
        command._help_option = None  # click keeps it from a test that ran the command by itself, without -h
        context = click.Context(
            command,
            info_name=name,
            terminal_width=WIDTH,
            max_content_width=WIDTH,
            help_option_names=["-h", "--help"],
        )
        parts.append(
            f"{'#' * min(2 + name.count(' '), 3)} `{name}`\n\n```text\n{command.get_help(context)}\n```\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(help_page(), "utf-8")
