"""The papers as data: complete, consistent with the other published figures, and with commands that exist."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from unslant.cli.main import main
from unslant.core.errors import UnknownName
from unslant.lab.evaluation.result import published
from unslant.lab.reproduce.paper import PAPERS, Paper, read_paper
from unslant.lab.reproduce.run import StepSettings, render

TABLES = {
    "wikibias": [f"table-{number}" for number in range(1, 10)]
    + [f"figure-{number}" for number in range(1, 5)],
    "babe": [f"table-{number}" for number in range(1, 6)] + ["figure-1"],
    "liu": [f"table-{number}" for number in range(1, 10)] + ["figure-1", "figure-2"],
    "bauer": [f"table-{number}" for number in range(1, 11)]
    + [f"table-A{number}" for number in range(1, 9)]
    + ["figure-1"],
}
"""What each paper numbers, with its appendix."""


@pytest.mark.parametrize("name", PAPERS)
def test_every_table_and_figure_of_a_paper_is_there(name: str) -> None:
    paper = read_paper(name)
    assert set(TABLES[name]) <= {table.id for table in paper.tables}
    for table in paper.tables:
        for row in table.rows:
            assert row.step or row.absent, f"{table.id}: {row.name}"
            assert not row.step or any(row.figures), f"{table.id}: {row.name}"


@pytest.mark.parametrize("name", PAPERS)
def test_every_command_of_a_step_exists_with_its_options(name: str, tmp_path: Path) -> None:
    settings = StepSettings(tmp_path, tmp_path, encoder="any", model="mock:any", seeds=2)
    for step in read_paper(name).steps.values():
        for line in render(step, settings):
            words = shlex.split(line)
            command: click.Command = main
            context = click.Context(main, info_name="unslant")
            while isinstance(command, click.Group):
                found = command.get_command(context, words.pop(0))
                assert found is not None, line
                command, context = found, click.Context(found, context, resilient_parsing=True)
            command.make_parser(context).parse_args(words)


def test_a_command_with_a_seed_is_repeated_for_each_run(tmp_path: Path) -> None:
    step = read_paper("wikibias").steps["binary-manual"]
    lines = render(step, StepSettings(tmp_path, seeds=3))
    assert [line.split("--seed ")[1][0] for line in lines[:-1]] == ["1", "2", "3"]
    assert lines[-1].startswith("evaluate wikibias --model")


def row_of(paper: Paper, table: str, name: str) -> tuple[float, ...]:
    (found,) = (row for entry in paper.tables if entry.id == table for row in entry.rows if row.name == name)
    return tuple(value.value for value in found.published if value)


def test_the_papers_and_the_evaluation_give_the_same_published_figures() -> None:
    wikibias, babe = read_paper("wikibias"), read_paper("babe")
    exact = {entry.system: entry.value for entry in published("tagging", "exact F1")}
    partial = {entry.system: entry.value for entry in published("tagging", "overlap F1")}
    for ours, theirs in {
        "BERT, manual": "BERT, manual",
        "upper bound (people there, two readings by language models here)": "people",
    }.items():
        expected = pytest.approx((100 * exact[theirs], 100 * partial[theirs]))
        assert row_of(wikibias, "table-7", ours) == expected
    f1 = {entry.system: entry.value for entry in published("wikibias", "F1 of biased")}
    assert row_of(wikibias, "table-5", "manual")[2] == pytest.approx(100 * f1["manual"])
    for group in ("sg1", "sg2"):
        systems = {entry.system: entry.value for entry in published("babe", f"babe/{group}, macro-F1")}
        assert row_of(babe, "table-5", f"BERT, {group.upper()}") == (systems["BERT"],)
        assert row_of(babe, "table-5", f"features, {group.upper()}") == (systems["features"],)


def test_the_large_tables_come_from_the_figures_of_probing() -> None:
    bauer = read_paper("bauer")
    assert row_of(bauer, "table-6", "statement, f1") == (41.4, 51.0, 50.6, 51.6)
    assert row_of(bauer, "table-A7", "null, nationality") == (33.3, 41.9, 45.2)
    assert row_of(bauer, "table-9", "statement, political affiliation") == (75.1,)


def test_tables_are_chosen_by_name_or_number() -> None:
    paper = read_paper("wikibias")
    assert [table.id for table in paper.select(["5", "figure-4"]).tables] == ["table-5", "figure-4"]
    assert paper.select(["table-3"]).required_steps() == ["corpus"]
    with pytest.raises(UnknownName, match="Did you mean 'table-5'"):
        paper.select(["tabel-5"])
