"""The recorded figures, the counts of ``--list``, and the pages made from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.lab.reproduce.pages import PAGES, page_of
from unslant.cli.main import main
from unslant.lab.reproduce.page import Reproduction
from unslant.lab.reproduce.paper import PAPERS, read_paper
from unslant.lab.reproduce.record import add_results, read_record, write_record
from unslant.lab.reproduce.run import StepSettings, portable_commands, run_steps


@pytest.mark.parametrize("name", PAPERS)
def test_the_pages_show_what_is_recorded(name: str) -> None:
    shown = (PAGES / f"{name}.md").read_text("utf-8")
    assert shown == page_of(name), "run: python -m tests.lab.reproduce.pages"


@pytest.mark.parametrize("name", PAPERS)
def test_no_cell_without_ours_lacks_a_reason(name: str) -> None:
    for line in page_of(name).splitlines():
        if line.startswith("| ") and not line.startswith(("| row |", "| ---")):
            _, measure, published, ours, _, _, why = (cell.strip() for cell in line.strip("|").split(" | "))
            assert ours or why, f"{measure}: {published}"


@pytest.mark.parametrize("name", PAPERS)
def test_a_figure_measured_by_other_commands_says_so(name: str) -> None:
    paper, record = read_paper(name), read_record(name, PAGES)
    for step, result in record.results.items():
        now = tuple(portable_commands(paper.steps[step], record.settings))
        figures = result.result["recorded"].values()
        if result.commands != now and not result.outdated and not result.note:
            assert any("outdated" in figure for figure in figures), step


def test_the_list_counts_published_figures_with_ours() -> None:
    listed = CliRunner().invoke(main, ["reproduce", "--list"]).output.splitlines()
    assert listed[0].split("  ")[0] == "paper"
    rows = {line.split()[0]: list(map(int, line.split()[1:])) for line in listed[1:]}
    for name in PAPERS:
        record = read_record(name, PAGES)
        counts = Reproduction(read_paper(name), record.settings, record.results, {}).counts()
        assert rows[name][1:] == [
            counts.published,
            counts.ours,
            counts.outdated,
            counts.not_run,
            counts.absent,
        ]
        assert counts.published == counts.ours + counts.not_run + counts.absent
        assert f"{counts.published} published figures" in page_of(name)
    assert rows["all"] == [sum(rows[name][at] for name in PAPERS) for at in range(6)]


def test_new_results_replace_recorded_ones(tmp_path: Path) -> None:
    paper, record = read_paper("wikibias"), read_record("wikibias", PAGES)
    settings = StepSettings(tmp_path, encoder="minilm", precision="bfloat16")
    printed = '{"accuracy": 0.5, "precision": 0.25, "recall": 0.75, "splits": {}}'
    run_steps(paper, settings, lambda _: printed, lambda _: None, ["weak-labels"])
    found = add_results(record, paper, tmp_path)
    recorded = found.results["weak-labels"].result["recorded"]
    assert recorded == {"accuracy": {"value": 0.5}, "precision": {"value": 0.25}, "recall": {"value": 0.75}}
    assert found.results["corpus"] == record.results["corpus"]
    write_record(found, tmp_path / "wikibias.json")
    assert '"accuracy": {' in (tmp_path / "wikibias.json").read_text("utf-8")
