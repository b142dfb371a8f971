"""``unslant check``: find slanted wording in files, folders or standard input."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

import click

import unslant
from unslant.cli.exits import Exit
from unslant.cli.progress import Progress
from unslant.cli.settings import config_options, settings_cache
from unslant.config import Settings, show
from unslant.config.settings import FAIL_ON, OUTPUT_FORMATS
from unslant.core.errors import ConfigError
from unslant.core.types import Severity
from unslant.report import Outcome, RenderSettings, RunSummary, render
from unslant.rules.analyzer import rule_cards
from unslant.spec import TIERS
from unslant.text.formats import FORMATS
from unslant.version import VERSION
from unslant.workspace.discover import STDIN
from unslant.workspace.filters import Filters, make_filters
from unslant.workspace.plan import Inputs, RunPlan, plan
from unslant.workspace.run import check_jobs

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
    help="Report only these rules or kinds.",
)
@click.option("--ignore", multiple=True, callback=_split, metavar="LIST", help="Do not report these.")
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), help="The mildest severity that gives exit code 1.  [warning]"
)
@click.option(
    "--format", "form", type=click.Choice(sorted(FORMATS)), help="Read everything as this.  [by suffix]"
)
@click.option("--output-format", type=click.Choice(OUTPUT_FORMATS), help="How to print findings.  [text]")
@click.option(
    "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write there, not to the screen."
)
@click.option(
    "--tier",
    type=click.Choice(list(TIERS)),
    help="Ask the rules, the model or both.  [all, if a model ships]",
)
@click.option(
    "--analyzer",
    "analyzer",
    multiple=True,
    callback=_split,
    metavar="NAME",
    help="Ask these instead: rules, model, hf:MODEL, llm:MODEL.",
)
@click.option("--model", metavar="DIR", help="Ask this model instead of the one that ships.")
@click.option("--quotations", is_flag=True, default=None, help="Check direct quotations too.")
@click.option("--threshold", type=float, help="Leave out findings that are less probable than this.  [0.5]")
@click.option(
    "--diff", "revision", metavar="REV", help="Only words that were introduced since this git revision."
)
@click.option(
    "--baseline", metavar="FILE", type=click.Path(path_type=Path), help="Leave out what this file accepts."
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out paths, as in .gitignore.")
@click.option(
    "--stdin-name", metavar="PATH", help="What to call standard input; its suffix gives the format."
)
@click.option("--jobs", type=int, help="Check this many files at a time.  [as many as there are cores]")
@click.option("--no-cache", is_flag=True, help="Check every file anew.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Use colour.  [auto]",
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
    tier: str | None,
    analyzer: tuple[str, ...],
    model: str | None,
    quotations: bool | None,
    threshold: float | None,
    revision: str | None,
    baseline: Path | None,
    exclude: tuple[str, ...],
    stdin_name: str | None,
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
    Exit codes: 0 nothing at or above --fail-on, 1 something found, 2 an option,
    a configuration or a file cannot be used, 3 interrupted, 4 a bug in unslant.
    """  # noqa: D301 - the command line needs the character itself
    overrides: dict[str, object] = {
        "select": select,
        "ignore": ignore,
        "fail-on": fail_on,
        "output-format": output_format,
        "analyzers": analyzer or (TIERS[tier] if tier else None),
        "model": model,
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
    inputs = Inputs(_arguments(paths, sample), sys.stdin.buffer, form, stdin_name or STDIN)
    filters = make_filters(revision, baseline, settings.max_bytes)
    work = filters.narrow(plan(inputs, settings, cache.for_path))
    with _opened(output) as stream:
        summary = _render(work, filters, settings, _look(settings, stream, color, verbose))
    for message in filters.messages():
        click.echo(f"unslant: {message}", err=True)
    return _exit(summary, settings.fail_on)


def _arguments(paths: tuple[str, ...], sample: bool) -> tuple[str, ...]:
    if sample:
        return (*paths, str(Path(unslant.__file__).with_name("samples") / "sample.md"))
    if paths:
        return paths
    if sys.stdin.isatty():
        raise click.UsageError(
            "nothing to check: name files or folders, - for standard input, or try --sample"
        )
    return ("-",)


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    try:
        stream = output.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--output {str(output)!r} cannot be written: {error.strerror}") from None
    with stream:
        yield stream


def _look(settings: Settings, stream: TextIO, color: str, verbose: bool) -> tuple[TextIO, RenderSettings]:
    on_terminal = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    shows_rules = verbose or settings.output_format in ("sarif", "html")
    return stream, RenderSettings(
        color=color == "always" or (color == "auto" and on_terminal),
        width=min(shutil.get_terminal_size().columns, _WIDEST),
        root=Path.cwd(),
        rules=rule_cards(settings.spec) if shows_rules else {},
        verbose=verbose,
        version=VERSION,
    )


def _render(
    work: RunPlan, filters: Filters, settings: Settings, look: tuple[TextIO, RenderSettings]
) -> RunSummary:
    progress = Progress(sum(job.size for job in work.jobs))
    workers = settings.jobs or os.cpu_count() or 1
    outcomes = (filters.apply(outcome) for outcome in check_jobs(work.jobs, workers, progress.advance))
    everything = chain(work.failures, progress.around(outcomes))
    return render(settings.output_format, _told(everything), *look)


def _told(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Tell at once, and only once, of what could not be checked."""
    told: set[str] = set()
    for outcome in outcomes:
        if outcome.error is not None and outcome.error not in told:
            told.add(outcome.error)
            click.echo(f"unslant: {outcome.error}", err=True)
        yield outcome


def _exit(summary: RunSummary, fail_on: str) -> int:
    if summary.interrupted:
        return Exit.INTERRUPTED
    if summary.failed:
        return Exit.USAGE
    worst = summary.worst
    if fail_on == "never" or worst is None or worst.rank < Severity(fail_on).rank:
        return Exit.CLEAN
    return Exit.FINDINGS
