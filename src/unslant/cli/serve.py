"""``unslant serve``: an HTTP server and a page to write in."""

from __future__ import annotations

import os
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.cli.settings import config_options, load
from unslant.core.errors import ConfigError, MissingExtra
from unslant.spec import TIERS

__all__ = ["serve"]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8765,
    show_default=True,
    help="The port; 0: any free one.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Answer only those who show the token in this file, or in UNSLANT_TOKEN.",
)
@click.option(
    "--insecure-public", is_flag=True, help="Listen on a public address without a token. Anybody may call."
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let web pages of this origin call from a browser.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set one of the limits that the documentation lists, such as seconds=30.",
)
@click.option("--log-requests", is_flag=True, help="Log a line for each request; never a word of the text.")
@click.option("--tier", type=click.Choice(list(TIERS)), help="Ask the rules, the model or both.")
@click.option("--model", metavar="DIR", help="Ask this model instead of the one that ships.")
@config_options
def serve(
    host: str,
    port: int,
    token_file: Path | None,
    insecure_public: bool,
    origins: tuple[str, ...],
    limits: tuple[str, ...],
    log_requests: bool,
    tier: str | None,
    model: str | None,
    config: Path | None,
    no_config: bool,
) -> int:
    """Answer over HTTP, and serve a page to write in, until stopped with Ctrl-C or SIGTERM."""
    spec = load(config, no_config, {"analyzers": TIERS[tier] if tier else None, "model": model}).spec
    token = _token(token_file)
    try:
        from unslant.server import run
        from unslant.server.settings import ServerSettings, read_limits
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("unslant", ""):
            raise
        raise MissingExtra("the server", str(error.name), "server") from error
    if run.is_public(host) and not token and not insecure_public:
        raise ConfigError(
            f"{host!r} can be reached by others, who could all use this server; give a token with --token-file or "
            "UNSLANT_TOKEN, or say --insecure-public"
        )
    settings = ServerSettings(
        spec=spec, limits=read_limits(limits), token=token, origins=origins, log_requests=log_requests
    )
    with run.listen(host, port) as listener:
        run.serve(settings, listener, lambda address: click.echo(f"unslant serves {address}", err=True))
    return Exit.CLEAN


def _token(file: Path | None) -> str:
    """Return the token; never from an option, as other users of the machine can read those."""
    if file is None:
        return os.environ.get("UNSLANT_TOKEN", "").strip()
    try:
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--token-file {str(file)!r} cannot be read: {error}") from None
    if not token:
        raise ConfigError(f"--token-file {str(file)!r} is empty; write a token into it")
    return token
