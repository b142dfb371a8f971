"""``unslant audit`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

QUICK = ("--keywords", "2", "--max-tokens", "12", "--resamples", "50", "--attribute", "gender")


def test_an_audit_writes_a_table_json_and_a_page(run: Run, folder: Path) -> None:
    result = run("audit", "run", "mock:a", "--output", "o", *QUICK)
    assert result.code == 0
    assert "vanilla: 40 texts" in result.out
    assert "male" in result.out
    assert "page: o/report.html" in result.err
    data = json.loads((folder / "o" / "report.json").read_text("utf-8"))
    assert data["schema"] == "unslant/audit/1"
    assert data["variants"][0]["texts"] == 40
    assert (folder / "o" / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_a_first_report_says_what_it_would_have_found(run: Run, folder: Path) -> None:
    common = ("audit", "run", "mock:a", "--max-tokens", "30", "--resamples", "50", "--attribute", "gender")
    shares = []
    for name, texts in (("few", "3"), ("many", "120")):
        result = run(*common, "--output", name, "--texts-per-option", texts)
        told = " ".join(result.out.split())
        assert "A model that writes about one group as outlets of the left do" in told
        assert "Chance finds 5%." in told
        data = json.loads((folder / name / "report.json").read_text("utf-8"))
        assert data["reference"]["kind"] == "outlets"
        assert [power["dose"] for power in data["power"]] == [0.25, 0.5, 1.0]
        assert f"{data['power'][-1]['found']:.0%} of runs of this size" in told
        assert "passages of outlets of the left" in (folder / name / "report.html").read_text("utf-8")
        shares.append(data["power"][-1]["found"])
    assert shares[0] < shares[1]


def test_it_goes_on_where_it_was(run: Run, folder: Path) -> None:
    run("audit", "run", "mock:a", "--output", "o", *QUICK)
    before = (folder / "o" / "vanilla" / "texts.jsonl").read_bytes()
    result = run(
        "audit", "run", "mock:a", "--output", "o", *QUICK, "--samples", "2", "--output-format", "json"
    )
    assert json.loads(result.out)["variants"][0]["texts"] == 80
    assert (folder / "o" / "vanilla" / "texts.jsonl").read_bytes().startswith(before)


def test_a_target_is_for_both_modes_or_for_one() -> None:
    from unslant.lab.cli.audit import _by_mode

    def targets(*given: str) -> dict[str, float]:
        return _by_mode("--target", given)

    assert targets() == {}
    assert targets("0.3") == {"embedding": 0.3, "classifier": 0.3}
    assert targets("classifier=1", "0.3") == {"embedding": 0.3, "classifier": 1.0}
    assert targets("0.3", "classifier=1") == {"embedding": 0.3, "classifier": 1.0}


def test_how_tokens_are_drawn_is_kept_with_the_run(run: Run, folder: Path) -> None:
    run("audit", "run", "mock:a", "--output", "o", *QUICK, "--temperature", "0.5", "--top-k", "20")
    told = json.loads((folder / "o" / "vanilla" / "run.json").read_text("utf-8"))
    assert (told["sampling"]["temperature"], told["sampling"]["top_k"]) == (0.5, 20)
    assert "other sampling settings" in run("audit", "run", "mock:a", "--output", "o", *QUICK).err


def test_every_option_can_have_as_many_texts(run: Run) -> None:
    asked = (
        "--suite",
        "liu-2021",
        "--attribute",
        "topic",
        "--max-tokens",
        "12",
        "--resamples",
        "50",
        "--texts-per-option",
        "3",
    )
    data = json.loads(
        run(
            "audit", "run", "mock:a", "--output", "o", "--keywords", "3", *asked, "--output-format", "json"
        ).out
    )
    options = data["variants"][0]["bias"]["attributes"][0]["options"]
    assert {option["texts"] for option in options} == {12}, "healthcare has two keywords, the others three"


def test_the_folder_has_a_name_of_its_own(run: Run, folder: Path) -> None:
    assert run("audit", "run", "mock:some/model", *QUICK).code == 0
    assert (folder / "audit" / "mock-some-model" / "report.html").is_file()


def test_a_folder_of_another_model_is_refused(run: Run) -> None:
    run("audit", "run", "mock:a", "--output", "o", *QUICK)
    result = run("audit", "run", "mock:b", "--output", "o", *QUICK)
    assert result.code == 2
    assert "its texts come from another model" in result.err
    assert result.err.count("\n") == 1


def test_comparing_two_runs(run: Run) -> None:
    for name in "ab":
        run("audit", "run", f"mock:{name}", "--output", name, *QUICK)
    result = run(
        "audit",
        "compare",
        "a/vanilla",
        "b/vanilla",
        "--resamples",
        "50",
        "--html",
        "c.html",
        "--output-format",
        "json",
    )
    assert result.code == 0
    data = json.loads(result.out)
    assert [variant["run"]["model"] for variant in data["variants"]] == ["mock:a", "mock:b"]
    assert data["variants"][1]["against_first"]["indirect"]["p"] is not None
    assert Path("c.html").is_file()
    assert run("audit", "compare", "a/vanilla", "nowhere").code == 2


def test_an_estimate_from_a_pilot(run: Run) -> None:
    run("audit", "run", "mock:a", "--output", "o", *QUICK)
    result = run("audit", "estimate", "o/vanilla", "--margin", "0.001", "--resamples", "50")
    assert result.code == 0
    assert "For ± 0.001, take" in result.out
    assert "samples for each prompt and keyword" in result.out
    wire = json.loads(run("audit", "estimate", "o/vanilla", "--margin", "1", "--output-format", "json").out)
    assert (wire["samples"], wire["texts"]) == (1, 40)


def test_an_estimate_counts_by_option_where_keywords_have_unequal_numbers_of_texts(run: Run) -> None:
    run("audit", "run", "mock:a", "--output", "o", *QUICK, "--texts-per-option", "3")
    result = run("audit", "estimate", "o/vanilla", "--margin", "0.01", "--resamples", "50")
    assert "samples for each prompt and option (--texts-per-option)" in result.out


def test_own_words_for_the_parties(run: Run, folder: Path) -> None:
    words = ("--set", "liberal.candidate=Ada Roe", "--set", "conservative.candidate=Ben Doe")
    assert run("audit", "run", "mock:a", "--output", "o", *QUICK, *words).code == 0
    prompts = (folder / "o" / "vanilla" / "texts.jsonl").read_text("utf-8")
    assert prompts.count("votes for Ada Roe") == prompts.count("votes for Ben Doe") == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'MODEL'"),
        (("mock:a", "--suite", "curent"), "Did you mean 'current'"),
        (("mock:a", "--attribute", "gendr"), "Did you mean 'gender'"),
        (("mock:a", "--set", "liberal.hat=red"), "nothing to set"),
        (("mock:a", "--judge", "nowhere"), "no such folder"),
        (("mock:a", "--sweep", "0.1,-2"), "--sweep"),
        (("mock:a", "--target", "naive=0.1"), "--target naive=0.1"),
        (("mock:a", "--target", "0"), "--target 0"),
        (("mock:a", "--target", "embedding=much"), "--target embedding=much"),
        (("mock:a", "--precision", "bfloat16"), "only a local model"),
        (("mock:a", "--sweep", "a"), "--sweep"),
        (("mock:a", "--guide", "classifier"), "MODE=PATH"),
        (("mock:a", "--debias", "embedding", "--keywords", "1", "--max-tokens", "3"), "hidden states"),
        (("mock:a", "--sweep", "0.1,0.9", "--keywords", "1", "--max-tokens", "3"), "hidden states"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("audit", "run", *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_baselines_exchange_words_in_what_was_written(run: Run, folder: Path) -> None:
    result = run(
        "audit",
        "run",
        "mock:a",
        "--output",
        "o",
        *QUICK,
        "--debias",
        "naive",
        "--debias",
        "in-glove",
        "--output-format",
        "json",
    )
    assert result.code == 0, result.err
    variants = json.loads(result.out)["variants"]
    assert [variant["name"] for variant in variants] == ["vanilla", "naive", "in-glove"]
    assert variants[1]["run"]["debias"]["mode"] == "naive"
    assert all(variant["against_first"]["indirect"] for variant in variants[1:])
    for name in ("naive", "in-glove"):
        assert len((folder / "o" / name / "texts.jsonl").read_text("utf-8").splitlines()) == 40
    assert "Bias and fluency" in (folder / "o" / "report.html").read_text("utf-8")


def test_a_page_that_cannot_be_written_is_reported(run: Run, folder: Path) -> None:
    (folder / "file").write_text("")
    result = run("audit", "run", "mock:a", "--output", "o", *QUICK, "--html", "file/page.html")
    assert result.code == 2
    assert "the texts are kept" in result.err


@pytest.mark.torch
def test_a_missing_debiaser_is_reported_before_anything_is_generated(run: Run, folder: Path) -> None:
    result = run("audit", "run", "mock:a", "--output", "o", *QUICK, "--debias", "all")
    assert result.code == 2
    assert not (folder / "o").exists(), "texts were generated first"
    assert result.err.count("\n") == 1
