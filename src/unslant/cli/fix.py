"""``unslant fix``: show the edits that take the slant out of texts, or make them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO, Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    Number,
    TextOptions,
    announce_destinations,
    exit_code,
    given_text,
    input_paths,
    open_output,
    read_settings,
    rewriter_option,
    terminal_width,
    text_options,
    use_color,
)
from unslant.cli.progress import ProgressBar, is_quiet
from unslant.config import show
from unslant.report import SUGGESTION_FORMATS
from unslant.report.edits import Look
from unslant.report.printable import clean_lines
from unslant.rules.analyzer import finding_cards
from unslant.version import VERSION
from unslant.workspace.discover import STDIN
from unslant.workspace.fix_output import RENDERERS, FixRun
from unslant.workspace.ignore_file import ignore_file
from unslant.workspace.plan import Filters, Inputs, RunPlan, make_filters, plan
from unslant.workspace.run import FixOutcome, fix_jobs, write_fixes


class _FixOptions(TextOptions):
    rewriter: str | None
    budget: float | None
    since: str | None
    text: str | None
    output_format: str


@click.command()
@click.option(
    "--diff",
    "mode",
    flag_value="diff",
    default="diff",
    help="Show the edits and write nothing (the default).",
)
@click.option("--write", "mode", flag_value="write", help="Apply the safe edits to the files.")
@click.option("-i", "--interactive", "mode", flag_value="interactive", help="Ask about each finding.")
@click.option("--unsafe", is_flag=True, help="Include edits that need a review.")
@rewriter_option
@click.option(
    "--budget",
    type=Number(),
    metavar="SHARE",
    help="Treat an edit as unsafe if it changes more than this share of the sentence's words.  [default: 0.2]",
)
@click.option(
    "--since",
    metavar="REV",
    help="Report only edits of wording introduced since this git revision (formats sarif, rdjson, github-review).",
)
@click.option("--text", metavar="TEXT", help="Reword this text instead of files.")
@text_options(*RENDERERS, default="text")
def fix(paths: tuple[str, ...], mode: str, unsafe: bool, **options: Unpack[_FixOptions]) -> int:
    """Reword slanted sentences in PATHS: files, folders, globs, or - for standard input.

    By default the edits are shown as a word diff and nothing is written. 'unslant fix --write -' copies standard
    input to standard output with the edits applied; so does 'unslant fix --write --text TEXT' with a text.

    \b
    Exit codes:
      0  no finding at or above --fail-on is left
      1  at least one such finding is left
      2  an option, a configuration file or an input cannot be used
      3  interrupted
      4  internal error
    """  # noqa: D301 - the command line needs the character itself
    # the configuration sets the format of check, which has others
    cache = read_settings({name: value for name, value in options.items() if name != "output_format"})
    settings = cache.for_path(Path.cwd())
    if options["show_config"]:
        click.echo(show(settings))
        return Exit.CLEAN
    inputs = _inputs(paths, options, mode)
    sent_to = settings.spec.destinations(rewriter=True)
    announce_destinations(sent_to)
    filters = _filters(options, mode, settings.max_bytes)
    work = filters.narrow(plan(inputs, settings, cache.for_path))
    if mode == "interactive":
        from unslant.cli.fix_interactive import ask

        look = Look(use_color(options["color"], sys.stdout), terminal_width())
        return ask(
            _echo_errors(_run(work, unsafe=True)), look, lambda path: ignore_file(path, cache.for_path(path))
        )
    outcomes = _run(work, unsafe=unsafe)
    outcomes = _echo_errors(write_fixes(outcomes) if mode == "write" else outcomes)
    with open_output(options["output"]) as stream:
        if mode == "write" and "-" in inputs.arguments:
            done = _copy(outcomes, stream)
        else:
            look = Look(use_color(options["color"], stream), terminal_width())
            cards = finding_cards(settings.spec)
            run = FixRun(stream, look, mode, unsafe, Path.cwd(), VERSION, cards, sent_to, filters)
            done = RENDERERS[options["output_format"]](outcomes, run)
    if options["output"] is not None and not is_quiet():
        click.echo(f"{clean_lines(str(options['output']))}: written", err=True)
    if any(outcome.error is not None for outcome in done):
        return Exit.USAGE
    severities = [finding.severity for outcome in done for finding in outcome.left]
    worst = max(severities, key=lambda severity: severity.rank, default=None)
    return exit_code(worst, settings.fail_on)


def _filters(options: _FixOptions, mode: str, max_bytes: int) -> Filters:
    """Return what leaves out old wording; edits are made, and shown as a diff, for whole files only."""
    if options["since"] and (mode != "diff" or options["output_format"] not in SUGGESTION_FORMATS):
        *first, last = SUGGESTION_FORMATS
        raise click.UsageError(f"--since is for reports: add --output-format {', '.join(first)} or {last}")
    return make_filters(options["since"], None, max_bytes)


def _inputs(paths: tuple[str, ...], options: _FixOptions, mode: str) -> Inputs:
    """Return what to read: the paths, standard input, or the text of ``--text``."""
    if options["text"] is None:
        arguments = _arguments(paths, options["sample"], mode)
        return Inputs(arguments, sys.stdin.buffer, options["input_format"], options["stdin_name"] or STDIN)
    if mode == "interactive":
        raise click.UsageError("--interactive needs files: name at least one")
    return given_text(options["text"], paths, options["input_format"])


def _arguments(paths: tuple[str, ...], sample: bool, mode: str) -> tuple[str, ...]:
    if sample and mode != "diff":
        raise click.UsageError("--sample cannot be changed in place; copy the text to a file first")
    if mode == "interactive" and (not paths or "-" in paths):
        raise click.UsageError("--interactive needs files: name at least one")
    if "-" in paths and len(paths) > 1 and mode == "write":
        raise click.UsageError("--write takes standard input only by itself: unslant fix --write -")
    return input_paths(paths, sample)


def _run(work: RunPlan, *, unsafe: bool) -> Iterator[FixOutcome]:
    progress = ProgressBar("fixing", sum(job.size for job in work.jobs))
    for failure in work.failures:
        yield FixOutcome(failure.path, error=failure.error)
    yield from progress.around(fix_jobs(work.jobs, unsafe=unsafe, progress=progress.advance))


def _echo_errors(outcomes: Iterable[FixOutcome]) -> Iterator[FixOutcome]:
    for outcome in outcomes:
        if outcome.error is not None:
            click.echo(clean_lines(f"unslant: {outcome.error}"), err=True)
        yield outcome


def _copy(outcomes: Iterable[FixOutcome], stream: TextIO) -> list[FixOutcome]:
    """Copy standard input to the output, with its edits made."""
    done = []
    for outcome in outcomes:
        if outcome.fixed is not None:
            stream.write(outcome.fixed.text)
        done.append(replace(outcome, written=outcome.fixed is not None))
    return done
