"""``unslant check``: find slanted wording in files, folders or standard input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.cli.settings import config_options, settings_cache
from unslant.config import show
from unslant.config.settings import FAIL_ON, OUTPUT_FORMATS
from unslant.text.formats import FORMATS
from unslant.workspace.plan import Inputs, plan

__all__ = ["check"]

_WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


def _split(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take a repeated option as well as one with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--select",
    multiple=True,
    callback=_split,
    metavar="LIST",
    help="Report only these rules, kinds or dimensions.",
)
@click.option("--ignore", multiple=True, callback=_split, metavar="LIST", help="Do not report these.")
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="The mildest severity that makes exit code 1. [default: warning]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(FORMATS)),
    help="Read everything as this. [default: by suffix]",
)
@click.option(
    "--output-format", type=click.Choice(OUTPUT_FORMATS), help="How to print findings. [default: text]"
)
@click.option(
    "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write there instead of to the screen."
)
@click.option("--quotations", is_flag=True, default=None, help="Check direct quotations too.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Leave out findings less probable than this. [default: 0.5]",
)
@click.option(
    "--diff", "revision", metavar="REV", help="Only words that were introduced since this git revision."
)
@click.option(
    "--baseline", metavar="FILE", type=click.Path(path_type=Path), help="Leave out what this file accepts."
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out paths, as in .gitignore.")
@click.option(
    "--stdin-name",
    metavar="PATH",
    default="<stdin>",
    help="What to call standard input; its suffix gives the format.",
)
@click.option(
    "--jobs", type=click.IntRange(0), help="Check this many files at a time. [default: as many as cores]"
)
@click.option("--no-cache", is_flag=True, help="Check every file anew.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to use colour. [default: auto]",
)
@click.option("--verbose", "-v", is_flag=True, help="Show the guidance behind each rule.")
@click.option("--sample", is_flag=True, help="Check the sample text that ships with unslant.")
@click.option("--show-config", is_flag=True, help="Print every setting with where it came from, and stop.")
@config_options
def check(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    form: str | None,
    output_format: str | None,
    output: Path | None,
    quotations: bool | None,
    threshold: float | None,
    revision: str | None,
    baseline: Path | None,
    exclude: tuple[str, ...],
    stdin_name: str,
    jobs: int | None,
    no_cache: bool,
    color: str,
    verbose: bool,
    sample: bool,
    show_config: bool,
    config: Path | None,
    no_config: bool,
) -> int:
    """Find slanted wording in PATHS: files, folders, globs, or - for standard input.

    \b
    Exit codes: 0 nothing found at or above --fail-on, 1 something found,
    2 an option, a configuration or a file cannot be used, 3 interrupted, 4 a bug.
    """
    overrides: dict[str, object] = {
        "select": select,
        "ignore": ignore,
        "fail-on": fail_on,
        "output-format": output_format,
        "quotations": quotations,
        "threshold": threshold,
        "exclude": exclude,
        "jobs": jobs,
        "cache": False if no_cache else None,
    }
    cache = settings_cache(config, no_config, overrides)
    settings = cache.for_path(Path.cwd())
    if show_config:
        click.echo(show(settings))
        return Exit.CLEAN
    arguments = _arguments(paths, sample)
    inputs = Inputs(arguments, sys.stdin.buffer, form, stdin_name)
    work = plan(inputs, settings, cache.for_path)
    keep = _filters(revision, baseline, work)
    look = _Look(color, verbose, output)
    summary = _render(work, settings, look, keep)
    return _exit(summary, settings.fail_on)


@dataclass(frozen=True, slots=True)
class _Look:
    color: str
    verbose: bool
    output: Path | None


def _arguments(paths: tuple[str, ...], sample: bool) -> tuple[str, ...]:
    if sample:
        return (*paths, str(files("unslant").joinpath("samples", "sample.md")))
    if paths:
        return paths
    if sys.stdin.isatty():
        raise click.UsageError(
            "nothing to check: name files or folders, - for standard input, or try --sample"
        )
    return ("-",)
