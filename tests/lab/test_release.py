"""``unslant release``: everything that ships is made again, once, and compared; the model card has its figures."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import unslant
from tests.cli.conftest import Run, folder, run
from unslant import genre, records
from unslant.cli.exits import Exit
from unslant.core.errors import ConfigError
from unslant.lab import release as module
from unslant.lab.model_card import TASKS, card_blocks, changed_figures, measure_task, put_blocks
from unslant.lab.release import STEPS, Release
from unslant.neural.checkpoint import load_package, shipped_model

__all__ = ["folder", "run"]

PAGE = Path(__file__).parents[2] / "docs" / "model-card.md"
TINY = Path(__file__).parents[1] / "neural" / "tiny_model"


@pytest.mark.shared
@pytest.mark.sklearn
def test_a_quick_release_makes_everything_once(run: Run, shared_data: Path, tmp_path: Path) -> None:
    words = ("release", str(tmp_path), "--quick", "--data", str(shared_data))
    shipped = records.PATH, genre.PATH
    first = run(*words)
    assert first.code == Exit.CLEAN, first.err
    made = tmp_path / "unslant"
    for name in ("records.json", "genre.json", "edits/weights/model.json", "edits/weights/policy.toml"):
        assert (made / name).stat().st_size > 1000
    package = load_package(made / "neural" / "weights")
    package.verify()
    fitted = json.loads(package.read("acceptance.json"))
    assert fitted["coefficients"]
    assert fitted["bounds"]
    assert re.search(r"\| findings accepted \| 0\.\d{3} \| `unslant evaluate findings` \|", first.out)
    assert shipped == (records.PATH, genre.PATH), "what ships is read again afterwards"

    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").rglob("*") if path.is_file()}
    again = run(*words)
    assert [line for line in again.out.splitlines() if ": " in line][: len(STEPS)] == [
        f"{step.name}: as before" for step in STEPS
    ]
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").rglob("*") if path.is_file()}
    assert before == after


@pytest.mark.shared
def test_the_figures_of_the_page_come_out_of_their_commands(shared_data: Path) -> None:
    package = shipped_model()
    assert package is not None
    rows = {
        line.split(" | ")[0]: line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")
    }
    results = {
        task: measure_task(task, package, shared_data, lambda *_: None, quick=True).to_dict()
        for task in ("findings", "tagging", "tagging --heads corpus")
    }
    lines = [line for block in card_blocks(results, "").values() for line in block.splitlines()]
    found = [line for line in lines if "`unslant evaluate" in line]
    assert len(found) > 15
    for line in found:
        without_intervals = re.sub(r" \([-\d.]+ to [-\d.]+\)", "", rows[line.split(" | ")[0]])
        assert without_intervals == line


def test_every_figure_of_the_page_names_its_command() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if re.search(r"^\| .*\d\.\d", line)]
    assert len(lines) > 30
    assert all(re.search(r"`unslant evaluate [a-z -]+[A-Z]*` \|$", line) for line in lines)


def test_the_tables_are_put_where_the_page_has_them() -> None:
    page = PAGE.read_text("utf-8")
    result = {
        "sections": [
            {
                "title": "all findings",
                "figures": [{"name": "accepted", "value": 0.5, "low": 0.4, "high": 0.6}],
            }
        ]
    }
    blocks = card_blocks({"findings": result}, "network `abc`")
    after = put_blocks(page, blocks)
    assert "| findings accepted | 0.500 (0.400 to 0.600) | `unslant evaluate findings` |\n" in after
    assert "for these SHA-256 digests: network `abc`." in after
    assert put_blocks(after, blocks) == after
    assert not changed_figures(after, blocks)
    assert changed_figures(page, blocks)[0].startswith("| findings accepted | 0.500")
    assert after.partition("## Limits")[2] == page.partition("## Limits")[2]
    with pytest.raises(ConfigError, match="no place for its figures: <!-- figures: digests -->"):
        put_blocks("# Another page\n", blocks)


def test_a_package_is_taken_without_its_acceptance_and_remembered(tmp_path: Path) -> None:
    made = Release(tmp_path / "made", model=TINY)
    step = STEPS[0]
    inputs = made.inputs(step)
    assert "taken as given" in step.make(made)
    made._remember(step, inputs)
    taken = load_package(made.part("detector"))
    taken.verify()
    assert "acceptance.json" not in taken.files
    # the same folder without --model keeps it, and never takes another one instead
    later = Release(tmp_path / "made")
    assert later._is_done(step, later.inputs(step))
    shutil.rmtree(made.part("detector"))
    assert not later._is_done(step, later.inputs(step))
    with pytest.raises(
        ConfigError, match="has lost the detector that it was given; name it again with --model"
    ):
        step.make(later)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small checkout that stands for this one."""
    package = tmp_path / "checkout" / "src" / "unslant"
    (package / "edits" / "weights").mkdir(parents=True)
    (package / "records.json").write_text('{"rules": {"a": [1, 2], "b": [0, 1]}}')
    (package / "edits" / "weights" / "old.json").write_text("{}")
    (package / "records.py").write_text("CODE = 1\n")
    monkeypatch.setattr(module, "_PACKAGE", package)
    monkeypatch.setattr(module, "_DOCS", tmp_path / "checkout" / "docs")
    return package


def test_what_does_not_come_out_the_same_is_named_and_can_be_written(checkout: Path, tmp_path: Path) -> None:
    made = Release(tmp_path / "made")
    target = made.artefact("records.json")
    target.parent.mkdir(parents=True)
    target.write_text('{"rules": {"a": [1, 3], "c": [0, 1]}}')
    assert made.differences() == [
        "src/unslant/edits/weights/old.json does not come out as it ships: nothing makes it",
        "src/unslant/records.json does not come out as it ships: 1 of 4 values differ, the first is rules.a.1: 3 and "
        "not 2; 2 are new, such as rules.c.0; 2 are gone, such as rules.b.0",
    ]
    assert made.write() == ["src/unslant/records.json", "src/unslant/edits/weights/old.json (removed)"]
    assert (checkout / "records.json").read_text() == target.read_text()
    assert (checkout / "records.py").is_file()
    assert made.differences() == []
    assert made.write() == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--quick", "--write"], "--quick makes nothing that may ship; leave out --write."),
        (["--train", "--model", "."], "leave out --model and --rewriter."),
        (["--model", "nowhere"], "'nowhere' does not exist"),
    ],
)
def test_options_that_do_not_go_together(run: Run, words: list[str], message: str) -> None:
    result = run("release", "made", *words)
    assert result.code == Exit.USAGE
    assert message in result.err
    assert not Path("made").exists()


def test_without_a_checkout_nothing_is_made(checkout: Path, tmp_path: Path) -> None:
    assert checkout.is_dir()
    with pytest.raises(ConfigError, match="a release is made in a checkout of unslant"):
        Release(tmp_path / "made").run(card=False, say=print)
    assert not (tmp_path / "made").exists()


def test_the_card_measures_what_evaluate_offers() -> None:
    from unslant.lab.evaluation.tasks import TASKS as KNOWN

    assert {task.removesuffix(" --heads corpus") for task in TASKS} <= {*KNOWN, "findings"}
    assert Path(unslant.__file__).parent == module._PACKAGE
