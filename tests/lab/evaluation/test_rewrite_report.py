"""``unslant evaluate rewrite``, on pairs of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.lab.evaluation.toy_model import write_wikibias
from unslant.core.errors import ConfigError
from unslant.core.types import Applicability, Edit
from unslant.lab.cli.annotate import annotate
from unslant.lab.cli.evaluate import evaluate
from unslant.lab.evaluation.held_out import Leak, Lineage, Setting, read_lineage
from unslant.lab.evaluation.rewrite import Rewritten
from unslant.lab.evaluation.rewrite_report import RewriteReport, compare_systems, report_text
from unslant.lab.evaluation.rewrite_systems import Output, RewriteSystem, open_system
from unslant.lab.stats.bootstrap import Resampling

PAIRS = [
    ("The awful hall was built in 1901 .", "The hall was built in 1901 .", ["framing"]),
    ("The glorious bridge crosses the wide river .", "The bridge crosses the wide river .", ["framing"]),
    ("The road , which was old , was closed in May .", "The old road was closed in May .", []),
    ("Rain fell for two whole days there .", "Rain fell for two days there .", []),
]


class Deleter:
    """Takes two words away wherever they stand; the second of them in an edit that also harms a number."""

    name = "deleter"
    lineage = Lineage()
    ranked_by: frozenset[str] = frozenset()

    def rewrite(self, texts: Sequence[str]) -> Iterator[Output]:
        for text in texts:
            edits: list[Edit] = []
            for word in ("awful ", "glorious "):
                at = text.find(word)
                if at >= 0:
                    edits.append(Edit(at, at + len(word), "", Applicability.SAFE))
            year = text.find("1901")
            if year >= 0:
                edits.append(Edit(year, year + 4, "1902", Applicability.SAFE))
            fixed = text
            for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
                fixed = fixed[: edit.span.start] + edit.replacement + fixed[edit.span.end :]
            yield Output(fixed, tuple(edits))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_wikibias(tmp_path / "data", PAIRS)
    return tmp_path / "data"


def compared(data: Path, *systems: RewriteSystem, **more: Any) -> RewriteReport:
    return compare_systems(systems, Setting(data, Resampling(50, 0)), **more)[0]


def value(rewritten: Rewritten, name: str, *, biased: bool = False) -> float | None:
    section = rewritten.biased if biased else rewritten.everything
    return next(figure.estimate.value for figure in section.figures if figure.name == name)


def test_copying_changes_nothing(data: Path) -> None:
    (copy,) = compared(data, open_system("copy"), judge="rules").systems
    assert value(copy, "unchanged") == 1
    assert value(copy, "exact match") == value(copy, "words changed") == value(copy, "facts changed") == 0
    # 1 and 1 word in the first two; ", which was" and ", " make way for "old"; 1 in the last
    assert 1 < (value(copy, "words changed by editors") or 0) < 4
    assert 0 < (value(copy, "BLEU") or 0) < 1


def test_a_system_is_measured_on_all_pairs_and_on_biased_sources(data: Path) -> None:
    (found,) = compared(data, Deleter(), judge="rules").systems
    assert found.everything.title == "all test pairs (4)"
    assert found.biased.title == "biased sources (2)"
    # the bridge comes out right; the hall would, but for its year
    assert value(found, "exact match") == 0.25
    assert value(found, "exact match", biased=True) == 0.5
    assert value(found, "unchanged") == 0.5
    assert value(found, "facts changed") == value(found, "safe edits that change facts") == 0.25
    assert found.details["facts_changed"] == {"numbers": 1}


class Ranked(Deleter):
    """A deleter that asked every detector there is."""

    name = "ranked"
    ranked_by = frozenset({"rules", "default"})


def test_the_judge_is_another_than_who_ranked(data: Path) -> None:
    report = compared(data, Deleter(), judge="rules")
    assert report.judge == "rules"
    # both slanting words are gone, which is what the judge looks for
    assert value(report.systems[0], "turned slanted") == 0
    assert (value(report.systems[0], "called neutral") or 0) > 0
    for name in ("rules", "default"):
        with pytest.raises(ConfigError, match=f"--judge {name}: took part in the rewrites of 'ranked'"):
            compared(data, Ranked(), judge=name)
    unjudged = compared(data, Ranked())
    assert unjudged.judge is None
    assert any(note.startswith("no judge") for note in unjudged.notes)
    assert "called neutral" not in [figure.name for figure in unjudged.systems[0].everything.figures]


def test_a_system_that_saw_the_test_text_is_refused(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "model").mkdir(parents=True)
    (run / "model" / "rewriter.json").write_text("{}")
    part = {"name": "wikibias", "splits": ["train", "test"]}
    stage = {"name": "pairs", "corpora": [part], "dev": [], "distill": None}
    recipe = {"encoder": "", "stages": [stage], "folds": None, "guard": []}
    (run / "card.json").write_text(json.dumps({"recipe": recipe}))
    with pytest.raises(Leak, match="learned from the test part of wikibias"):
        compared(data, open_system(str(run)))
    # and so is one that went on from it
    second = tmp_path / "second"
    (second / "model").mkdir(parents=True)
    (second / "model" / "rewriter.json").write_text("{}")
    stage = {"name": "pairs", "corpora": [], "dev": [], "distill": None}
    recipe = {"encoder": "run", "stages": [stage], "folds": None, "guard": []}
    before = json.loads((run / "card.json").read_text())
    (second / "card.json").write_text(json.dumps({"recipe": recipe, "before": [before]}))
    assert not read_lineage(second).allows("wikibias")


def test_two_systems_are_compared_on_the_same_pairs(data: Path) -> None:
    report = compared(data, Deleter(), against=open_system("copy"), judge="rules")
    assert [system.system for system in report.systems] == ["deleter", "copy"]
    better = report.differences["deleter"]["BLEU"]
    assert better.value > 0
    assert better.low <= better.value <= better.high
    text = report_text(report)
    assert "compared with copy, paired bootstrap" in text
    assert "tok:13a" in text
    for line in ("source copy  80.10", "BART         82.22"):
        assert line in text
    wire = json.loads(json.dumps(report.to_dict()))
    assert wire["differences"]["deleter"]["exact match"]["value"] == 0.25
    assert wire["published"]["called neutral"][-1] == {
        "system": "the editors",
        "value": 0.8063,
        "error": None,
        "same_definition": False,
        "source": wire["published"]["BLEU"][0]["source"],
    }


def test_a_system_is_named_once(data: Path) -> None:
    with pytest.raises(ConfigError, match="'copy' is named twice"):
        compared(data, open_system("copy"), open_system("copy"))


def test_an_unknown_system_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such system; name copy, rules, edit"):
        open_system(str(tmp_path))
    with pytest.raises(ConfigError, match="no model in nowhere; name edit:DIR"):
        open_system("edit:nowhere")


def test_rewrites_go_on_to_human_evaluation(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "rewrites.jsonl"
    words = ["rewrite", "--system", "rules", "--system", "copy", "--data", str(data), "--resamples", "0"]
    result = CliRunner().invoke(
        evaluate, [*words, "--rewrites", str(out), "--sample-size", "3", "--output-format", "json"]
    )
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) == 6
    # the same pairs for every system
    assert [row["item"] for row in rows[:3]] == [row["item"] for row in rows[3:]]
    project = tmp_path / "judging"
    made = CliRunner().invoke(annotate, ["export", "rewrites", str(out), str(project)])
    assert made.exit_code == 0, made.output
    manifest = json.loads((project / "manifest.json").read_text("utf-8"))
    judged = {(item["item"], item["system"]) for item in manifest["items"].values()}
    assert judged == {(row["item"], row["system"]) for row in rows}


def test_some_pairs_are_chosen_by_the_seed(data: Path) -> None:
    first, items = compare_systems(
        [open_system("copy")], Setting(data, Resampling(0, 5)), judge="rules", limit=2
    )
    again = compare_systems([open_system("copy")], Setting(data, Resampling(0, 5)), judge="rules", limit=2)[1]
    assert len(items) == 2
    assert items == again
    assert any("not comparable" in note for note in first.notes)


@pytest.mark.shared
def test_source_copy_comes_out_near_the_published_figure(shared_data: Path) -> None:
    report, items = compare_systems(
        [open_system("copy")], Setting(shared_data, Resampling(0, 0)), judge="rules"
    )
    (copy,) = report.systems
    assert len(items) == 1049
    assert abs(100 * (value(copy, "BLEU") or 0) - 80.10) < 0.15
    assert value(copy, "exact match") == 0


def test_the_models_first_choice_is_made_alone_and_may_be_judged_by_the_rules() -> None:
    system = open_system("edit-first")
    slanted, plain = "The legendary singer was born in Leeds in 1951.", "She was born in Leeds in 1951."
    first, second = system.rewrite([slanted, plain])
    assert (first.text, first.edits) == ("The singer was born in Leeds in 1951.", None)
    assert second.text == plain
    assert "default" in system.ranked_by
    assert "rules" not in system.ranked_by
