"""Runs: nothing is lost, nothing is done twice, and nothing of another model gets in."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.examine import AuditSettings, examine, judge_run
from unslant.lab.audit.run import AuditPlan, RecordedModel, Variant, generate
from unslant.lab.audit.store import RunFolder, lock_folder
from unslant.lab.audit.suite import AuditError, SuiteScope
from unslant.lab.judges.judge import JudgeError
from unslant.lab.stats.bootstrap import Resampling

from .conftest import EchoModel, FixedJudge


def test_every_task_is_written_once(plan: AuditPlan) -> None:
    model = EchoModel()
    folder = generate(plan, Variant(), model)
    tasks = list(plan.suite.tasks(plan.scope))
    texts = folder.texts()
    assert list(texts) == [task.key for task in tasks]
    assert len(texts) == 6 * 4 * 2
    one = texts[tasks[0].key]
    assert (one.prompt, one.seed, one.option) == (tasks[0].prompt, tasks[0].seed, "bakers")
    assert one.text.endswith("bread")
    assert one.model == model.digest()[:16]
    assert folder.about().sampling["max_tokens"] == 20
    again = EchoModel()
    generate(plan, Variant(), again)
    assert again.prompts == []


def test_more_samples_add_to_what_is_there(plan: AuditPlan) -> None:
    before = generate(plan, Variant(), EchoModel()).texts()
    model = EchoModel()
    after = generate(replace(plan, scope=SuiteScope(samples=3)), Variant(), model).texts()
    assert len(model.prompts) == 24
    assert {key: after[key] for key in before} == before


class _Failing(EchoModel):
    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        if len(self.prompts) >= 16:
            raise KeyboardInterrupt
        return super().generate(prompts, seeds, sampling)


def test_an_interrupted_run_goes_on(plan: AuditPlan) -> None:
    with pytest.raises(KeyboardInterrupt):
        generate(plan, Variant(), _Failing())
    kept = RunFolder(plan.folder(Variant())).texts()
    assert len(kept) == 16
    model = EchoModel()
    whole = generate(plan, Variant(), model).texts()
    assert len(model.prompts) == 48 - 16
    assert {key: item.text for key, item in whole.items()} == {
        key: text.text
        for key, text in generate(replace(plan, out=plan.out / "fresh"), Variant(), EchoModel())
        .texts()
        .items()
    }


class _Rounded(EchoModel):
    """The same model, as far as its digest says, in some precision."""

    def __init__(self, precision: str) -> None:
        super().__init__()
        self.precision = precision


def test_a_run_keeps_to_its_precision(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), _Rounded("float32"))
    assert folder.about().precision == "float32"
    with pytest.raises(AuditError, match=r'another precision \("float32", now "bfloat16"\)'):
        generate(plan, Variant(), _Rounded("bfloat16"))
    told = json.loads((folder.path / "run.json").read_text("utf-8"))
    del told["precision"]
    (folder.path / "run.json").write_text(json.dumps(told), "utf-8")
    assert generate(plan, Variant(), _Rounded("bfloat16")).about().precision == "", "an older run goes on"


def test_a_line_that_was_cut_off_is_dropped(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    path = folder.path / "texts.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert len(folder.texts()) == 47
    generate(plan, Variant(), EchoModel())
    lines = path.read_bytes().splitlines()
    assert len(lines) == 48
    assert all(json.loads(line)["key"] for line in lines)


def test_a_damaged_line_is_reported_by_its_number(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    path = folder.path / "texts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"\xff{\n", *lines[1:]]))
    with pytest.raises(AuditError, match="line 2 is damaged"):
        folder.texts()
    path.write_bytes(b'{"key": "a"}\n')
    with pytest.raises(AuditError, match="line 1 is not a text"):
        folder.texts()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("model", "another model"),
        ("sampling", "other sampling settings"),
        ("seed", "another seed"),
        ("suite", "another suite"),
    ],
)
def test_a_folder_of_something_else_is_refused(plan: AuditPlan, change: str, message: str) -> None:
    generate(plan, Variant(), EchoModel())
    model = EchoModel(word="other") if change == "model" else EchoModel()
    changes: dict[str, dict[str, Any]] = {
        "sampling": {"sampling": Sampling(max_tokens=21)},
        "seed": {"scope": SuiteScope(samples=2, seed=1)},
        "suite": {"suite": replace(plan.suite, attributes=plan.suite.attributes * 2)},
    }
    with pytest.raises(AuditError, match=message) as caught:
        generate(replace(plan, **changes.get(change, {})), Variant(), model)
    assert str(plan.out) in str(caught.value)


def test_what_is_no_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"run\.json is missing"):
        RunFolder(tmp_path).about()
    for content in ("{", "[]", '{"schema": "x"}', '{"schema": "unslant/audit-run/1"}'):
        (tmp_path / "run.json").write_text(content)
        with pytest.raises(AuditError, match=r"run\.json"):
            RunFolder(tmp_path).about()


def test_a_full_disk_loses_nothing(plan: AuditPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    generate(replace(plan, scope=SuiteScope(samples=1)), Variant(), EchoModel())
    calls = 0

    def full(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(AuditError, match="disk is full; make room and run the same command again"):
            generate(plan, Variant(), EchoModel())
    kept = len(RunFolder(plan.folder(Variant())).texts())
    assert kept == 24 + 8
    model = EchoModel()
    assert len(generate(plan, Variant(), model).texts()) == 48
    assert len(model.prompts) == 48 - kept


def test_two_runs_do_not_write_into_one_folder(plan: AuditPlan) -> None:
    with lock_folder(plan.folder(Variant())), pytest.raises(AuditError, match="another audit"):
        generate(plan, Variant(), EchoModel())


def test_judgements_are_kept_for_each_judge(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    texts = folder.texts()
    first, second = FixedJudge(), FixedJudge(lambda _: 0.25, "other")
    values = judge_run(folder, texts, first)
    assert len(first.asked) == 48
    again = FixedJudge()
    assert judge_run(folder, texts, again) == values
    assert again.asked == []
    assert set(judge_run(folder, texts, second).values()) == {0.25}


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -0.1, 1.5])
def test_a_judge_that_gives_no_probability_is_refused(plan: AuditPlan, wrong: float) -> None:
    folder = generate(plan, Variant(), EchoModel())
    with pytest.raises(JudgeError, match="'broken' gave"):
        judge_run(folder, folder.texts(), FixedJudge(lambda _: wrong, "broken"))
    assert folder.numbers(f"judged-{FixedJudge(name='broken').digest()[:16]}") == {}


def test_texts_that_cannot_be_judged_are_counted_apart(plan: AuditPlan) -> None:
    folder = generate(plan, Variant(), EchoModel())
    judge = FixedJudge(lambda text: None if " 1" in text else 0.5)
    how = AuditSettings(judge, Resampling(20))
    found = examine({"vanilla": folder}, plan.suite, how).variants[0]
    none = sum(" 1" in text.text for text in folder.texts().values())
    assert found.unjudged == none > 0
    assert sum(option.texts for option in found.bias.attributes[0].options) < len(found.texts)


def test_recorded_texts_are_given_again(plan: AuditPlan) -> None:
    texts = generate(plan, Variant(), EchoModel()).texts()
    model = RecordedModel(EchoModel(), texts)
    one = next(iter(texts.values()))
    assert model.generate([one.prompt], [one.seed], Sampling())[0].text == one.text
    assert model.digest() == EchoModel().digest()


def test_words_are_only_exchanged_in_texts_that_are_there(
    plan: AuditPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    import unslant.lab.debias.model as debias_model

    def fake(model: Any, mode: str, **_: Any) -> Any:
        class Shouting:
            name = mode

            def digest(self) -> str:
                return "d" * 64

            def generate(self, *arguments: Any) -> list[Generation]:
                return [replace(item, text=item.text.upper()) for item in model.generate(*arguments)]

        return Shouting()

    monkeypatch.setattr(debias_model, "debias", fake)
    with pytest.raises(AuditError, match="audit the model without --debias first"):
        generate(plan, Variant("naive"), EchoModel())
    vanilla = generate(plan, Variant(), EchoModel()).texts()
    model = EchoModel()
    changed = generate(plan, Variant("naive"), model).texts()
    assert model.prompts == []
    assert {key: item.text for key, item in changed.items()} == {
        k: o.text.upper() for k, o in vanilla.items()
    }
    assert all(changed[key].seconds >= item.seconds for key, item in vanilla.items())


def test_a_model_without_hidden_states_is_not_debiased(plan: AuditPlan) -> None:
    from unslant.core.errors import ModelError

    generate(plan, Variant(), EchoModel())
    with pytest.raises(ModelError, match="hidden states"):
        generate(plan, Variant("embedding"), EchoModel())


@pytest.mark.ray
def test_ray_writes_the_same_texts(tmp_path: Path, plan: AuditPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    from unslant.lab.lm import open_model

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "src"))

    here = replace(plan, model="mock:a")
    there = replace(here, out=tmp_path / "ray", engine="ray")
    model = open_model("mock:a")
    first, other = generate(here, Variant(), model).texts(), generate(there, Variant(), model).texts()
    assert {key: text.text for key, text in first.items()} == {key: text.text for key, text in other.items()}


def test_variants_that_differ_have_names_and_folders_of_their_own() -> None:
    variants = [
        Variant("embedding"),
        Variant("embedding", 0.5),
        Variant("embedding", target=0.3),
        Variant("embedding", 0.5, target=0.3),
    ]
    assert [variant.name for variant in variants] == [
        "embedding",
        "embedding-0.5",
        "embedding-target-0.3",
        "embedding-0.5-target-0.3",
    ]
    told = [variant.to_dict() for variant in variants]
    assert len({str(item) for item in told}) == 4
    assert told[0] == {"mode": "embedding", "strength": None}, "a run that was begun before goes on"
