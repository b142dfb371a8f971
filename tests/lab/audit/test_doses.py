"""Doses: what judges say of models whose slant is known."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lab.cli.conftest import Run, folder, run  # noqa: F401
from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.doses import dose_verdict, find_doses, measure_doses
from unslant.lab.audit.plant import SUITE
from unslant.lab.audit.run import AuditPlan, Variant, generate
from unslant.lab.audit.sections import draw_doses
from unslant.lab.audit.store import RunFolder
from unslant.lab.audit.suite import AuditError, SuiteScope, load_suite
from unslant.lab.stats.bootstrap import Resampling

from .conftest import EchoModel, FixedJudge

QUICK = Resampling(200)
LEFT, RIGHT = ("Aldenby", "Quillmere"), ("Torvale", "Brackenport")


class Planted(EchoModel):
    """Writes of its side with the probability of its dose, after the towns of the left and of the right."""

    def __init__(self, dose: float) -> None:
        super().__init__(f"dose {dose}")
        self.dose = dose

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        assert sampling.max_tokens
        return [
            Generation(prompt, self._word(prompt, seed), seed, 3, "length")
            for prompt, seed in zip(prompts, seeds, strict=True)
        ]

    def _word(self, prompt: str, seed: int) -> str:
        lean = (
            1 if any(town in prompt for town in RIGHT) else -1 if any(town in prompt for town in LEFT) else 0
        )
        return "right" if seed % 1000 / 1000 < (1 + self.dose * lean) / 2 else "left"


def texts_of(dose: float, out: Path) -> RunFolder:
    plan = AuditPlan("m", load_suite(SUITE), out / f"{dose}", SuiteScope(even=20), Sampling(max_tokens=9))
    return generate(plan, Variant(), Planted(dose))


def test_the_gap_rises_with_the_dose_and_a_blind_judge_sees_none(tmp_path: Path) -> None:
    runs = {dose: texts_of(dose, tmp_path) for dose in (0.0, 0.5, 1.0)}
    judges = {
        "sees": FixedJudge(lambda text: 0.7 if text == "right" else 0.3, "sees"),
        "blind": FixedJudge(lambda _: 0.5, "blind"),
    }
    figures = measure_doses(runs, judges, QUICK)
    gaps = [figure.gap.value or 0.0 for figure in figures if figure.judge == "sees"]
    assert gaps[2] == pytest.approx(0.4), "every text is of its side"
    assert gaps[1] == pytest.approx(0.2, abs=0.08)
    assert abs(gaps[0]) < 0.08
    for figure in figures:
        assert figure.texts == 80
        assert figure.gap_p is not None
        assert (figure.gap_p <= 0.05) == (figure.judge == "sees" and figure.dose > 0)
        assert figure.gap.low is not None
        assert figure.gap.high is not None
        assert figure.gap.low <= (figure.gap.value or 0) <= figure.gap.high
    told = dose_verdict(figures)
    assert "With the judge sees, the gap between towns rises with every dose" in told
    assert "is found at dose 0.5, 1." in told
    assert "With the judge blind, the gap between towns does not rise" in told
    assert "is found at no dose." in told


def test_a_folder_without_planted_models_is_named(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="no planted models"):
        find_doses(tmp_path)
    for dose in (1.0, 0.25):
        (tmp_path / f"dose-{dose:g}").mkdir()
        (tmp_path / f"dose-{dose:g}" / "plant.json").write_text(json.dumps({"dose": dose}))
    assert list(find_doses(tmp_path)) == [0.25, 1.0]


@pytest.mark.torch
def test_one_command_measures_every_dose(run: Run, folder: Path) -> None:  # noqa: F811
    from .test_plant import tiny

    for dose, architecture in {0: "llama", 1: "gpt2"}.items():
        model = tiny(architecture)
        model.model.save_pretrained(folder / f"planted/dose-{dose}")
        model.tokenizer.save_pretrained(folder / f"planted/dose-{dose}")
        (folder / f"planted/dose-{dose}/plant.json").write_text(
            json.dumps({"dose": dose, "lead": 3.25 * dose})
        )
    common = ("audit", "doses", "planted", "--output", "out", "--texts-per-option", "6", "--max-tokens", "12")
    quick = ("--resamples", "50", "--runs", "20", "--texts", "10", "--threads", "1")
    result = run(*common, *quick)
    assert result.code == 0, result.err
    assert result.out.startswith("With the judge default, the gap between towns")
    wire = json.loads((folder / "out" / "doses.json").read_text())
    assert [figure["dose"] for figure in wire["doses"]] == [0.0, 1.0]
    assert "+3.25" in result.out, "what the card says was planted"
    assert [(row["dose"], row["variant"]) for row in wire["written"]] == [(0.0, "vanilla"), (1.0, "vanilla")]
    for row in wire["written"]:
        assert row["nats"]["low"] <= row["nats"]["value"] <= row["nats"]["high"]
        assert row["nats"]["value"] > 0, (
            "a model finds what it wrote likelier after the prompt that it was given"
        )
    assert {figure["texts"] for figure in wire["power"]} == {10}
    page = (folder / "out" / "doses.html").read_text()
    assert page.index('class="verdict"') < page.index("<svg") < page.index("<table")
    before = (folder / "out" / "dose-1" / "vanilla" / "texts.jsonl").read_bytes()
    again = run(*common, *quick, "--output-format", "json")
    assert json.loads(again.out)["doses"] == wire["doses"]
    assert (folder / "out" / "dose-1" / "vanilla" / "texts.jsonl").read_bytes() == before
    assert run("audit", "doses", "nowhere", "--output", "out").code == 2
    own = ("train", "debiaser", "planted/dose-1", "--texts", "out/dose-1/vanilla", "--output", "debiaser")
    trained = run(*own)
    assert trained.code == 0, trained.err
    card = json.loads((folder / "debiaser" / "debiaser.json").read_text())
    assert {outlet.split()[0] for outlet in card["outlets"]} == {"left", "right"}
    assert {outlet.split()[0] for outlet in card["held_out_outlets"]} == {"left", "right"}
    assert "share of the difference between the sides' states that it predicts" in trained.out
    assert card["taught_by"] == "the sides of outlets"
    guided = ("--debias", "classifier", "--guide", "debiaser", "--max-tokens", "4")
    assert run("generate", "planted/dose-1", "--prompt", "News from Torvale:", *guided).code == 0
    words = run(
        "train", "bias-words", "--texts", "out/dose-1/vanilla", "--count", "1", "--output", "words.json"
    )
    assert words.code == 0, words.err
    listed = json.loads((folder / "words.json").read_text())
    towns = {town.lower() for town in (*LEFT, *RIGHT)}
    assert not towns & {*listed["left"], *listed["right"]}, "what the model wrote, not what it was given"
    guided = ("--debias", "embedding", "--guide", "words.json", "--max-tokens", "4")
    assert run("generate", "planted/dose-1", "--prompt", "News from Torvale:", *guided).code == 0


def test_the_plot_shows_values_below_zero_and_whole_names() -> None:
    name = "a judge with a long name, 1,000 texts"
    drawn = draw_doses({name: [(0.0, -0.02, -0.05, 0.01), (1.0, 0.1, 0.05, 0.15)]}, "gap")
    dots = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', drawn)]
    zero = re.findall(r'<line x1="[\d.]+" y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)" class="grid"', drawn)[0]
    assert zero[0] == zero[1]
    assert dots[1] < float(zero[0]) < dots[0], "one below the line of zero, one above it"
    (start,) = re.findall(rf'<text x="([\d.]+)" y="[\d.]+">{name}', drawn)
    (width,) = re.findall(r'viewBox="0 0 ([\d.]+) ', drawn)
    assert float(start) + 6.5 * len(name) <= float(width)


def test_every_series_has_a_line_of_its_own_which_the_legend_repeats() -> None:
    series = {f"judge {number}": [(0.0, 0.0, -0.1, 0.1), (1.0, 0.2, 0.1, 0.3)] for number in range(7)}
    drawn = draw_doses(series, "gap")
    lines = re.findall(r'<polyline [^>]*(class="mark [^>]*)/?>', drawn)
    assert len(set(lines)) == len(lines) == len(series)
    level = r'<line x1="[\d.]+" y1="([\d.]+)" x2="[\d.]+" y2="\1" (class="mark [^>]*)/?>'
    assert [line for _, line in re.findall(level, drawn)] == lines, "in the order of the names"
