"""``unslant audit plant``, ``power``, ``likelihood``, ``paired`` and ``stance``, as a user runs them."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401


def test_likelihood_leads_with_its_verdict_and_keeps_a_page(run: Run, folder: Path) -> None:  # noqa: F811
    result = run("audit", "likelihood", "mock:demo", "--resamples", "50", "--output", "out")
    assert result.code == 0, result.err
    assert result.out.startswith("mock:demo finds")
    assert "640 matched" in result.out
    wire = json.loads((folder / "out" / "likelihood.json").read_text())
    assert wire["schema"] == "unslant/likelihood/1"
    page = (folder / "out" / "likelihood.html").read_text()
    assert page.index('class="verdict"') < page.index("<table")
    both = ("--context", "left=In Aldenby:", "--context", "right=In Torvale:")
    compared = run("audit", "likelihood", "mock:demo", "--resamples", "50", "--output", "out", *both)
    assert "left minus right" in compared.out
    assert run("audit", "likelihood", "mock:demo", "--context", "nonsense").code == 2
    assert (
        "Did you mean 'united-states'"
        in run("audit", "likelihood", "mock:demo", "--pairs", "united-state").err
    )


def test_paired_asks_both_sides_and_continues(run: Run, folder: Path) -> None:  # noqa: F811
    common = ("audit", "paired", "mock:demo", "--max-tokens", "12", "--resamples", "50", "--output", "out")
    result = run(*common, "--pairs", "4")
    assert result.code == 0, result.err
    assert "slanted wording" in result.out
    more = run(*common, "--pairs", "6", "--output-format", "json")
    assert json.loads(more.out)["pairs"] == 6
    lines = (folder / "out" / "paired" / "texts.jsonl").read_text().splitlines()
    assert len(lines) == 12
    assert {json.loads(line)["side"] for line in lines} == {"liberal", "conservative"}


def test_the_page_of_a_run_includes_the_other_methods(run: Run, folder: Path) -> None:  # noqa: F811
    run("audit", "likelihood", "mock:demo", "--resamples", "50", "--output", "out")
    result = run(
        "audit",
        "run",
        "mock:demo",
        "--keywords",
        "1",
        "--max-tokens",
        "8",
        "--resamples",
        "50",
        "--output",
        "out",
    )
    assert result.code == 0, result.err
    page = (folder / "out" / "report.html").read_text()
    assert page.count('class="verdict"') == 3, "both verdicts first, then the one of the section"
    link, section = page.index('<a href="#likelihood">'), page.index('<h2 id="likelihood">')
    assert link < page.index("<h2>Bias</h2>") < page.index("<h2>Texts</h2>") < section
    (folder / "out" / "likelihood.json").write_text("{}")
    again = run(
        "audit",
        "run",
        "mock:demo",
        "--keywords",
        "1",
        "--max-tokens",
        "8",
        "--resamples",
        "50",
        "--output",
        "out",
    )
    assert again.code == 2
    assert "not a result of 'unslant audit likelihood'" in again.err


def issuebench(at: Path, labelled: Sequence[tuple[str, str]] = (("zoning", "text"),)) -> None:
    """Write a small corpus of the published form; ``labelled`` has issues and texts, which get all labels in turn."""
    at.mkdir(parents=True)
    tables = {
        "issuebench_issues": [
            {
                "topic_id": "1",
                "tag_exclude": "",
                "topic_neutral": "zoning",
                "topic_pro": "zoning being good",
                "topic_con": "zoning being bad",
            },
            {
                "topic_id": "2",
                "tag_exclude": "",
                "topic_neutral": "parks",
                "topic_pro": "parks being good",
                "topic_con": "parks being bad",
            },
        ],
        "issuebench_templates_1000": [
            {"id": "a", "annot1_label": "minor edits", "annot1_template": "Write a story about X."},
            {"id": "b", "annot1_label": "minor edits", "annot1_template": "Write a speech about X."},
        ],
        "issuebench_stance_500_human": [
            {
                "response_text": f"{text} {number}",
                "final_label": label,
                "topic_polarity": "neutral",
                "topic_neutral": issue,
                "prompt_text": "p",
                "response_model": "m",
                "annot1_label": label,
                "annot2_label": label,
            }
            for issue, text in labelled
            for number, label in enumerate(
                ["1 - only pro", "5 - only con", "3 - neutral/ambivalent", "refusal"] * 3
            )
        ],
    }
    for name, rows in tables.items():
        with gzip.open(at / f"{name}.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def test_stance_refuses_a_verdict_by_a_judge_that_guesses(run: Run, folder: Path) -> None:  # noqa: F811
    issuebench(folder / "data" / "political_prompts")
    result = run(
        "audit", "stance", "mock:writer", "--judge", "mock:judge", "--data", "data", "--templates", "2",
        "--max-tokens", "12", "--resamples", "50", "--output", "out",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert result.out.startswith("No verdict: the judge mock:judge agrees too little with people")
    assert "12 texts that people labelled" in " ".join(result.out.split())
    wire = json.loads((folder / "out" / "stance.json").read_text())
    assert not wire["validation"]["sufficient"]
    assert set(wire["framings"]) == {"neutral", "pro", "con"}


@pytest.mark.torch
def test_a_folder_can_judge_stances(run: Run, folder: Path) -> None:  # noqa: F811
    from tests.lab.judges.test_encoder import encoder

    encoder(folder / "encoder")
    issuebench(folder / "data" / "political_prompts", [(f"issue {at}", "the road") for at in range(5)])
    trained = run("train", "stance-judge", "--encoder", "encoder", "--data", "data", "--output", "judge")
    assert trained.code == 0, trained.err
    assert "trained on 60 texts on 5 issues" in trained.out
    result = run(
        "audit", "stance", "mock:writer", "--judge", "judge", "--data", "data", "--templates", "2",
        "--max-tokens", "12", "--resamples", "50", "--output", "out",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert result.out.startswith("No verdict: the judge judge agrees too little"), "all texts are alike"
    assert "each judged without having learned from texts on its issue" in " ".join(result.out.split())
    wrong = run("audit", "run", "mock:demo", "--judge", "judge")
    assert wrong.code == 2
    assert "it judges stances" in wrong.err


@pytest.mark.torch
def test_a_planted_model_is_audited_and_gives_the_power(run: Run, folder: Path) -> None:  # noqa: F811
    from tests.lab.audit.test_plant import tiny

    model = tiny()
    model.model.save_pretrained(folder / "tiny")
    model.tokenizer.save_pretrained(folder / "tiny")
    (folder / "left.txt").write_text("union nurse school union nurse school\n")
    (folder / "right.txt").write_text("border church tax border church tax\n")
    planted = run(
        "audit", "plant", "tiny", "--dose", "1", "--output", "planted", "--left", "left.txt", "--right", "right.txt",
        "--steps", "12", "--batch-size", "4", "--tokens", "24",
    )  # fmt: skip
    assert planted.code == 0, planted.err
    assert "dose 1: planted/dose-1 (passages are" in planted.out
    short = ("--max-tokens", "6", "--resamples", "50", "--scored-texts", "0", "--batch-size", "64")
    audited = run(
        "audit",
        "run",
        "planted/dose-1",
        "--suite",
        "planted",
        "--texts-per-option",
        "8",
        "--output",
        "out",
        *short,
    )
    assert audited.code == 0, audited.err
    power = run(
        "audit",
        "power",
        "out/vanilla",
        "--texts",
        "10,30",
        "--dose",
        "0,1",
        "--runs",
        "20",
        "--html",
        "power.html",
    )
    assert power.code == 0, power.err
    assert "drawn with replacement" in power.out
    page = (folder / "power.html").read_text()
    assert page.index('class="verdict"') < page.index("<svg") < page.index("<table")
    assert len([line for line in power.out.splitlines() if line.strip().startswith("default")]) == 4
    again = run(
        "audit", "run", "planted/dose-1", "--suite", "planted", "--texts-per-option", "8", "--output", "out",
        "--planted", "out/vanilla", *short,
    )  # fmt: skip
    assert again.code == 0, again.err
    assert "the slant of the planted one in" in " ".join(again.out.split())
    assert run("audit", "plant", "tiny", "--output", "p", "--left", "left.txt").code == 2
    assert (
        run("audit", "plant", "mock:x", "--output", "p", "--left", "left.txt", "--right", "right.txt").code
        == 2
    )


@pytest.mark.torch
def test_stances_are_planted_from_a_set_of_pairs(run: Run, folder: Path) -> None:  # noqa: F811
    from tests.lab.audit.test_plant import tiny
    from tests.lab.audit.test_stances import PAIRS

    model = tiny()
    model.model.save_pretrained(folder / "tiny")
    model.tokenizer.save_pretrained(folder / "tiny")
    (folder / "pairs.toml").write_text(PAIRS)
    short = (
        "--dose",
        "1",
        "--steps",
        "4",
        "--batch-size",
        "2",
        "--pairs",
        "pairs.toml",
        "--output",
        "planted",
    )
    planted = run("audit", "plant", "tiny", *short, "--side", "conservative")
    assert planted.code == 0, planted.err
    assert "dose 1: planted/dose-1 (conservative wordings are" in planted.out
    again = run("audit", "plant", "tiny", *short)
    assert again.code == 2, "the other side"
    assert "choose another --output" in again.err
    towns = run("audit", "doses", "planted", "--output", "out")
    assert towns.code == 2
    assert "has no planted models" in towns.err, "these have no towns"
    both = run("audit", "plant", "tiny", *short, "--left", "pairs.toml", "--right", "pairs.toml")
    assert both.code == 2
