"""``unslant compare``: what a change does to the findings of two files, two folders or two texts."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    JudgingOptions,
    analyzer_options,
    config_options,
    exit_code,
    judging_options,
    open_output,
    output_format_option,
    output_option,
    quiet_option,
    read_settings,
    selection_options,
)
from unslant.config import Settings, SettingsCache
from unslant.config.settings import FAIL_ON, OUTPUT_FORMATS
from unslant.core.errors import SourceError
from unslant.core.types import Report
from unslant.report import Outcome, RenderSettings, render
from unslant.rules.analyzer import finding_cards
from unslant.text.formats import FORMATS
from unslant.version import VERSION
from unslant.workspace.compare import Comparison, compare_reports, introduced_outcomes, write_json, write_text
from unslant.workspace.files import read_stdin
from unslant.workspace.plan import Inputs, plan
from unslant.workspace.run import check_jobs

_ONE = "<text>"
"""The name of a text that is compared with another, whatever both files are called."""


class _CompareOptions(JudgingOptions):
    input_format: str | None
    fail_on: str | None


@click.command()
@click.argument("old")
@click.argument("new")
@selection_options
@analyzer_options
@judging_options
@click.option(
    "--input-format",
    type=click.Choice(sorted(FORMATS)),
    help="Read both versions in this format.  [default: by suffix]",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="Exit with code 1 if a finding of at least this severity is introduced.  [default: warning]",
)
@output_format_option(*OUTPUT_FORMATS, default="text")
@output_option("Write the result to FILE instead of standard output.")
@quiet_option
@config_options
def compare(
    old: str, new: str, output_format: str, output: Path | None, **options: Unpack[_CompareOptions]
) -> int:
    """Show which findings a change from OLD to NEW introduces and resolves.

    Both are files, or both are folders, whose files are compared by name; - is standard input. If both are -, standard
    input is a JSON object with the texts "old" and "new", such as two revisions of a page. The formats other than text
    and json report only the findings that the change introduces.
    """
    cache = read_settings(options)
    settings = cache.for_path(Path.cwd())
    sides = _Sides(cache, settings, options["input_format"])
    if old == new == "-":
        before, after = _two_texts(sys.stdin.buffer, settings.max_bytes)
        reports = [sides.text(before), sides.text(after)]
    elif _is_folder(old) != _is_folder(new):
        raise click.UsageError("compare two files or two folders, not one with the other")
    else:
        reports = [sides.path(old), sides.path(new)]
    if sides.errors and not _is_folder(new):
        return Exit.USAGE  # half of a comparison would call everything new
    comparisons = compare_reports(*reports)
    if not _is_folder(new):
        comparisons = [_rename(each, new) for each in comparisons]
    with open_output(output) as stream:
        if output_format == "json":
            write_json(comparisons, stream, sides.errors)
        elif output_format == "text":
            write_text(comparisons, stream)
        else:
            cards = finding_cards(settings.spec) if output_format in ("sarif", "html") else {}
            look = RenderSettings(root=Path.cwd(), rules=cards, version=VERSION)
            render(output_format, introduced_outcomes(comparisons), stream, look)
    if sides.errors:
        return Exit.USAGE
    introduced = [finding.severity for each in comparisons for finding in each.introduced]
    return exit_code(max(introduced, key=lambda severity: severity.rank, default=None), settings.fail_on)


class _Sides:
    """Checks each side of a comparison."""

    def __init__(self, cache: SettingsCache, settings: Settings, form: str | None) -> None:
        self._cache = cache
        self._settings = settings
        self._format = form
        self.errors: list[Mapping[str, str]] = []

    def path(self, path: str) -> dict[str, Report]:
        """Return the reports of a file, by a common name, or of a folder, by the paths inside it."""
        work = plan(Inputs((path,), sys.stdin.buffer, self._format), self._settings, self._cache.for_path)
        outcomes = (*work.failures, *check_jobs(work.jobs))
        folder = _is_folder(path)
        return {
            Path(os.path.relpath(name, path)).as_posix() if folder else _ONE: report
            for name, report in self._reports(outcomes)
        }

    def text(self, text: str) -> dict[str, Report]:
        """Return the report of a text."""
        stdin = io.BytesIO(text.encode("utf-8", "replace"))
        work = plan(Inputs(("-",), stdin, self._format), self._settings, self._cache.for_path)
        reports = [report for _, report in self._reports((*work.failures, *check_jobs(work.jobs)))]
        return {_ONE: reports[0]} if reports else {}

    def _reports(self, outcomes: Iterable[Outcome]) -> Iterable[tuple[str, Report]]:
        for outcome in outcomes:
            if outcome.report is not None:
                yield outcome.path, outcome.report
            else:
                self.errors.append({"path": outcome.path, "message": outcome.error or ""})
                click.echo(f"unslant: {outcome.error}", err=True)


def _rename(comparison: Comparison, new: str) -> Comparison:
    from dataclasses import replace

    return replace(comparison, path="<stdin>" if new == "-" else new)


def _is_folder(path: str) -> bool:
    return path != "-" and Path(path).is_dir()


def _two_texts(stream: BinaryIO, max_bytes: int) -> tuple[str, str]:
    try:
        data = json.loads(read_stdin(stream, max_bytes))
        before, after = data["old"], data["new"]
    except (ValueError, TypeError, KeyError, RecursionError):
        before = after = None
    if not isinstance(before, str) or not isinstance(after, str):
        raise SourceError('standard input must be a JSON object with two texts: {"old": "…", "new": "…"}')
    return before, after
