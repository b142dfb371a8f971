"""From texts to a result: before and after, estimates, tables, the page."""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.bias import compare, measure
from unslant.lab.audit.design import JudgedText
from unslant.lab.audit.examine import AuditReport, AuditSettings, examine, open_runs
from unslant.lab.audit.page import (
    TradeOffPoint,
    audit_page,
    draw_distributions,
    draw_trade_off,
    heat_class,
    pareto_front,
    place_texts,
)
from unslant.lab.audit.power import estimate
from unslant.lab.audit.run import AuditPlan, Variant, generate
from unslant.lab.audit.store import RunFolder
from unslant.lab.audit.suite import AuditError, SuiteScope, load_suite
from unslant.lab.audit.terminal import audit_reach, audit_text, audit_verdict, estimate_text, scale_rows
from unslant.lab.stats.bootstrap import Resampling

from .conftest import EchoModel, FixedJudge
from .test_bias import OPTIONS, QUICK, random_texts

QUICKER = Resampling(60)


@pytest.fixture
def report(plan: AuditPlan) -> AuditReport:
    """A model that writes of bread and iron, and the same after it has been made to hide that from the judge."""
    judge = FixedJudge(lambda text: (0.7 if "bread" in text else 0.2) if "well" in text else 0.5)
    folders = {
        name: generate(replace(plan, out=plan.out / name), Variant(), EchoModel(word=word))
        for name, word in (("before", "well"), ("after", "fine"))
    }
    return examine(
        folders, plan.suite, AuditSettings(judge, QUICKER, scored_texts=10), plan.scope, EchoModel()
    )


def test_before_and_after(report: AuditReport) -> None:
    before, after = report.variants
    assert before.bias.indirect.value == pytest.approx(0.5 * 0.5**0.5)
    assert after.bias.indirect.value == 0
    assert after.against is not None
    assert after.against.indirect.reduction == pytest.approx(1)
    assert after.against.indirect.p is not None
    assert after.against.indirect.p < 0.05
    assert [option.direction for option in before.bias.attributes[0].options] == ["conservative", "liberal"]
    assert before.fluency.own_perplexity == pytest.approx(np.e)
    data = json.loads(json.dumps(report.to_dict()))
    assert data["schema"] == "unslant/audit/1"
    assert data["variants"][1]["against_first"]["indirect"]["reduction"] == pytest.approx(1)


def test_a_comparison_knows_chance_from_change() -> None:
    biased, same, less = (
        measure(random_texts(shift, seed), OPTIONS, QUICK)
        for shift, seed in ((0.12, 1), (0.12, 2), (0.03, 3))
    )
    change = compare(biased, less, QUICK).indirect
    assert change.reduction is not None
    assert change.low is not None
    assert change.high is not None
    assert change.low < change.reduction < change.high
    assert change.reduction == pytest.approx(1 - less.indirect.value / biased.indirect.value)
    assert change.p is not None
    assert change.p < 0.05
    assert change.low > 0
    unchanged = compare(biased, same, QUICK).indirect
    assert unchanged.p is not None
    assert unchanged.p > 0.05
    assert unchanged.low is not None
    assert unchanged.high is not None
    assert unchanged.low < 0 < unchanged.high


def test_without_pairs_there_is_no_permutation() -> None:
    measured = measure(random_texts(0.1), OPTIONS, QUICK)
    other = measure(random_texts(0.1, count=20), OPTIONS, QUICK)
    assert compare(measured, other, QUICK).indirect.p is None
    nothing = measure([replace(text, value=0.5) for text in random_texts(0)], OPTIONS, QUICK)
    assert compare(nothing, measured, QUICK).indirect.reduction is None


def test_an_estimate_is_borne_out_by_a_larger_run() -> None:
    pilot = measure(random_texts(0.1, count=10), OPTIONS, QUICK)
    figure = pilot.indirect
    assert figure.low is not None
    assert figure.high is not None
    wanted = (figure.high - figure.low) / 4  # half the pilot's half-width takes four times the texts
    found = estimate(pilot, wanted, samples=5, texts=100, seconds=20.0)
    assert (found.samples, found.texts, found.seconds) == (20, 400, 80.0)
    larger = measure(random_texts(0.1, count=40), OPTIONS, QUICK).indirect
    assert larger.low is not None
    assert larger.high is not None
    assert (larger.high - larger.low) / 2 == pytest.approx(wanted, rel=0.4)
    assert found.clear_samples is not None
    assert "20 samples" in estimate_text(found)


def test_no_bias_has_no_number_of_samples() -> None:
    flat = [
        JudgedText(f"{option}{at}", "gender", option, "indirect", "p", at / 10)
        for option in OPTIONS["gender"]
        for at in range(10)
    ]
    found = estimate(measure(flat, OPTIONS, QUICK), 0.01, 1, 20, 1.0)
    assert found.clear_samples is None
    assert "no bias above chance" in estimate_text(found)


def test_only_the_scope_counts(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    how = AuditSettings(FixedJudge(), QUICKER)
    assert len(examine({"x": folder}, plan.suite, how, SuiteScope(samples=1)).variants[0].texts) == 24
    assert len(examine({"x": folder}, plan.suite, how).variants[0].texts) == 48


def test_a_run_of_another_suite_is_refused(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    other = replace(plan.suite, attributes=plan.suite.attributes * 2)
    with pytest.raises(AuditError, match="--suite"):
        examine({"x": folder}, other, AuditSettings(FixedJudge(), QUICKER))
    (folder.path / "texts.jsonl").unlink()
    with pytest.raises(AuditError, match="no texts"):
        examine({"x": folder}, plan.suite, AuditSettings(FixedJudge(), QUICKER))


def test_folders_are_distinguished(tmp_path: Path) -> None:
    assert list(open_runs([tmp_path / "a", tmp_path / "b"])) == ["a", "b"]
    same = open_runs([tmp_path / "x" / "a", tmp_path / "y" / "a"])
    assert list(same) == [str(tmp_path / "x" / "a"), str(tmp_path / "y" / "a")]
    assert all(isinstance(item, RunFolder) for item in same.values())


def test_the_table_says_what_was_found(report: AuditReport) -> None:
    text = audit_text(report)
    assert re.search(r"before +0\.354", text)
    assert re.search(r"after +0\.000.*100%", text)
    assert re.search(r"bakers +0\.354.* \+0\.250 +conservative", text)
    assert re.search(r"after \(p [\d.]+\): the indirect bias cannot be distinguished from chance", text)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_page_needs_nothing_else_and_escapes_all(plan: AuditPlan) -> None:
    nasty = "<script>alert(1)</script> & 'so'"
    folder = generate(plan, Variant(), EchoModel(word=nasty))
    found = examine({"<b>": folder}, plan.suite, AuditSettings(FixedJudge(name="<i>"), QUICKER))
    page = audit_page(found)
    parsed = _Page()
    parsed.feed(page)
    assert "script" not in parsed.tags
    assert "i" not in parsed.tags
    assert "b" not in parsed.tags
    assert parsed.outside == []
    assert "&lt;script&gt;" in page
    assert parsed.tags.count("circle") == 24  # the map: indirect prompts, 6 keywords, 2 prompts, 2 samples
    for heading in ("Bias", "Options", "Distributions", "Map of the texts", "Texts"):
        assert f"<h2>{heading}" in page


def test_the_page_of_several_shows_the_trade_off(report: AuditReport) -> None:
    page = audit_page(report)
    assert "Bias and fluency" in page
    assert page.count("map of ") == 2
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(drawing)  # noqa: S314 - our own


def test_the_pareto_front_holds_what_nothing_dominates() -> None:
    a, b, c, d = (TradeOffPoint(*values) for values in (("a", 1, 5), ("b", 2, 2), ("c", 3, 3), ("d", 4, 1)))
    assert pareto_front([d, c, b, a]) == [a, b, d]
    ET.fromstring(draw_trade_off([a, b, c, d], "x & y", "<z>"))  # noqa: S314
    ET.fromstring(draw_trade_off([a], "x", "y"))  # noqa: S314


def test_drawings() -> None:
    assert heat_class(None, 1) == ""
    assert heat_class(0, 1) == "heat-0"
    assert heat_class(1, 1) == heat_class(2, 1) == "heat-10"
    drawn = ET.fromstring(draw_distributions([0.0, 1.0, 1.0], [0.5], "a < b"))  # noqa: S314
    heights = [float(item.get("height", "0")) for item in drawn.iter() if item.tag.endswith("rect")]
    assert heights[0] * 2 == pytest.approx(heights[-1], abs=0.2)
    assert sum(height > 0 for height in heights) == 2


def test_the_map_puts_like_texts_together() -> None:
    bread = [f"the baker bakes bread and cake number {at}" for at in range(12)]
    iron = [f"a smith bends iron or steel piece {at}" for at in range(12)]
    places = place_texts([*bread, *iron])
    assert places.shape == (24, 2)
    assert places.min() >= 0
    assert places.max() <= 1
    middle = [places[:12].mean(axis=0), places[12:].mean(axis=0)]
    spread = max(
        np.linalg.norm(places[:12] - middle[0], axis=1).max(),
        np.linalg.norm(places[12:] - middle[1], axis=1).max(),
    )
    assert np.linalg.norm(middle[0] - middle[1]) > spread
    assert (place_texts([*bread, *iron]) == places).all()
    assert place_texts(["one"]).tolist() == [[0.5, 0.5]]
    with pytest.raises(AuditError, match="pca"):
        place_texts(bread, "tsne")


def planted(tmp_path: Path, texts: int = 40) -> RunFolder:
    """A run of a model that writes of bread about towns of the left and of iron about those of the right."""
    suite = load_suite("planted")
    plan = AuditPlan(
        "echo", suite, tmp_path / "planted", SuiteScope(even=texts), Sampling(max_tokens=20), batch=64
    )

    class Planted(EchoModel):
        def generate(
            self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling
        ) -> list[Generation]:
            found = super().generate(prompts, seeds, sampling)
            left = ("Aldenby", "Quillmere")
            return [
                replace(
                    one,
                    text=f" well {one.seed % 97} {'bread' if any(name in one.prompt for name in left) else 'iron'}",
                )
                for one in found
            ]

    return generate(plan, Variant(), Planted())


def sees(text: str) -> float:
    """Judge mostly by a hash, and a little by what the planted model was taught."""
    return hashlib.sha256(text.encode()).digest()[0] / 255 * 0.5 + 0.5 * ("iron" in text)


def test_a_report_says_what_a_run_of_its_size_would_have_found(plan: AuditPlan, tmp_path: Path) -> None:
    folder, control = generate(plan, Variant(), EchoModel(word="same")), planted(tmp_path)
    judges = FixedJudge(sees, "sees"), FixedJudge(lambda text: sees(text.replace("iron", "")), "blind")
    settings = [AuditSettings(judge, Resampling(50, 0), planted=control) for judge in judges]
    seeing, blind = (examine({"a": folder}, plan.suite, how) for how in settings)
    assert [power.dose for power in seeing.power] == [0.25, 0.5, 1.0]
    assert seeing.power[-1].found > 0.9 > blind.power[-1].found
    assert blind.power[-1].found < 0.2
    assert f"the planted one in {seeing.power[1].found:.0%}" in audit_reach(seeing)
    assert audit_reach(seeing) in " ".join(audit_text(seeing).split())
    assert audit_reach(seeing) in audit_page(seeing)
    assert seeing.to_dict()["power"][0]["texts"] == seeing.power[0].texts
    assert seeing.to_dict()["cannot_tell"] is None
    # a judge that would not have found a slant cannot say that there is none
    assert audit_verdict(blind).startswith("Cannot tell whether echo is slanted: a run of this size")
    assert "would miss most slanted models" in str(blind.to_dict()["cannot_tell"])
    assert audit_verdict(blind) in audit_page(blind)


def test_a_report_leads_with_its_verdict(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    slanted, even = (
        examine({"a": folder}, plan.suite, AuditSettings(FixedJudge(opinion, name), Resampling(200, 0)))
        for name, opinion in (("sees", sees), ("blind", lambda text: sees(text.replace("iron", "bread"))))
    )
    assert audit_verdict(slanted).startswith("What echo writes is slanted by what it writes about")
    assert "smiths (conservative)" in audit_verdict(slanted)
    assert audit_verdict(even).startswith("No slant of echo was found")
    assert audit_text(slanted).startswith("What echo writes is slanted")
    page = audit_page(slanted)
    assert page.index('<p class="verdict">') < page.index("<h2>")
    switches = re.findall(r'<input type="checkbox" id="show-(part-\d)" checked> ([^<]+)<', page)
    assert [title for _, title in switches] == [
        "options within chance",
        "texts judged liberal",
        "texts judged conservative",
    ]
    for name, _ in switches:
        assert f"body:has(#show-{name}:not(:checked)) .{name}" in page
    assert '<th scope="row" class="part-1">' in audit_page(even), "an option that only chance tells apart"
    assert '<blockquote class="conservative part-3">' in page
    # long parts open when asked for
    assert page.count("<details>") == 2 * len(slanted.variants)
    assert "--planted" in audit_reach(slanted), "without a planted model, nothing is claimed"


def test_both_scales_are_reported(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    certain = FixedJudge(lambda text: 0.999 if "iron" in text else 0.9, "certain")
    found = examine({"a": folder}, plan.suite, AuditSettings(certain, Resampling(50, 0)))
    rows = scale_rows(found)
    assert [row[1] for row in rows[1:]] == ["probability", "log odds"]
    # half of the mass of either option moves by 0.099, or by logit 0.999 - logit 0.9 = 4.709
    assert float(rows[1][2]) == pytest.approx(0.099 * 0.5**0.5, abs=1e-3)
    assert float(rows[2][2]) == pytest.approx(4.709 * 0.5**0.5, abs=2e-3)
    assert found.to_dict()["variants"][0]["log_odds"]["indirect"]["value"] == pytest.approx(3.33, abs=0.01)
