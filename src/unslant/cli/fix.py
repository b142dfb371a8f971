"""``unslant fix``: show, or make, the edits that take the slant out of files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import unslant
from unslant.cli.exits import Exit
from unslant.cli.fix_output import RENDERERS, Run, Written
from unslant.cli.progress import Progress
from unslant.cli.settings import config_options, settings_cache
from unslant.config.settings import FAIL_ON, Settings
from unslant.core.errors import InputError
from unslant.core.types import Severity
from unslant.rewrite.display import Look
from unslant.rules.analyzer import rule_cards
from unslant.spec import TIERS
from unslant.text.formats import FORMATS
from unslant.version import VERSION
from unslant.workspace.discover import STDIN
from unslant.workspace.fixing import FixOutcome, fix_jobs
from unslant.workspace.plan import Inputs, Plan, plan

__all__ = ["fix"]

_WIDEST = 100


def _split(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take a repeated option as well as one with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--diff", "mode", flag_value="diff", default="diff", help="Show the edits, write nothing.  [default]"
)
@click.option("--write", "mode", flag_value="write", help="Make the safe edits in the files.")
@click.option("--interactive", "-i", "mode", flag_value="interactive", help="Ask about each edit.")
@click.option("--unsafe", is_flag=True, help="Make also the edits that ask for a look.")
@click.option(
    "--select", multiple=True, callback=_split, metavar="LIST", help="Fix only these rules or kinds."
)
@click.option("--ignore", multiple=True, callback=_split, metavar="LIST", help="Leave these as they are.")
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), help="The mildest severity that gives exit code 1.  [warning]"
)
@click.option(
    "--format", "form", type=click.Choice(sorted(FORMATS)), help="Read everything as this.  [by suffix]"
)
@click.option(
    "--output-format", type=click.Choice(sorted(RENDERERS)), default="text", help="How to print.  [text]"
)
@click.option("--tier", type=click.Choice(list(TIERS)), help="Ask the rules, the model or both.")
@click.option("--model", metavar="DIR", help="Ask this model instead of the one that ships.")
@click.option("--rewriter", metavar="NAME", help="Who proposes wordings beside the rules.  [edits]")
@click.option(
    "--budget", type=float, help="The share of a sentence's words that may change without a look.  [0.2]"
)
@click.option("--threshold", type=float, help="Leave out findings that are less probable than this.  [0.5]")
@click.option(
    "--exclude", multiple=True, callback=_split, metavar="PATTERN", help="Leave out paths, as in .gitignore."
)
@click.option(
    "--stdin-name", metavar="PATH", help="What to call standard input; its suffix gives the format."
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Use colour.  [auto]"
)
@click.option("--sample", is_flag=True, help="Show the edits of the sample text that ships with unslant.")
@config_options
def fix(
    paths: tuple[str, ...],
    mode: str,
    unsafe: bool,
    fail_on: str | None,
    form: str | None,
    output_format: str,
    tier: str | None,
    stdin_name: str | None,
    color: str,
    sample: bool,
    config: Path | None,
    no_config: bool,
    **overriding: object,
) -> int:
    """Word slanted sentences in PATHS neutrally: files, folders, globs, or - for standard input.

    \b
    Without --write or --interactive the edits are shown as a word diff and nothing is written.
    With --write, standard input is written to standard output with its edits made.

    \b
    Exit codes: 0 no slanted wording is left at or above --fail-on, 1 some is, 2 an option,
    a configuration or a file cannot be used, 3 interrupted, 4 a bug in unslant.
    """  # noqa: D301 - the command line needs the character itself
    analyzers = TIERS[tier] if tier else None
    overrides = {**overriding, "fail-on": fail_on, "analyzers": analyzers}
    cache = settings_cache(config, no_config, overrides)
    settings = cache.for_path(Path.cwd())
    arguments = _arguments(paths, sample, mode)
    work = plan(Inputs(arguments, sys.stdin.buffer, form, stdin_name or STDIN), settings, cache.for_path)
    if mode == "interactive":
        from unslant.cli.fix_interactive import ask

        return ask(_outcomes(work, unsafe=True), _look(color))
    run = Run(sys.stdout, _look(color), mode, unsafe, Path.cwd(), VERSION, rule_cards(settings.spec))
    outcomes = _written(_outcomes(work, unsafe=unsafe), mode)
    if mode == "write" and "-" in arguments:
        return _exit(_through(outcomes), settings)
    return _exit(RENDERERS[output_format](outcomes, run), settings)


def _arguments(paths: tuple[str, ...], sample: bool, mode: str) -> tuple[str, ...]:
    if sample:
        if mode != "diff":
            raise click.UsageError("the sample is only shown; copy it to change it")
        return (*paths, str(Path(unslant.__file__).with_name("samples") / "sample.md"))
    if mode == "interactive" and (not paths or "-" in paths):
        raise click.UsageError("--interactive asks about files; name some")
    if "-" in paths and len(paths) > 1 and mode == "write":
        raise click.UsageError("write standard input by itself: unslant fix --write -")
    if paths:
        return paths
    if sys.stdin.isatty():
        raise click.UsageError("nothing to fix: name files or folders, - for standard input, or try --sample")
    return ("-",)


def _look(color: str) -> Look:
    on_terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return Look(color == "always" or (color == "auto" and on_terminal), width)


def _outcomes(work: Plan, *, unsafe: bool) -> Iterator[FixOutcome]:
    progress = Progress(sum(job.size for job in work.jobs), "fixing")
    for failure in work.failures:
        click.echo(f"unslant: {failure.error}", err=True)
        yield FixOutcome(failure.path, error=failure.error)
    for outcome in progress.around(fix_jobs(work.jobs, unsafe=unsafe, progress=progress.advance)):
        if outcome.error is not None:
            click.echo(f"unslant: {outcome.error}", err=True)
        yield outcome


def _written(outcomes: Iterator[FixOutcome], mode: str) -> Iterator[Written]:
    """Write what is to be written; what cannot be is told, and counts as not written."""
    for outcome in outcomes:
        error, done = outcome.error, False
        if (
            mode == "write"
            and outcome.fixed is not None
            and outcome.fixed.changed
            and outcome.opened is not None
        ):
            try:
                outcome.opened.write(outcome.fixed.text)
                done = True
            except InputError as problem:
                error = str(problem)
                click.echo(f"unslant: {error}", err=True)
        yield Written(outcome.path, outcome.fixed, error, done)


def _through(outcomes: Iterator[Written]) -> list[Written]:
    """Pass standard input on with its edits made."""
    seen = []
    for outcome in outcomes:
        if outcome.fixed is not None:
            sys.stdout.write(outcome.fixed.text)
            outcome = Written(outcome.path, outcome.fixed, outcome.error, written=True)
        seen.append(outcome)
    return seen


def _exit(outcomes: list[Written], settings: Settings) -> int:
    if any(one.error is not None for one in outcomes):
        return Exit.USAGE
    left = [finding for one in outcomes for finding in one.left]
    if settings.fail_on == "never":
        return Exit.CLEAN
    least = Severity(settings.fail_on).rank
    return Exit.FINDINGS if any(finding.severity.rank >= least for finding in left) else Exit.CLEAN
