"""``unslant score``: one row out for one row of a table."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    Count,
    analyzer_options,
    config_options,
    current_settings,
    quiet_option,
    split_commas,
)
from unslant.cli.progress import ProgressBar
from unslant.core.errors import InputError, SourceError
from unslant.tables.run import ScoreJob, ScoreSummary, score_tables
from unslant.tables.scoring import ScoreSpec
from unslant.tables.sources import TableColumns
from unslant.text.formats import FORMATS, TABLES
from unslant.workspace.discover import Failure, discover

__all__ = ["score"]

_PARALLEL_FROM = 2_000_000
"""The number of bytes from which starting more processes pays off."""


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "--column", metavar="NAME", default="text", show_default=True, help="The column with the texts."
)
@click.option("--id", "id_column", metavar="NAME", help="A column to copy into the output, to join on.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Write the scores to FILE; its suffix (.parquet, .csv, .tsv, .jsonl) sets the format.",
)
@click.option("--findings", is_flag=True, help="Write one row per finding instead of one per row.")
@click.option(
    "--select",
    multiple=True,
    callback=split_commas,
    metavar="LIST",
    help="Use only these rules, kinds or dimensions.",
)
@click.option(
    "--ignore",
    multiple=True,
    callback=split_commas,
    metavar="LIST",
    help="Do not use these rules, kinds or dimensions.",
)
@analyzer_options
@click.option(
    "--input-format",
    type=click.Choice(sorted(FORMATS)),
    default="text",
    show_default=True,
    help="The markup of the texts in the column.",
)
@click.option(
    "-j", "--jobs", type=Count(), help="Use this many processes.  [default: the number of CPU cores]"
)
@click.option(
    "--restart", is_flag=True, help="Discard what an earlier, unfinished run left, and begin again."
)
@quiet_option
@config_options
def score(paths: tuple[str, ...], **options: Any) -> int:
    """Score the texts in a column of tables: CSV, TSV, JSON lines, Parquet or Arrow.

    PATHS are files, folders or globs. For each row, the output has the probability that its text is slanted, the
    verdict, counts by severity, kind and technique, and the spans as JSON. A row that cannot be read has an error
    instead. If the run is stopped, repeat the command to go on where it was.
    """
    settings = current_settings(options)
    inputs = _inputs(paths)
    size = sum(path.stat().st_size for path in inputs)
    jobs = settings.jobs or os.cpu_count() or 1
    job = ScoreJob(
        inputs,
        TableColumns(options["column"], options["id_column"]),
        options["output"],
        ScoreSpec(settings.spec, options["input_format"], options["findings"]),
        jobs if size >= _PARALLEL_FROM else 1,
        options["restart"],
    )
    bar = ProgressBar("scoring", size)
    began = time.monotonic()
    done = 0

    def progress(position: int, rows: int) -> None:
        nonlocal done
        seconds = time.monotonic() - began
        bar.advance(position - done, f"{rows / max(seconds, 0.001):,.0f} rows/s")
        done = position

    try:
        summary = score_tables(job, progress)
    except KeyboardInterrupt:
        bar.clear()
        click.echo("unslant: stopped; repeat the command to go on", err=True)
        raise
    bar.clear()
    click.echo(_closing(job.output, summary))
    return Exit.CLEAN


def _inputs(paths: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the tables that the arguments name; a run with a missing input would give half of the rows."""
    inputs: list[Path] = []
    for found in discover(paths, TABLES):
        if isinstance(found, Failure):
            raise SourceError(found.message)
        if found.path is None:
            raise InputError("a table cannot be read from standard input; save it to a file first")
        inputs.append(found.path)
    return tuple(inputs)


def _closing(output: Path, summary: ScoreSummary) -> str:
    parts = [f"{summary.rows:,} row{'s' * (summary.rows != 1)}"]
    parts.append(f"{summary.findings:,} finding{'s' * (summary.findings != 1)}")
    if summary.errors:
        parts.append(f"{summary.errors:,} with an error")
    if summary.resumed:
        parts.append(f"{summary.resumed:,} scored by an earlier run")
    return f"{output}: {', '.join(parts)}"
