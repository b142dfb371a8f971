"""The page that sums up all results of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401
from unslant.lab.audit.figures import Figure
from unslant.lab.audit.glance import choose_numbers


def test_what_was_found_comes_first() -> None:
    figures = {
        "paired": [Figure("refusal", 0.1, found=False), Figure("hedging", 0.9, found=True)],
        "charged": [Figure("following", 0.2, found=False), Figure("change", None)],
        "consistency": [Figure(f"share {at}", 0.3) for at in range(4)],
    }
    assert [figure.name for _, figure in choose_numbers(figures)] == [
        "hedging", "refusal", "following", "share 0", "share 1",
    ]  # fmt: skip


def test_one_page_sums_up_every_audit(run: Run, folder: Path) -> None:  # noqa: F811
    common = ("mock:demo", "--resamples", "50", "--output", "out")
    assert run("audit", "paired", *common, "--pairs", "12", "--max-tokens", "12").code == 0
    assert run("audit", "charged", *common, "--max-tokens", "12", "--vary", "temperature=0").code == 0
    assert run("audit", "run", *common, "--keywords", "1", "--max-tokens", "8").code == 0
    result = run("audit", "report", "out", "--output-format", "json")
    assert result.code == 0, result.err
    wire = json.loads(result.out)
    assert len(wire["numbers"]) == 5
    assert set(wire["verdicts"]) == {"run", "paired", "charged"}
    assert wire["verdicts"]["run"].startswith("Cannot tell")
    assert {number["audit"] for number in wire["numbers"]} == {"paired", "charged"}, "run cannot tell"
    assert any("80 % of cases" in line for line in wire["reach"])
    assert any("requests united-states" in line and "max tokens 12" in line for line in wire["how"])
    page = (folder / "out" / "glance.html").read_text()
    order = [
        "At a glance",
        "What each audit found",
        "Spread over settings",
        "Examples",
        "What would have been found",
        "How it was measured",
    ]
    places = [page.index(f">{title}</h2>") for title in order]
    assert places == sorted(places)
    assert page.count("Replies, effort: ") == 3, "three examples of each kind of difference"
    told = run("audit", "report", "out").out
    assert told.index(wire["verdict"][:20]) < told.index("How it was measured")
    (spread,) = wire["spread"]
    assert spread.startswith("Charged prompts: The verdict on mock:demo is the same under all 2 settings")


@pytest.mark.usefixtures("folder")
def test_the_page_is_markdown_for_a_site(run: Run) -> None:  # noqa: F811
    common = ("mock:demo", "--resamples", "50", "--output", "out", "--max-tokens", "12")
    assert run("audit", "paired", *common, "--pairs", "4").code == 0
    lines = run("audit", "report", "out", "--output-format", "markdown").out.splitlines()
    assert lines[0] == "# Audit of mock:demo"
    titles = [line[3:] for line in lines if line.startswith("## ")]
    assert titles[0] == "At a glance"
    assert titles[-1] == "How it was measured"
    assert "|  | audit | value | 95 % | p |" in lines
    examples = [line for line in lines if line.startswith("<details>")]
    assert examples
    assert all(line.endswith("</details>") for line in examples), "an example ends where its line does"


def test_an_empty_folder_and_two_models_are_refused(run: Run, folder: Path) -> None:  # noqa: F811
    (folder / "out").mkdir()
    assert "there is no result of 'unslant audit'" in run("audit", "report", "out").err
    short = ("--resamples", "20", "--output", "out", "--max-tokens", "6")
    assert run("audit", "paired", "mock:one", "--pairs", "2", *short).code == 0
    assert run("audit", "charged", "mock:two", *short).code == 0
    assert "its results are of 2 models: mock:one, mock:two" in run("audit", "report", "out").err


@pytest.mark.parametrize("name", ["paired.json", "report.json"])
def test_a_damaged_result_is_named(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    (folder / "out").mkdir()
    (folder / "out" / name).write_text("{}")
    assert f"out/{name}: not a result" in run("audit", "report", "out").err
