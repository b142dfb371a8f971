"""`unslant models`, and the model in `unslant check` and `unslant explain`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from unslant.core.types import Severity

from .conftest import Run

TINY = Path(__file__).parents[1] / "neural" / "tiny_model"
TEXT = b"The town was awful. The legendary council met on monday.\n"


@pytest.fixture
def ships(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the tiny model be the one that ships."""
    from unslant.spec import default_analyzers

    monkeypatch.setattr("unslant.neural.checkpoint._WEIGHTS", TINY)
    monkeypatch.setattr("unslant.spec._MODEL", TINY / "model.json")
    default_analyzers.cache_clear()
    yield
    default_analyzers.cache_clear()


@pytest.fixture
def ships_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    from unslant.spec import default_analyzers

    monkeypatch.setattr("unslant.neural.checkpoint._WEIGHTS", tmp_path / "none")
    monkeypatch.setattr("unslant.spec._MODEL", tmp_path / "none" / "model.json")
    default_analyzers.cache_clear()
    yield
    default_analyzers.cache_clear()


def found(run: Run, *options: str, stdin: bytes = TEXT) -> dict[str, str]:
    result = run("check", "--output-format", "jsonl", *options, "-", stdin=stdin)
    assert result.code in (0, 1), result.err
    report = json.loads(result.out.splitlines()[0])
    return {finding["text"]: finding["origin"] for finding in report["findings"]}


def test_figures_go_onto_the_card_and_are_shown(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(TINY, tmp_path / "mine"))
    figure = {"name": "exact F1", "value": 0.25, "low": 0.2, "high": 0.3, "items": 9}
    sections = [{"title": "sentences", "figures": [figure]}]
    path = tmp_path / "tagging.json"
    path.write_text(json.dumps({"task": "tagging", "model": "mine", "sections": sections}))
    assert run("evaluate", "card", str(folder), str(path)).out == f"{folder}: added tagging to the card\n"
    result = run("models", str(folder))
    assert result.code == 0
    assert "tagging, sentences, exact F1: 0.250 (0.200 to 0.300)" in result.out
    assert "all files verified" in result.out
    listed = json.loads(run("models", str(folder), "--output-format", "json").out)[-1]
    assert listed["figures"][0]["high"] == 0.3
    assert run("evaluate", "card", str(folder)).code == 2


def test_a_model_is_listed_with_what_it_trained_on(run: Run) -> None:
    result = run("models", str(TINY))
    assert result.code == 0
    for said in (
        "tiny_model",
        str(TINY),
        "all files verified",
        "Toy sentences: Apache-2.0",
        "sentence, spans",
    ):
        assert said in result.out


def test_as_json(run: Run) -> None:
    result = run("models", "--output-format", "json", str(TINY))
    (one,) = [entry for entry in json.loads(result.out) if entry["folder"] == str(TINY)]
    assert one["problem"] is None
    assert one["trained_on"] == [
        {"name": "toy", "title": "Toy sentences", "licence": "Apache-2.0", "url": ""}
    ]
    assert one["bytes"] == sum(
        path.stat().st_size for path in TINY.iterdir() if path.name not in ("model.json", "README.md")
    )


def test_a_damaged_model_is_reported_and_gives_exit_code_2(run: Run, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(TINY, tmp_path / "copy"))
    (copy / "model.onnx").write_bytes(b"")
    result = run("models", str(copy), str(TINY))
    assert result.code == 2
    assert "model.onnx is damaged" in result.out
    assert "Toy sentences" in result.out


@pytest.mark.usefixtures("ships_none")
def test_no_model(run: Run) -> None:
    result = run("models")
    assert result.code == 0
    assert "No model ships" in result.out


@pytest.mark.usefixtures("ships")
def test_the_model_that_ships_and_that_of_the_configuration(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text(f'model = "{TINY}"')
    assert "see 'unslant trust --help'" in run("models").err
    assert run("trust", ".").code == 0
    result = run("models")
    assert "the model that ships with unslant" in result.out
    assert "the configured model" in result.out


def test_the_tiers(run: Run) -> None:
    model = ("--model", str(TINY))
    assert found(run, "--tier", "rules", *model) == {"awful": "rules", "legendary": "rules"}
    assert found(run, "--tier", "model", *model)["awful"] == "model"
    assert found(run, "--tier", "all", *model)["awful"] == "rules+model"
    assert found(run, *model)["awful"] == "rules+model"


@pytest.mark.usefixtures("ships")
def test_a_model_that_ships_runs_by_default(run: Run) -> None:
    assert found(run)["awful"] == "rules+model"
    assert found(run, "--tier", "rules")["awful"] == "rules"


@pytest.mark.usefixtures("ships_none")
def test_without_a_model_the_rules_run_alone(run: Run) -> None:
    assert found(run)["awful"] == "rules"
    result = run("check", "--tier", "model", "-", stdin=TEXT)
    assert result.code == 2
    assert result.err.splitlines() == [
        "unslant: no model ships with this build of unslant; name one with --model DIR"
    ]


def test_a_folder_without_a_model_gets_one_sentence(run: Run, folder: Path) -> None:
    result = run("check", "--model", "nowhere", "-", stdin=TEXT)
    assert result.code == 2
    assert "there is no such folder" in result.err
    assert str(folder / "nowhere") in result.err


def test_the_configuration_names_a_model_from_where_it_lies(run: Run, folder: Path) -> None:
    shutil.copytree(TINY, folder / "mine")
    (folder / "unslant.toml").write_text('model = "mine"\nuncertain = [0.1, 0.9]\n')
    assert run("trust", ".").code == 0
    assert found(run)["awful"] == "rules+model"
    (folder / "unslant.toml").write_text('model = "mine"\nanalyzers = ["rules"]\n')
    assert found(run)["awful"] == "rules"


def test_the_cache_knows_when_the_model_has_changed(run: Run, folder: Path) -> None:
    shutil.copytree(TINY, folder / "mine")
    (folder / "text.txt").write_bytes(TEXT)

    def probability() -> float:
        result = run("check", "--tier", "model", "--model", "mine", "--output-format", "jsonl", "text.txt")
        return float(json.loads(result.out.splitlines()[0])["sentences"][0]["probability"])

    before = probability()
    assert probability() == before
    about = json.loads((folder / "mine" / "model.json").read_text())
    about["heads"]["sentence"]["decision"] = {"offset": -3.0}
    (folder / "mine" / "model.json").write_text(json.dumps(about))
    assert probability() != before


def test_a_finding_of_the_model_is_shown_like_any_other(run: Run) -> None:
    result = run("check", "--tier", "model", "--model", str(TINY), "-", stdin=b"The town was awful.\n")
    assert result.code == 1
    assert "model/framing" in result.out
    assert "Very likely slanted" in " ".join(result.out.split())
    assert Severity.WARNING.value in result.out


def test_a_text_is_explained_in_the_terminal_and_as_a_page(run: Run, folder: Path) -> None:
    result = run("explain", "--model", str(TINY), "--text", "The town was awful.", "--output", "page.html")
    assert result.code == 0
    (line,) = [line for line in result.out.splitlines() if line.strip().startswith("awful")]
    assert line.endswith("#" * 20)
    assert "<u>awful</u>" in (folder / "page.html").read_text("utf-8")
    colored = run("explain", "--model", str(TINY), "--text", "The town was awful.", "--color", "always")
    assert "\x1b[48;5;" in colored.out


def test_explain_wants_a_rule_or_a_text(run: Run) -> None:
    assert run("explain").code == 2
    assert run("explain", "framing/praise-adjective", "--text", "A text.").code == 2
    assert (
        "cannot be written"
        in run("explain", "--model", str(TINY), "--text", "A.", "--output", "no/page.html").err
    )
