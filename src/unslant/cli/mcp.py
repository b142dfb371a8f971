"""``unslant mcp``: a server for agents."""

from __future__ import annotations

import click

from unslant.cli.options import Count, tier_option
from unslant.integrations.mcp import LONGEST, Tools, make_server

__all__ = ["mcp"]


@click.command()
@tier_option
@click.option(
    "--max-length",
    type=Count(min=1),
    default=LONGEST,
    show_default=True,
    help="Refuse texts with more characters than this.",
)
def mcp(tier: str, max_length: int) -> None:
    """Start a server for agents that speak the Model Context Protocol, on standard input and output.

    Its tools are check, fix, compare, explain and rules. It needs the extra 'mcp'.
    """
    make_server(Tools(tier, max_length)).run("stdio")
