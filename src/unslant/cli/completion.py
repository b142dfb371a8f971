"""``unslant completion``: completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["completion"]

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print a script that completes commands in your shell.

    \b
    bash:  unslant completion bash >> ~/.bashrc
    zsh:   unslant completion zsh >> ~/.zshrc
    fish:  unslant completion fish > ~/.config/fish/completions/unslant.fish
    """  # noqa: D301 - the command line needs the character itself
    from unslant.cli.main import main

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(found(main, {}, "unslant", "_UNSLANT_COMPLETE").source())
