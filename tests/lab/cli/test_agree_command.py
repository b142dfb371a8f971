from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from unslant.core.errors import InputError, UnknownName
from unslant.lab.cli.annotate import aggregate, agree

CSV = "item,annotator,label,batch\n" + "".join(
    f"{item},{who},{label},{batch}\n"
    for who, labels in (("x", "yynnyynn"), ("y", "yynnynnn"))
    for item, (label, batch) in enumerate(zip(labels, "11112222", strict=True))
)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "ratings.csv"
    path.write_text(CSV, "utf-8")
    return str(path)


def run(command: object, *arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)  # type: ignore[arg-type]


def test_agree_prints_each_measure_with_its_interval(table: str) -> None:
    result = run(agree, table)
    assert result.exit_code == 0
    assert "label: 16 judgements of 8 items by 2 annotators; 8 items have two or more" in result.output
    # 7 of 8 are equal; x says y half the time, y three times of eight: p_e = 1/2; kappa = (7/8 - 1/2) * 2.
    assert "Cohen's kappa, mean of pairs  0.75  [" in result.output
    assert "percent agreement             0.88  [" in result.output
    assert "published" not in result.output


def test_agree_by_batch_label_and_annotator(table: str) -> None:
    output = run(
        agree, table, "--by", "batch", "--by", "label", "--by", "annotator", "--resamples", "0"
    ).output
    lines = [line.split() for line in output.splitlines()]
    assert [
        "batch",
        "items",
        "twice",
        "or",
        "more",
        "alpha",
        "fleiss",
        "kappa",
        "percent",
        "cohen",
        "kappa",
    ] in lines
    assert ["1", "4", "4", "1.00", "1.00", "1.00", "1.00"] in lines
    assert "by label:" in output
    assert "by annotator:" in output
    assert "[" not in output


def test_agree_json_is_the_same_twice(table: str) -> None:
    first = json.loads(run(agree, table, "--output-format", "json", "--seed", "4").output)
    assert first == json.loads(run(agree, table, "--output-format", "json", "--seed", "4").output)
    assert first[0]["measures"]["percent"]["value"] == 0.875
    assert first[0]["published"] is None


def test_agree_on_a_scale(table: str) -> None:
    output = run(agree, table, "--order", "n,y", "--level", "interval").output
    assert "Krippendorff's alpha, interval" in output
    with pytest.raises(InputError, match="'y' is not on the scale"):
        run(agree, table, "--order", "n,m")


def test_agree_against_a_reference(table: str) -> None:
    output = run(agree, table, "--reference", "x").output
    assert "y against the reference:" in output
    assert "F1" in output


def test_a_mistyped_option_is_named(table: str) -> None:
    with pytest.raises(UnknownName, match=r"no task in it named 'lable'\. Did you mean 'label'"):
        run(agree, table, "--task", "lable")
    with pytest.raises(InputError, match="write it as FIELD=COLUMN"):
        run(agree, table, "--column", "item")


def test_aggregate_prints_shares_and_writes_rows(table: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    output = run(aggregate, table, "--output", str(out)).output
    lines = [line.split() for line in output.splitlines()]
    assert ["n", "50.00", "%"] in lines
    assert ["y", "37.50", "%"] in lines
    assert ["no", "agreement", "12.50", "%"] in lines
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert rows[0] == {
        "task": "label",
        "item": "0",
        "label": "y",
        "shares": {"y": 1.0},
        "ratings": 2,
        "text": "",
    }
    assert [row["label"] for row in rows].count(None) == 1


def test_aggregate_json(table: str) -> None:
    (summary,) = json.loads(run(aggregate, table, "--output-format", "json").output)
    assert summary["figures"] == {"n": 0.5, "y": 0.375, "no agreement": 0.125}


@pytest.mark.shared
def test_the_published_figures_stand_beside_ours(shared_data: Path) -> None:
    output = run(agree, "babe/sg1", "--data", str(shared_data)).output
    assert "Krippendorff's alpha          0.39  [0.37, 0.41]  published 0.39" in output
    assert "0.46  [0.44, 0.47]  published 0.46" in output
    lines = [
        line.split() for line in run(aggregate, "babe/sg1", "--data", str(shared_data)).output.splitlines()
    ]
    assert ["Biased", "43.88", "43.88", "43.88"] in lines
    assert ["words", "marked", "by", "enough", "annotators", "1520", "1530", "1530"] in lines
