"""``unslant serve``, ``lsp`` and ``mcp``: answer web clients over HTTP, editors and agents over standard input."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    AnalyzerOptions,
    Count,
    analyzer_options,
    announce_destinations,
    config_options,
    current_settings,
    missing_extra,
    rewriter_option,
    settings_cache,
    tier_option,
)
from unslant.config import SettingsCache
from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_text
from unslant.integrations.mcp import LONGEST, Tools, make_server
from unslant.registry import resolve
from unslant.spec import NO_REWRITER, TIERS, Spec

if TYPE_CHECKING:
    from unslant.server.settings import LogFormat


class _ServeOptions(AnalyzerOptions):
    rewriter: str | None


@click.command()
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option(
    "--port",
    type=Count(0, 65_535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Require the token in this file with every request. UNSLANT_TOKEN does the same.",
)
@click.option(
    "--insecure-public",
    is_flag=True,
    help="Allow a public address without a token. Anybody who can reach the server can use it.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Allow web pages from this origin to call the server. Can be repeated.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a limit, such as seconds=30; docs/server.md lists them. Can be repeated.",
)
@click.option(
    "--workers",
    type=Count(1),
    default=1,
    show_default=True,
    help="Serve in this many processes, each with its own queue, limits and metrics.",
)
@click.option("--log-requests", is_flag=True, help="Log one line per request, without any of the text.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the log as text, or as one JSON object per line.",
)
@analyzer_options
@rewriter_option
@config_options
def serve(
    host: str,
    port: int,
    token_file: Path | None,
    insecure_public: bool,
    origins: tuple[str, ...],
    limits: tuple[str, ...],
    workers: int,
    log_requests: bool,
    log_format: LogFormat,
    **options: Unpack[_ServeOptions],
) -> int:
    """Start an HTTP server with a web page to write in. Stop it with Ctrl-C or SIGTERM."""
    spec = current_settings(options).spec
    token = _token(token_file)
    with missing_extra("the server", "server"):
        from unslant.server import run
        from unslant.server.settings import ServerSettings, read_limits
    if run.is_public(host) and not token and not insecure_public:
        raise ConfigError(
            f"--host {host!r} is a public address, and anybody could use this server; set a token with --token-file "
            "or UNSLANT_TOKEN, or allow it with --insecure-public"
        )
    settings = ServerSettings(
        spec=spec,
        limits=read_limits(limits),
        token=token,
        origins=origins,
        local=not token and not run.is_public(host),
        log_requests=log_requests,
        log_format=log_format,
    )
    announce_destinations(spec.destinations(rewriter=True))
    if options["rewriter"]:
        _try_rewriter(spec)
    with run.listen(host, port) as listener:

        def started(address: str) -> None:
            click.echo(f"unslant serves {address}", err=True)

        if workers > 1:
            run.serve_in_processes(settings, listener, started, workers)
        else:
            run.serve(settings, listener, started)
    return Exit.CLEAN


def _try_rewriter(spec: Spec) -> None:
    """Raise an error at once if the rewriter that the user named cannot be used, rather than at the first request."""
    if spec.rewriter not in NO_REWRITER:
        resolve("rewriter", spec.rewriter)(spec)


def _token(file: Path | None) -> str:
    """Return the token; never from an option, because other users of the machine can read those."""
    if file is None:
        return os.environ.get("UNSLANT_TOKEN", "").strip()
    try:
        token = read_text(file, max_bytes=4_096).strip()
    except InputError as error:
        raise ConfigError(f"--token-file {error}") from error
    if not token:
        raise ConfigError(f"--token-file {str(file)!r} is empty; write a token into it")
    return token


@click.command()
@analyzer_options
@rewriter_option
@config_options
def lsp(
    tier: str | None, model: str | None, rewriter: str | None, config: Path | None, no_config: bool
) -> int:
    """Start a language server for editors, over standard input and output.

    Editors start it themselves; docs/editor.md shows how to set them up.
    """
    given: dict[str, object] = {
        "analyzers": TIERS[tier] if tier else None,
        "model": model,
        "rewriter": rewriter,
    }
    overrides = {name: value for name, value in given.items() if value is not None}
    with missing_extra("the language server", "editor"):
        from unslant.editor.server import serve as start

    def open_settings(editor: Mapping[str, object]) -> SettingsCache:
        return settings_cache(config, no_config, {**editor, **overrides})

    if rewriter is not None:
        spec = open_settings({}).for_path(Path.cwd()).spec
        announce_destinations(spec.destinations(rewriter=True))
        _try_rewriter(spec)
    start(open_settings)
    return Exit.CLEAN


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
