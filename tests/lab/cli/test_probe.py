"""``unslant probe`` as a user runs it, with a model that ships and corpora of our own making."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.probing.made_up import write_corpora
from unslant.lab.probing.runs import ProbePlan

from .conftest import Run


@pytest.fixture
def data(folder: Path) -> str:
    return str(write_corpora(folder / "data"))


def test_the_wordings_are_counted_by_task_and_class(run: Run) -> None:
    result = run("probe", "--list-descriptions")
    assert result.code == 0
    counts = {}
    task = ""
    for line in result.out.splitlines():
        if not line.startswith(" "):
            task = line
        else:
            counts[task, line.split()[0]] = int(line.split()[1])
    assert counts["identification", "completion"] == 72
    assert counts["extraction", "statement"] == 36
    assert counts["rephrasing", "question"] == 6
    assert counts["diagnosis", "null"] == 1


def test_the_texts_are_counted_by_answer(run: Run, data: str) -> None:
    result = run("probe", "--list-texts", "--task", "diagnosis", "--data", data)
    assert result.code == 0
    assert [line.split()[:2] for line in result.out.splitlines()[1:]] == [
        ["no", "24"],
        ["yes", "24"],
        ["all", "48"],
    ]
    wire = json.loads(
        run("probe", "--list-texts", "--items", "6", "--data", data, "--output-format", "json").out
    )
    assert wire["diagnosis"]["evaluated"] == {"no": 3, "yes": 3, "all": 6}
    assert wire["rephrasing"]["evaluated"] == {"all": 6}
    assert wire["identification"]["examples"]["all"] == sum(
        number for name, number in wire["identification"]["examples"].items() if name != "all"
    )


def test_only_a_local_model_has_a_precision(run: Run, data: str) -> None:
    result = run("probe", "mock:", "--precision", "bfloat16", "--data", data)
    assert result.code == 2
    assert "only a local model has a --precision" in result.err


def test_own_families_are_counted_and_asked(run: Run, folder: Path, data: str) -> None:
    (folder / "own.toml").write_text(
        '[[family]]\ntask = "diagnosis"\nclass = "blunt"\ntemplates = ["Slanted or not?"]\n'
    )
    assert (
        "  blunt           1  Slanted or not?"
        in run("probe", "--list-descriptions", "--descriptions-file", "own.toml").out
    )
    result = run(
        "probe", "mock:", "--task", "diagnosis", "--descriptions", "blunt", "--descriptions-file", "own.toml",
        "--data", data, "--resamples", "20",
    )  # fmt: skip
    assert result.code == 0
    assert "Blunt: Accuracy" in result.out


def test_a_run_tells_its_cost_and_writes_answers_figures_and_a_page(
    run: Run, folder: Path, data: str
) -> None:
    arguments = ("probe", "mock:", "--shots", "0,5", "--descriptions", "question,null", "--data", data)
    result = run(
        *arguments,
        "--items",
        "8",
        "--seeds",
        "2",
        "--resamples",
        "20",
        "--output",
        "out",
        "--output-format",
        "json",
    )
    assert result.code == 0, result.err
    assert "diagnosis: 72 prompts" in result.err
    found = {load["task"]: load for load in json.loads(result.out)}
    assert set(found) == {"diagnosis", "identification", "extraction", "rephrasing"}
    assert found == {load["task"]: load for load in json.loads((folder / "out" / "result.json").read_text())}
    cells = {(cell["class"], cell["shots"]): cell for cell in found["identification"]["cells"]}
    assert cells["question", 5]["wordings"] == 12
    assert cells["question", 5]["seeds"] == 2
    assert cells["question", 0]["seeds"] == 1  # nothing is drawn there, so one seed says it all
    assert "stand-in" in found["identification"]["texts"]
    assert found["rephrasing"]["baselines"]["copy"]["f1"] > 0
    page = (folder / "out" / "report.html").read_text()
    assert page.count("<svg") > 8
    assert "stand-in for CAD" in page
    assert "<script" not in page


def test_the_tables_have_the_publications_figures_beside_ours(run: Run, data: str) -> None:
    shown = run(
        "probe", "mock:", "--task", "diagnosis", "--data", data, "--items", "6", "--resamples", "0"
    ).out
    assert "42.1 ± 0.8" in shown
    assert "published on 1,209 of CAD" in shown
    named = run(
        "probe", "mock:", "--task", "identification", "--descriptions", "null", "--data", data,
        "--output-format", "markdown", "--resamples", "0",
    ).out  # fmt: skip
    assert "| political affiliation | no text | 65.9 |" in named


def test_a_stopped_run_goes_on_and_ends_as_if_it_had_not_been(
    run: Run, folder: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (
        "probe",
        "mock:",
        "--task",
        "extraction",
        "--descriptions",
        "question",
        "--data",
        data,
        "--items",
        "9",
    )
    whole = run(*arguments, "--resamples", "0", "--output", "whole", "--output-format", "json").out
    asked = ProbePlan.question
    count = 0

    def stop(plan: ProbePlan, job: object) -> object:
        nonlocal count
        count += 1
        if count == 200:
            raise KeyboardInterrupt
        return asked(plan, job)  # type: ignore[arg-type]

    monkeypatch.setattr("unslant.lab.probing.runs._BLOCK", 40)
    monkeypatch.setattr(ProbePlan, "question", stop)
    result = run(*arguments, "--resamples", "0", "--output", "parts", "--output-format", "json")
    assert result.code == 3
    assert "run the same command again to continue" in result.err
    lines = (folder / "parts" / "extraction.jsonl").read_text().splitlines()
    assert 1 < len(lines) < 163
    monkeypatch.setattr(ProbePlan, "question", asked)
    again = run(*arguments, "--resamples", "0", "--output", "parts", "--output-format", "json")
    assert f"extraction: {162 - len(lines) + 1} prompts" in again.err
    assert again.out == whole
    assert (folder / "parts" / "extraction.jsonl").read_text().splitlines()[: len(lines)] == lines
    assert "all 162 answers are there already" in run(*arguments, "--resamples", "0", "--output", "parts").err


def test_our_rules_are_measured_on_the_same_texts(run: Run, data: str) -> None:
    result = run(
        "probe",
        "--analyzer",
        "rules",
        "--data",
        data,
        "--items",
        "8",
        "--resamples",
        "0",
        "--output-format",
        "json",
    )
    assert result.code == 0, result.err
    assert "rephrasing: rules does not do this task; skipped" in result.err
    found = json.loads(result.out)
    assert [result["task"] for result in found] == ["diagnosis", "identification", "extraction"]
    assert {result["model"] for result in found} == {"rules"}
    arguments = ("--task", "identification", "--data", data, "--resamples", "0")
    shown = run("probe", "--analyzer", "rules", *arguments).out
    assert "GPT-Neo" not in shown  # it was asked in words, and the rules are not
    assert "Model: Exact match" in shown


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["mock:", "--task", "poetry"], "'poetry' is not one of diagnosis"),
        ([], "name either a MODEL or an --analyzer"),
        (["mock:", "--analyzer", "rules"], "name either a MODEL or an --analyzer"),
        (["mock:", "--shots", "five"], "numbers of 0 or more"),
        (["mock:", "--task", "diagnosis", "--descriptions", "nul"], "Did you mean 'null'?"),
        (["mock:", "--task", "diagnosis", "--decoding", "span"], "diagnosis supports choice"),
        (["mock:", "--task", "diagnosis", "--shots", "500"], "only 24 texts"),
        (["mock:", "--task", "diagnosis", "--shots", "5", "--sampling", "oracle"], "--task identification"),
        (
            ["mock:", "--task", "diagnosis", "--shots", "5", "--sampling", "nearest"],
            "name an encoder with --embedder",
        ),
        (["mock:", "--task", "rephrasing", "--name-dimension"], "these texts have no dimension"),
        (["mock:", "--task", "extraction", "--decoding", "constrained"], "use --decoding span"),
        (["--analyzer", "absent", "--task", "diagnosis"], "no such model"),
        (["--analyzer", "rules", "--task", "rephrasing"], "does not answer 'rephrasing'"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(run: Run, data: str, arguments: list[str], problem: str) -> None:
    result = run("probe", *arguments, "--data", data, "--items", "4")
    assert result.code == 2
    assert problem in result.err
    assert "Traceback" not in result.err


def test_another_run_in_the_folder_is_not_overwritten(run: Run, data: str) -> None:
    arguments = (
        "probe",
        "mock:",
        "--task",
        "diagnosis",
        "--data",
        data,
        "--output",
        "out",
        "--resamples",
        "0",
    )
    assert run(*arguments, "--items", "4").code == 0
    result = run(*arguments, "--items", "6")
    assert result.code == 2
    assert "holds a run with a different items" in result.err


def test_an_estimate_asks_nothing(run: Run, folder: Path, data: str) -> None:
    result = run("probe", "mock:", "--task", "diagnosis", "--data", data, "--estimate", "--output", "out")
    assert (result.code, result.out) == (0, "")
    assert "diagnosis: 144 prompts" in result.err
    assert not (folder / "out").exists()


def test_check_asks_whom_it_is_told_to(run: Run) -> None:
    text = b"It was a legendary, disastrous speech."
    result = run("check", "--analyzer", "rules", "--no-cache", "--output-format", "json", "-", stdin=text)
    assert result.code == 1
    assert '"rules"' in result.out
    result = run("check", "--analyzer", "llm:", "-", stdin=text)
    assert result.code == 2
    assert "must name a model after 'llm:'" in result.err
    result = run("check", "--analyzer", "lml:x", "-", stdin=text)
    assert result.code == 2
