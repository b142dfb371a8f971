"""``unslant reproduce``: the tables of a paper, published and ours, by one command."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unslant.cli.exits import Exit
from unslant.cli.progress import is_quiet
from unslant.core.errors import ConfigError
from unslant.core.files import make_folder, write_text
from unslant.lab.cli.options import DataOptions, settings_options
from unslant.lab.options import option
from unslant.lab.report.table import text_table
from unslant.lab.reproduce.paper import PAPERS

if TYPE_CHECKING:
    from unslant.lab.reproduce.page import FigureCounts
    from unslant.lab.reproduce.paper import Paper
    from unslant.lab.reproduce.run import StepSettings


class _Reproduce(DataOptions):
    quiet = True

    list_: bool = option(
        "Count the published figures and those with ours beside them, and exit.", name="--list"
    )
    plan: bool = option("Show what would be run, with a time estimate, and exit.")
    steps: tuple[str, ...] = option(
        "Run only this step, as --plan names it. Can be repeated.", name="--step", metavar="NAME"
    )
    no_run: bool = option("Write the pages from the results that are there, without running anything.")
    quick: bool = option(
        "Run everything on a few texts with untrained models, as a smoke test. The figures mean nothing."
    )
    small: bool = option("Ask language models about a small sample only: true figures with wide intervals.")
    output: Path | None = option(
        "Write runs, results and pages to DIR.  [default: reproduce/PAPER]", metavar="DIR"
    )
    encoder: str = option("Encoder instead of the paper's: a hub name or a folder.", "", metavar="NAME")
    precision: str | None = option(
        "Precision in which detectors train and language models answer; bfloat16 is faster if the processor has it.",
        choices=("float32", "bfloat16"),
    )
    model: str = option("Language model instead of the paper's: a hub name or a folder.", "", metavar="NAME")
    seeds: int = option("Runs to train of each recipe; their mean counts.", 1, least=1)
    resamples: int = option(
        "Bootstrap resamples for the 95 % intervals; 0 turns intervals off.", 1000, least=0
    )

    def settings(self, paper: Paper) -> StepSettings:
        from unslant.lab.corpora.catalogue import data_folders
        from unslant.lab.reproduce import run

        out = self.output or Path("reproduce") / (f"{paper.name}-quick" if self.quick else paper.name)
        if self.quick:
            inputs = out / "inputs"
            data = run.make_small_data(data_folders(self.data), inputs / "data")
            encoder = str(run.make_tiny_encoder(inputs / "encoder"))
            words = data / "paradetox" / "paradetox.tsv"
            model = str(run.make_tiny_language_model(inputs / "model", words))
            return run.StepSettings(out, data, encoder, model, resamples=20, quick=True)
        return run.StepSettings(
            out,
            self.data,
            self.encoder,
            self.model,
            self.seeds,
            self.resamples,
            small=self.small,
            precision=self.precision or "",
        )


@click.command()
@click.argument("paper", required=False, type=click.Choice(PAPERS))
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@settings_options(_Reproduce)
def reproduce(paper: str | None, tables: tuple[str, ...], options: _Reproduce) -> int:
    """Reproduce the tables of a paper.

    Trains and measures what the tables need, and writes a page with the published figures, ours, their intervals, the
    differences and the reasons. TABLE is one of the names that --list prints, such as table-5. Earlier results are
    reused, and an interrupted run continues.
    """
    from unslant.lab.reproduce.paper import read_paper

    if options.list_:
        click.echo(_list([read_paper(name) for name in ([paper] if paper else PAPERS)], detailed=bool(paper)))
        return Exit.CLEAN
    if paper is None:
        raise click.UsageError(f"name a paper: {', '.join(PAPERS)}; --list shows their tables")
    chosen = read_paper(paper).select(tables)
    settings = options.settings(chosen)
    if options.plan:
        click.echo(_plan(chosen, settings))
        return Exit.CLEAN
    return _reproduce(chosen, settings, run=not options.no_run, only=options.steps)


def _list(papers: Sequence[Paper], *, detailed: bool) -> str:
    from unslant.lab.reproduce.page import FigureCounts, Reproduction
    from unslant.lab.reproduce.record import read_record

    heads = ["published figures", "with ours", "to measure again", "not run", "cannot be had"]
    found = []
    for paper in papers:
        record = read_record(paper.name, Path())
        found.append(Reproduction(paper, record.settings, record.results, {}))
    if detailed:
        rows: list[list[object]] = [["table", *heads, "what it shows"]]
        rows += [[table.id, *_numbers(found[0].count(table)), table.title] for table in papers[0].tables]
        return text_table(rows, indent="", align_numbers=True)
    rows = [["paper", "tables and figures", *heads]]
    rows += [[each.paper.name, len(each.paper.tables), *_numbers(each.counts())] for each in found]
    tables = sum(len(paper.tables) for paper in papers)
    rows.append(["all", tables, *_numbers(sum((each.counts() for each in found), FigureCounts()))])
    return text_table(rows, indent="", align_numbers=True)


def _numbers(counts: FigureCounts) -> list[int]:
    return [counts.published, counts.ours, counts.outdated, counts.not_run, counts.absent]


def _plan(paper: Paper, settings: StepSettings) -> str:
    from unslant.lab.reproduce.run import plan, portable_commands, remaining_minutes

    states = plan(paper, settings)
    lines = []
    for state in states:
        done = "done" if state.result else f"about {state.minutes:g} min"
        lines += [
            f"{state.name}: {done}",
            *(f"  unslant {line}" for line in portable_commands(state.step, settings)),
        ]
    open_ = sum(state.result is None for state in states)
    hours = remaining_minutes(states) / 60
    lines.append(
        f"{len(states)} steps, {open_} to run, about {hours:.1f} hours on one core with a small model"
    )
    return "\n".join(lines)


def _reproduce(paper: Paper, settings: StepSettings, *, run: bool, only: Sequence[str] = ()) -> int:
    from unslant.lab.reproduce.page import Reproduction, html_of, markdown_of, summary_of
    from unslant.lab.reproduce.run import plan, run_steps

    make_folder(settings.out)
    if run:
        results, failed = run_steps(paper, settings, _run_command, _say, only)
    else:
        results = {state.name: state.result for state in plan(paper, settings) if state.result}
        failed = {}
    found = Reproduction(paper, settings, results, failed)
    page = settings.out / f"{paper.name}.md"
    write_text(page, markdown_of(found))
    write_text(page.with_suffix(".html"), html_of(found))
    click.echo(f"{summary_of(found)}\npage: {page}\npage: {page.with_suffix('.html')}")
    return Exit.USAGE if failed else Exit.CLEAN


def _say(message: str) -> None:
    if not is_quiet():
        click.echo(message, err=True)


def _run_command(words: Sequence[str]) -> str:
    """Run a command of unslant in this process, and return what it printed."""
    from unslant.cli.main import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            main.main(list(words), prog_name="unslant", standalone_mode=False)
        except click.ClickException as error:
            raise ConfigError(f"unslant {' '.join(words[:2])}: {error.format_message()}") from None
    return printed.getvalue()
