"""Running the steps of a paper, and the page that comes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.reproduce.page import Reproduction, html_of, markdown_of
from unslant.lab.reproduce.paper import Paper, PaperRow, PaperTable, PublishedValue, Step
from unslant.lab.reproduce.run import StepSettings, plan, remaining_minutes, render, run_steps

ROWS = (
    PaperRow("small <model>", (PublishedValue(65.2, 0.4), None), "good", ("F1", "count")),
    PaperRow("other", (PublishedValue(50.0),), "bad", ("F1",)),
    PaperRow("people", (PublishedValue(83.8),), absent="their labels are not public"),
)
PAPER = Paper(
    "toy",
    "A toy paper",
    "Nobody 2021.",
    "Nothing.",
    (PaperTable("table-1", "Results", ("F1", "count"), ROWS, scale=100, why="Other data"),),
    {
        "good": Step(
            ("train x {encoder} {precision}", "measure {out} {data} {size}"), 2, encoder="big", quick="--few"
        ),
        "bad": Step(("break",), 6),
        "unused": Step(("never",)),
    },
)


class Commands:
    """Runs nothing, prints a figure, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, words: Sequence[str]) -> str:
        self.seen.append(" ".join(words))
        if words[0] == "break":
            raise ConfigError("there is no such model")
        return json.dumps(
            {"sections": [{"figures": [{"name": "F1", "value": 0.6, "low": 0.5, "high": 0.7}]}]}
        )


def reproduce(settings: StepSettings, run: Commands) -> Reproduction:
    results, failed = run_steps(PAPER, settings, run, lambda _: None)
    return Reproduction(PAPER, settings, results, failed)


def test_the_precision_goes_to_training_and_changes_what_was_run(tmp_path: Path) -> None:
    reproduce(StepSettings(tmp_path), Commands())
    run = Commands()
    reproduce(StepSettings(tmp_path, precision="bfloat16"), run)
    assert run.seen[0] == "train x --precision bfloat16"


def test_a_step_that_fails_is_named_and_does_not_stop_the_others(tmp_path: Path) -> None:
    run = Commands()
    page = markdown_of(reproduce(StepSettings(tmp_path, encoder="/somewhere/tiny"), run))
    assert run.seen == ["train x --encoder /somewhere/tiny", f"measure {tmp_path}", "break"]
    assert "| small &lt;model> | F1 | 65.2 ± 0.4 | 60.0 | 50.0 to 70.0 | -5.2 | tiny instead of big |" in page
    assert "| other | F1 | 50.0 |  |  |  | failed: there is no such model |" in page
    assert "| people | F1 | 83.8 |  |  |  | their labels are not public |" in page
    assert (
        "3 published figures in 1 tables and figures: 1 with ours beside them, 1 not run here, 1 that cannot"
        in page
    )
    assert "Other data." in page
    # the page shows commands that anyone can type, without the folders of this machine
    assert "unslant train x --encoder tiny" in page
    assert "/somewhere" not in page
    assert str(tmp_path) not in page


def test_what_was_run_is_used_again_unless_the_commands_differ(tmp_path: Path) -> None:
    reproduce(StepSettings(tmp_path, encoder="tiny"), Commands())
    again = Commands()
    reproduce(StepSettings(tmp_path, encoder="tiny"), again)
    assert again.seen == ["break"]
    other = Commands()
    reproduce(StepSettings(tmp_path, encoder="another"), other)
    assert other.seen[0] == "train x --encoder another"
    (tmp_path / "results" / "good.json").write_text("damaged", "utf-8")
    assert [state.result for state in plan(PAPER, StepSettings(tmp_path, encoder="tiny"))] == [None, None]


def test_the_time_that_is_left_follows_from_the_time_that_was_taken(tmp_path: Path) -> None:
    settings = StepSettings(tmp_path)
    assert remaining_minutes(plan(PAPER, settings)) == 8
    reproduce(settings, Commands())
    path = tmp_path / "results" / "good.json"
    wire = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(wire | {"seconds": 240.0}), "utf-8")  # twice as long as expected
    assert remaining_minutes(plan(PAPER, settings)) == 12


def test_a_quick_run_says_that_its_figures_mean_nothing(tmp_path: Path) -> None:
    run = Commands()
    found = reproduce(StepSettings(tmp_path, quick=True), run)
    assert run.seen[1] == f"measure {tmp_path} --few"
    assert "the figures mean nothing" in markdown_of(found)
    page = html_of(found)
    assert "the figures mean nothing" in page
    assert "small &lt;model&gt;" in page
    assert "<script" not in page


def test_rows_without_a_run_say_how_to_run_them(tmp_path: Path) -> None:
    page = markdown_of(Reproduction(PAPER, StepSettings(tmp_path), {}, {}))
    assert "| other | F1 | 50.0 |  |  |  | not run here: about 6 min on one core with a small model |" in page
    assert "Rows that were not run here: run `unslant reproduce toy table-1`." in page


def test_only_the_named_steps_are_run(tmp_path: Path) -> None:
    run = Commands()
    results, failed = run_steps(PAPER, StepSettings(tmp_path), run, lambda _: None, ["good"])
    assert (set(results), failed) == ({"good"}, {})
    with pytest.raises(UnknownName, match="no step of toy named 'gud'"):
        run_steps(PAPER, StepSettings(tmp_path), run, lambda _: None, ["gud"])


def test_a_small_run_has_its_own_size_and_results(tmp_path: Path) -> None:
    step = Step(("measure {size}",), size="--all", small="--items 3", quick="--items 1")
    assert render(step, StepSettings(tmp_path)) == ["measure --all"]
    assert render(step, StepSettings(tmp_path, small=True)) == ["measure --items 3"]
    assert render(step, StepSettings(tmp_path, small=True, quick=True)) == ["measure --items 1"]
    assert render(Step(("measure {size}",), size="--all"), StepSettings(tmp_path, small=True)) == [
        "measure --all"
    ]


def test_a_figure_that_is_undefined_is_not_called_missing(tmp_path: Path) -> None:
    row = PaperRow("empty", (PublishedValue(1.0),), "good", ("nowhere",))
    paper = replace(PAPER, tables=(PaperTable("table-1", "Results", ("F1",), (row,)),))
    results, failed = run_steps(paper, StepSettings(tmp_path), Commands(), lambda _: None)
    page = markdown_of(Reproduction(paper, StepSettings(tmp_path), results, failed))
    assert "not run here:" not in page
    assert "| empty | F1 | 1.0 |  |  |  | undefined here |" in page


def test_a_page_with_a_small_sample_says_so(tmp_path: Path) -> None:
    paper = replace(PAPER, steps={**PAPER.steps, "good": Step(("measure {size}",), small="--items 3")})
    settings = StepSettings(tmp_path, small=True)
    results, failed = run_steps(paper, settings, Commands(), lambda _: None, ["good"])
    found = Reproduction(paper, settings, results, failed)
    assert "a small sample only" in markdown_of(found)
    assert "a small sample only" in html_of(found)
    assert "a small sample" not in markdown_of(Reproduction(paper, StepSettings(tmp_path), {}, {}))


def test_a_sample_says_what_it_costs_and_what_it_left_out(tmp_path: Path) -> None:
    row = PaperRow("F1", (PublishedValue(1.0), PublishedValue(2.0)), "good", ("F1", "nowhere"))
    steps = {"good": Step(("measure {size}",), 600, size="--all", small="--items 3", small_minutes=4)}
    paper = replace(PAPER, tables=(PaperTable("table-1", "Results", ("0", "5"), (row,)),), steps=steps)
    settings = StepSettings(tmp_path, small=True)
    page = markdown_of(Reproduction(paper, settings, {}, {}))
    assert (
        "not run here: about 4 min on one core with a small model (--items 3), 10.0 h for all of it" in page
    )
    assert remaining_minutes(plan(paper, settings)) == 4
    results, failed = run_steps(paper, settings, Commands(), lambda _: None)
    page = markdown_of(Reproduction(paper, settings, results, failed))
    assert "| F1 | 5 | 2.0 |  |  |  | not asked in this sample (--items 3): 10.0 h for all of it |" in page


def test_figures_on_another_scale_are_not_subtracted(tmp_path: Path) -> None:
    paper = replace(PAPER, tables=(replace(PAPER.tables[0], same_scale=False),))
    results, failed = run_steps(paper, StepSettings(tmp_path), Commands(), lambda _: None)
    page = markdown_of(Reproduction(paper, StepSettings(tmp_path), results, failed))
    assert "| 65.2 ± 0.4 | 60.0 | 50.0 to 70.0 |  |" in page


def test_a_page_says_how_many_seeds_a_figure_rests_on(tmp_path: Path) -> None:
    steps = {**PAPER.steps, "good": Step(("train --seed {seed}", "measure"))}
    for seeds, text in ((1, "one seed"), (3, "mean of 3 seeds")):
        settings, paper = StepSettings(tmp_path / str(seeds), seeds=seeds), replace(PAPER, steps=steps)
        results, failed = run_steps(paper, settings, Commands(), lambda _: None)
        assert f"| {text} |" in markdown_of(Reproduction(paper, settings, results, failed))


def test_a_published_figure_that_two_rows_show_counts_once(tmp_path: Path) -> None:
    again = replace(ROWS[0], name="by another rule", repeats=True)
    paper = replace(PAPER, tables=(replace(PAPER.tables[0], rows=(*ROWS, again)),))
    results, failed = run_steps(paper, StepSettings(tmp_path), Commands(), lambda _: None)
    counts = Reproduction(paper, StepSettings(tmp_path), results, failed).counts()
    assert (counts.published, counts.ours, counts.not_run, counts.absent) == (3, 1, 1, 1)
