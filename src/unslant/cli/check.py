"""``unslant check`` and ``unslant baseline``: find slanted wording, or accept what is there today."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TextIO, Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    Count,
    TextOptions,
    announce_destinations,
    config_options,
    exit_code,
    given_text,
    input_paths,
    open_output,
    quiet_option,
    read_settings,
    settings_cache,
    terminal_width,
    text_options,
    use_color,
)
from unslant.cli.progress import ProgressBar, is_quiet
from unslant.config import Settings, show
from unslant.config.settings import OUTPUT_FORMATS
from unslant.core.types import Finding
from unslant.report import Outcome, RenderSettings, render
from unslant.report.printable import clean_lines, plural
from unslant.version import VERSION
from unslant.workspace.discover import STDIN
from unslant.workspace.plan import Inputs, RunPlan, make_filters, plan
from unslant.workspace.run import check_jobs

_FORMATS_WITH_NOTES = ("text", "json", "jsonl", "html", "sarif", "github")


class _CheckOptions(TextOptions):
    since: str | None
    baseline: Path | None
    jobs: int | None
    no_cache: bool
    verbose: bool
    show_source: bool
    show_skipped: bool
    text: str | None
    code: bool
    statistics: bool
    output_format: str | None


@click.command()
@click.option("--since", metavar="REV", help="Report only wording introduced since this git revision.")
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Do not report what this file accepts; 'unslant baseline' writes one.",
)
@click.option(
    "-j",
    "--jobs",
    type=Count(),
    help="Check this many files in parallel.  [default: the number of CPU cores]",
)
@click.option("--no-cache", is_flag=True, help="Check every file again instead of reusing cached reports.")
@click.option("-v", "--verbose", is_flag=True, help="Show the guidance behind each rule.")
@click.option(
    "--show-source/--no-show-source",
    default=True,
    help="Show the sentence around each finding in text output.  [default: --show-source]",
)
@click.option(
    "--show-skipped",
    is_flag=True,
    help="Also show what was left alone, and why: quotations, other languages, accepted words.",
)
@click.option("--text", metavar="TEXT", help="Check this text instead of files.")
@click.option("--code", is_flag=True, help="Read the comments and docstrings of source files.")
@click.option("--statistics", is_flag=True, help="Show counts by rule and by file instead of the findings.")
@text_options(*OUTPUT_FORMATS)
def check(paths: tuple[str, ...], **options: Unpack[_CheckOptions]) -> int:
    """Find slanted wording in PATHS: files, folders, globs, or - for standard input.

    \b
    Exit codes:
      0  no finding at or above --fail-on
      1  at least one such finding
      2  an option, a configuration file or an input cannot be used
      3  interrupted
      4  internal error
    """  # noqa: D301 - the command line needs the character itself
    cache = read_settings(options)
    settings = cache.for_path(Path.cwd())
    if options["statistics"] and settings.output_format not in ("text", "json"):
        raise click.UsageError("--statistics is written as text or json; set --output-format")
    if options["show_skipped"] and settings.output_format not in _FORMATS_WITH_NOTES:
        listed = ", ".join(_FORMATS_WITH_NOTES)
        raise click.UsageError(f"--show-skipped is for the output formats {listed}")
    if options["show_config"]:
        click.echo(show(settings))
        return Exit.CLEAN
    inputs = _inputs(paths, options)
    announce_destinations(settings.spec.destinations())
    filters = make_filters(options["since"], options["baseline"], settings.max_bytes)
    work = plan(inputs, settings, cache.for_path)
    if work.skipped and not is_quiet():
        click.echo(f"unslant: {_describe_skipped(work.skipped)}", err=True)
    if options["show_skipped"]:
        # a cached report does not say what was left alone
        work = replace(work, jobs=tuple(replace(job, cached=False) for job in work.jobs))
    outcomes = map(filters.apply, _run(filters.narrow(work), settings))
    with open_output(options["output"]) as stream:
        look = _render_settings(settings, stream, options)
        summary = render(settings.output_format, outcomes, stream, look)
    for message in filters.messages():
        click.echo(f"unslant: {message}", err=True)
    if options["output"] is not None and not is_quiet():
        found = f"{plural(summary.findings, 'finding')} in {plural(summary.files, 'file')}"
        click.echo(f"{clean_lines(str(options['output']))}: {found}", err=True)
    if summary.interrupted:
        return Exit.INTERRUPTED
    return Exit.USAGE if summary.failed else exit_code(summary.worst, settings.fail_on)


def _inputs(paths: tuple[str, ...], options: _CheckOptions) -> Inputs:
    """Return what to read: the paths, standard input, or the text of ``--text``."""
    text = options["text"]
    form, code = options["input_format"], options["code"]
    if text is None:
        name = options["stdin_name"] or STDIN
        return Inputs(input_paths(paths, options["sample"]), sys.stdin.buffer, form, name, code)
    return replace(given_text(text, paths, form), code=code)


def _describe_skipped(skipped: Mapping[str, int]) -> str:
    """Say what a search passed over, so that nobody takes it for checked."""
    count = sum(skipped.values())
    most = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))[:4]
    listed = ", ".join(f"{number:,} {suffix or 'without a suffix'}" for suffix, number in most)
    more = ", …" if len(skipped) > len(most) else ""
    files = "file has" if count == 1 else "files have"
    skips = "was" if count == 1 else "were"
    return f"{count:,} {files} another suffix and {skips} skipped ({listed}{more}); name a file to check it"


def _render_settings(settings: Settings, stream: TextIO, options: _CheckOptions) -> RenderSettings:
    cards = {}
    if options["verbose"] or settings.output_format in ("sarif", "html"):
        from unslant.rules.analyzer import finding_cards

        cards = finding_cards(settings.spec)
    return RenderSettings(
        color=use_color(options["color"], stream),
        width=terminal_width(),
        root=Path.cwd(),
        rules=cards,
        verbose=options["verbose"],
        source=options["show_source"],
        statistics=options["statistics"],
        version=VERSION,
        skipped=settings.spec if options["show_skipped"] else None,
    )


def _run(work: RunPlan, settings: Settings) -> Iterator[Outcome]:
    """Check everything, and report at once what cannot be checked."""
    progress = ProgressBar("checking", sum(job.size for job in work.jobs))
    outcomes = check_jobs(work.jobs, settings.jobs or os.cpu_count() or 1, progress.advance)
    return _echo_errors(chain(work.failures, progress.around(outcomes)))


def _echo_errors(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Print each error once; files of one folder can share theirs."""
    seen: set[str] = set()
    for outcome in outcomes:
        if outcome.error is not None and outcome.error not in seen:
            seen.add(outcome.error)
            click.echo(clean_lines(f"unslant: {outcome.error}"), err=True)
        yield outcome


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("unslant-baseline.json"),
    show_default=True,
    help="Write the baseline to FILE.",
)
@quiet_option
@config_options
def baseline(paths: tuple[str, ...], output: Path, config: Path | None, no_config: bool) -> int:
    """Check PATHS and accept all findings that are there today.

    'unslant check --baseline FILE' then reports only new ones. A file that cannot be checked is named on
    standard error; the others are still written to the baseline.
    """
    from unslant.workspace.baseline import entry_name, write

    cache = settings_cache(config, no_config)
    settings = cache.for_path(Path.cwd())
    announce_destinations(settings.spec.destinations())
    accepted: dict[str, tuple[Finding, ...]] = {}
    sentences: dict[Finding, str] = {}
    failed = False
    for outcome in _run(plan(Inputs(paths, sys.stdin.buffer), settings, cache.for_path), settings):
        if outcome.report is None:
            failed = True
        elif outcome.report.findings:
            accepted[entry_name(Path(outcome.path), output)] = outcome.report.findings
            sentences |= {each: outcome.report.sentence_of(each) for each in outcome.report.findings}
    count = write(output, accepted, lambda finding: sentences[finding])
    click.echo(
        f"{clean_lines(str(output))}: accepted {plural(count, 'finding')} in {plural(len(accepted), 'file')}"
    )
    return Exit.USAGE if failed else Exit.CLEAN
