"""``unslant score``: one row out for one row of a table."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal, Unpack

import click

from unslant.cli.exits import Exit
from unslant.cli.options import (
    Count,
    SelectionOptions,
    analyzer_options,
    announce_destinations,
    config_options,
    current_settings,
    quiet_option,
    selection_options,
)
from unslant.cli.progress import ProgressBar
from unslant.core.files import write_text
from unslant.parallel import ENGINES, Engine
from unslant.tables.page import ScorePage
from unslant.tables.run import ScoreJob, ScoreSummary, score_tables
from unslant.tables.scoring import ScoreSpec
from unslant.tables.sources import TableColumns, find_tables
from unslant.text.formats import FORMATS

_PARALLEL_FROM = 2_000_000
"""The number of bytes from which starting more processes pays off."""


class _ScoreOptions(SelectionOptions):
    column: str
    id_column: str | None
    output: Path
    html: Path | None
    group: str | None
    findings: bool
    fix: bool
    unsafe: bool
    input_format: str
    jobs: int | None
    engine: Literal["local", "ray"]
    workers: int | None
    restart: bool


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
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write a page with charts, counts by group, technique and rule, and examples.",
)
@click.option(
    "--group",
    metavar="NAME",
    help="With --html: a column whose values are compared.  [default: the file, if there are several]",
)
@click.option("--findings", is_flag=True, help="Write one row per finding instead of one per row.")
@click.option("--fix", is_flag=True, help="Add the column 'rewritten': the text with the safe edits made.")
@click.option("--unsafe", is_flag=True, help="With --fix: make the edits that need a review as well.")
@selection_options
@analyzer_options
@click.option(
    "--input-format",
    type=click.Choice(sorted(FORMATS)),
    default="text",
    show_default=True,
    help="The markup of the texts in the column.",
)
@click.option(
    "-j",
    "--jobs",
    type=Count(),
    help="Use this many processes on this machine.  [default: the number of CPU cores]",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="local",
    show_default=True,
    help="Work on this machine, or on the Ray cluster that RAY_ADDRESS names.",
)
@click.option(
    "--workers", type=Count(1), help="Workers on Ray.  [default: the number of CPUs of the cluster]"
)
@click.option(
    "--restart", is_flag=True, help="Discard what an earlier, unfinished run left, and begin again."
)
@quiet_option
@config_options
def score(paths: tuple[str, ...], **options: Unpack[_ScoreOptions]) -> int:
    """Score the texts in a column of tables: CSV, TSV, JSON lines, Parquet or Arrow.

    PATHS are files, folders or globs; a folder may hold a dataset that Hugging Face has saved to disk. For each row,
    the output has the probability that its text is slanted, the verdict, counts by severity, kind and technique, and
    the spans as JSON. A row that cannot be read has an error instead. Running the same
    command again continues an interrupted run.
    """
    if options["fix"] and options["findings"]:
        raise click.UsageError("--fix rewrites each row; leave out --findings")
    if options["unsafe"] and not options["fix"]:
        raise click.UsageError("--unsafe is for --fix, which makes the edits")
    settings = current_settings(options)
    if options["fix"]:
        announce_destinations(settings.spec.destinations(rewriter=True))
    inputs = find_tables(paths, options["output"])
    size = sum(path.stat().st_size for path in inputs)
    page = _page(options, inputs)
    job = ScoreJob(
        inputs,
        TableColumns(options["column"], options["id_column"]),
        options["output"],
        ScoreSpec(
            settings.spec, options["input_format"], options["findings"], options["fix"], options["unsafe"]
        ),
        _engine(options, settings.jobs, size),
        options["restart"],
        page.add if page else None,
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
        click.echo("unslant: stopped; repeat the command to continue", err=True)
        raise
    bar.clear()
    click.echo(_summarize(job.output, summary))
    if page and options["html"]:
        write_text(options["html"], page.render())
        click.echo(f"report: {options['html']}")
    return Exit.CLEAN


def _page(options: _ScoreOptions, inputs: tuple[Path, ...]) -> ScorePage | None:
    """Return the page to fill; what cannot be done is said before anything is scored."""
    if options["html"] is None:
        if options["group"] is not None:
            raise click.UsageError("--group is for --html: it names the column that the page compares")
        return None
    if options["findings"]:
        raise click.UsageError("--html counts texts, so it needs one row per text; leave out --findings")
    return ScorePage(inputs, options["column"], options["group"])


def _engine(options: _ScoreOptions, jobs: int | None, size: int) -> Engine:
    if options["engine"] == "ray":
        return Engine("ray", options["workers"])
    if options["workers"] is not None:
        raise click.UsageError("--workers is for --engine ray; --jobs sets the number of processes here")
    return Engine("local", (jobs or os.cpu_count() or 1) if size >= _PARALLEL_FROM else 1)


def _summarize(output: Path, summary: ScoreSummary) -> str:
    parts = [f"{summary.rows:,} row{'s' * (summary.rows != 1)}"]
    parts.append(f"{summary.findings:,} finding{'s' * (summary.findings != 1)}")
    if summary.errors:
        parts.append(f"{summary.errors:,} with an error")
    if summary.resumed:
        parts.append(f"{summary.resumed:,} scored by an earlier run")
    return f"{output}: {', '.join(parts)}"
