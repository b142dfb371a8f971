"""``unslant lsp``: a language server for editors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.cli.settings import config_options, settings_cache
from unslant.config import SettingsCache
from unslant.core.errors import MissingExtra
from unslant.spec import TIERS

__all__ = ["lsp"]


@click.command()
@click.option("--tier", type=click.Choice(list(TIERS)), help="Ask the rules, the model or both.")
@click.option("--model", metavar="DIR", help="Ask this model instead of the one that ships.")
@config_options
def lsp(tier: str | None, model: str | None, config: Path | None, no_config: bool) -> int:
    """Serve an editor over standard input and output, by the Language Server Protocol."""
    given: dict[str, object] = {"analyzers": TIERS[tier] if tier else None, "model": model}
    options = {name: value for name, value in given.items() if value is not None}
    try:
        from unslant.editor.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("unslant", ""):
            raise
        raise MissingExtra("the language server", str(error.name), "editor") from error

    def opened(editor: Mapping[str, object]) -> SettingsCache:
        return settings_cache(config, no_config, {**editor, **options})

    serve(opened)
    return Exit.CLEAN
