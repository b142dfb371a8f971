"""Whole runs on a toy language: they learn, they can be killed, they leave a card."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from unslant.core.errors import ConfigError
from unslant.lab.detector.data import Data
from unslant.lab.detector.network import load_trained
from unslant.lab.detector.predict import encode_for, measure, predict
from unslant.lab.detector.pseudo_labels import load_soft_labels
from unslant.lab.detector.recipe import Part, read_recipe
from unslant.lab.detector.run import TrainSettings, train

pytestmark = pytest.mark.torch

Write = Callable[..., Path]


def same(one: Path, other: Path) -> bool:
    left, right = load_file(one / "network.safetensors"), load_file(other / "network.safetensors")
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def test_the_toy_language_is_learned(recipe_file: Write, tmp_path: Path) -> None:
    recipe = read_recipe(str(recipe_file(epochs=6)))
    model = train(recipe, tmp_path / "run")
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    losses = [epoch["train_loss"] for epoch in card["history"]]
    assert losses[-1] < losses[0] / 3
    trained = load_trained(model)
    dev = Data(recipe).samples(recipe.stages[0].dev, training=False)
    rows = encode_for(trained, dev)
    figures = measure(trained.network, predict(trained, rows), rows, trained.decisions)
    assert figures["sentence.macro_f1"] > 0.95
    assert figures["spans.exact_f1"] > 0.95
    assert figures["kinds.framing"] > 0.95
    assert figures["span_kinds.accuracy"] > 0.95
    assert set(trained.decisions) == {"sentence", "spans", "kinds"}


class Killed(Exception):
    """The machine went down."""


@pytest.mark.parametrize("steps", [1, 5, 16, 17, 23])
def test_a_killed_run_ends_with_the_same_weights(recipe_file: Write, tmp_path: Path, steps: int) -> None:
    stage = "average = 0.9"
    more = '[[stages]]\nname = "more"\nepochs = 1\nbatch = 8\nlr = 1e-3\ncorpora = [{ name = "CORPUS", weight = 0.5 }]'
    path = recipe_file(stage=stage, more=more, epochs=2)
    path.write_text(path.read_text().replace("CORPUS", str(tmp_path / "toy.jsonl")))
    recipe = read_recipe(str(path))
    undisturbed = train(recipe, tmp_path / "calm")
    left = steps

    def kill(what: str, done: int, total: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed(what, done, total)

    with pytest.raises(Killed):
        train(recipe, tmp_path / "run", TrainSettings(progress=kill, checkpoint_every=3))
    resumed = train(recipe, tmp_path / "run", TrainSettings(resume=True, checkpoint_every=3))
    assert same(undisturbed, resumed)
    cards = [json.loads((tmp_path / name / "card.json").read_text()) for name in ("calm", "run")]
    assert cards[0]["decisions"] == cards[1]["decisions"]
    assert [item["dev"] for item in cards[0]["history"]] == [item["dev"] for item in cards[1]["history"]]


def test_a_finished_run_is_kept(recipe_file: Write, tmp_path: Path) -> None:
    recipe = read_recipe(str(recipe_file(epochs=1)))
    model = train(recipe, tmp_path / "run")
    (tmp_path / "run" / "card.json").write_text("{}")
    assert train(recipe, tmp_path / "run", TrainSettings(resume=True)) == model
    assert (tmp_path / "run" / "card.json").read_text() == "{}"  # nothing was trained or measured again


def test_another_seed_gives_other_weights(recipe_file: Write, tmp_path: Path) -> None:
    path = recipe_file(epochs=1)
    run = train(read_recipe(str(path)), tmp_path / "one")
    path.write_text(path.read_text().replace('about = "toy"', 'about = "toy"\nseed = 2'))
    other = train(read_recipe(str(path)), tmp_path / "other")
    assert not same(run, other)


def test_sixteen_bits_learn_the_same_and_do_not_mix_with_thirty_two(
    recipe_file: Write, tmp_path: Path
) -> None:
    recipe = read_recipe(str(recipe_file(epochs=6)))
    half = replace(recipe, precision="bfloat16")
    model = train(half, tmp_path / "run")
    whole = train(recipe, tmp_path / "whole")
    assert not same(model, whole)
    assert {value.dtype for value in load_file(model / "network.safetensors").values()} == {torch.float32}
    last = json.loads((tmp_path / "run" / "card.json").read_text())["history"][-1]
    assert last["dev"]["spans.exact_f1"] > 0.95
    assert last["dev"]["sentence.macro_f1"] > 0.95
    with pytest.raises(ConfigError, match="another recipe"):
        train(recipe, tmp_path / "run", TrainSettings(resume=True))


def test_a_run_is_not_overwritten_nor_mixed_with_another(recipe_file: Write, tmp_path: Path) -> None:
    path = recipe_file(epochs=1)
    train(read_recipe(str(path)), tmp_path / "run")
    with pytest.raises(ConfigError, match="--resume"):
        train(read_recipe(str(path)), tmp_path / "run")
    path.write_text(path.read_text().replace("lr = 5e-3", "lr = 4e-3"))
    with pytest.raises(ConfigError, match="another recipe"):
        train(read_recipe(str(path)), tmp_path / "run", TrainSettings(resume=True))


def test_training_stops_when_it_does_not_get_better(recipe_file: Write, tmp_path: Path) -> None:
    path = recipe_file(stage="patience = 1\nfreeze = 2", epochs=30)
    path.write_text(path.read_text().replace("lr = 5e-3", "lr = 0.0"))
    train(read_recipe(str(path)), tmp_path / "run")
    history = json.loads((tmp_path / "run" / "card.json").read_text())["history"]
    assert len(history) == 2


def test_a_stage_ends_when_its_time_is_over(recipe_file: Write, tmp_path: Path) -> None:
    steps: list[int] = []
    settings = TrainSettings(progress=lambda _what, done, _total: steps.append(done))
    train(read_recipe(str(recipe_file(stage="minutes = 1e-6", epochs=9))), tmp_path / "run", settings)
    history = json.loads((tmp_path / "run" / "card.json").read_text())["history"]
    assert steps == [1]
    assert len(history) == 1


def test_an_unknown_figure_is_named(recipe_file: Write, tmp_path: Path) -> None:
    path = recipe_file(epochs=1)
    path.write_text(path.read_text().replace('"spans.exact_f1"', '"spans.exakt"'))
    with pytest.raises(ConfigError, match=r"no figure named 'spans\.exakt'"):
        train(read_recipe(str(path)), tmp_path / "run")


def test_a_stage_without_texts_is_named(recipe_file: Write, tmp_path: Path) -> None:
    path = recipe_file()
    path.write_text(path.read_text().replace('.jsonl" }]', '.jsonl", splits = ["nowhere"] }]', 1))
    with pytest.raises(ConfigError, match="stage 'only' has no training data"):
        train(read_recipe(str(path)), tmp_path / "run")


def test_a_stage_whose_texts_are_all_held_out_says_so(
    recipe_file: Write, tmp_path: Path, corpus: Path
) -> None:
    held = tmp_path / "held.jsonl"
    held.write_text(corpus.read_text())
    with pytest.raises(
        ConfigError, match=r"the guard removed all 128 texts, .* held-out text of .*held\.jsonl"
    ):
        train(read_recipe(str(recipe_file(head=f'guard = ["{held}"]'))), tmp_path / "run")


def test_a_file_with_other_columns_trains_the_same_network(
    recipe_file: Write, tmp_path: Path, corpus: Path
) -> None:
    path = recipe_file(epochs=1)
    train(read_recipe(str(path)), tmp_path / "plain")
    rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    for row in rows:
        row["sentence"], row["judged"] = row.pop("text"), "Loaded" if row.pop("label") else "fine"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = 'columns = { text = "sentence", label = "judged" }, label_values = { loaded = 1, fine = 0 }'
    path.write_text(path.read_text().replace('.jsonl" }]', f'.jsonl", {said} }}]', 1))
    train(read_recipe(str(path)), tmp_path / "mapped")
    first, second = (
        load_file(tmp_path / run / "model" / "network.safetensors") for run in ("plain", "mapped")
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_card_says_what_was_learned_from(recipe_file: Write, tmp_path: Path, corpus: Path) -> None:
    recipe = read_recipe(str(recipe_file(head=f'guard = ["{corpus}"]', epochs=1)))
    train(recipe, tmp_path / "run")
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    assert [(item["name"], item["licence"]) for item in card["data"]] == [(str(corpus), "not stated")]
    assert card["cost"]["seconds"] > 0
    assert card["limits"]
    page = (tmp_path / "run" / "card.md").read_text()
    assert "toy.jsonl" in page
    assert "not stated" in page


def test_the_encoder_of_one_task_serves_another(recipe_file: Write, tmp_path: Path, corpus: Path) -> None:
    more = f'[[stages]]\nname = "then"\nheads = ["kinds"]\nepochs = 1\nlr = 1e-3\ncorpora = [{{ name = "{corpus}" }}]'
    recipe = read_recipe(str(recipe_file(stage='heads = ["sentence", "spans"]', more=more, epochs=1)))
    train(recipe, tmp_path / "run")
    first = load_file(tmp_path / "run" / "stages" / "0-only" / "network.safetensors")
    second = load_file(tmp_path / "run" / "stages" / "1-then" / "network.safetensors")
    moved = {
        name.split(".")[1] for name in first if "heads" in name and not torch.equal(first[name], second[name])
    }
    assert moved == {"kinds"}
    assert any(not torch.equal(first[name], second[name]) for name in first if name.startswith("encoder."))


def test_a_run_that_goes_on_from_another_names_all_that_went_into_it(
    recipe_file: Write, tmp_path: Path, corpus: Path
) -> None:
    first = train(read_recipe(str(recipe_file(epochs=1))), tmp_path / "first")
    other = tmp_path / "other.jsonl"
    other.write_text(corpus.read_text())
    recipe = read_recipe(str(recipe_file(epochs=1)))
    stages = tuple(
        replace(stage, corpora=(replace(stage.corpora[0], name=str(other)),)) for stage in recipe.stages
    )
    train(replace(recipe, encoder=str(first), stages=stages), tmp_path / "second")
    cards = [json.loads((tmp_path / run / "card.json").read_text()) for run in ("first", "second")]
    assert {item["name"] for item in cards[1]["data"]} == {str(corpus), str(other)}
    assert cards[1]["before"] == [cards[0]]
    assert cards[1]["encoder"] == cards[0]["encoder"]
    assert str(first) not in json.dumps(cards[1])


def test_a_student_learns_what_only_the_teacher_says(recipe_file: Write, tmp_path: Path) -> None:
    teacher = train(read_recipe(str(recipe_file(epochs=5))), tmp_path / "teacher")
    path = recipe_file(epochs=5)
    text = path.read_text().replace("corpora = [", "corpora = [] #", 1).replace("metric = ", "#")
    stage = f'\n[stages.distill]\nteachers = ["{teacher}", "{teacher}"]\n'
    stage += f'corpora = [{{ name = "{tmp_path}/toy.jsonl" }}]\n'
    path.write_text(text + stage)
    recipe = read_recipe(str(path))
    student = load_trained(train(recipe, tmp_path / "student"))
    assert (tmp_path / "student" / "stages" / "0-only" / "teacher.safetensors").is_file()
    dev = Data(recipe).samples([Part(str(tmp_path / "toy.jsonl"), splits=("dev",))], training=False)
    rows = encode_for(student, dev)
    figures = measure(student.network, predict(student, rows), rows, student.decisions)
    assert figures["sentence.macro_f1"] > 0.9
    assert figures["spans.exact_f1"] > 0.9


def test_teachers_are_asked_only_what_is_named(recipe_file: Write, tmp_path: Path) -> None:
    teacher = train(read_recipe(str(recipe_file(epochs=1))), tmp_path / "teacher")
    extra = tmp_path / "extra.jsonl"
    extra.write_text("".join((tmp_path / "toy.jsonl").read_text().splitlines(keepends=True)[:5]))
    more = f'[stages.distill]\nteachers = ["{teacher}"]\nasked = ["{extra}"]\nheads = ["sentence"]\n'
    path = recipe_file(epochs=1, more=more)
    path.write_text(path.read_text().replace("corpora = [", f'corpora = [{{ name = "{extra}" }}, ', 1))
    train(read_recipe(str(path)), tmp_path / "student")
    answers = load_soft_labels(tmp_path / "student" / "stages" / "0-only" / "teacher.safetensors")
    assert [set(answer) for answer in answers] == [{"sentence"}] * 5


def test_a_teacher_that_a_recipe_names_is_trained_first_and_once(recipe_file: Write, tmp_path: Path) -> None:
    teacher = tmp_path / "teacher.toml"
    teacher.write_text(recipe_file(epochs=1).read_text())
    path = recipe_file(epochs=1, more=f'[stages.distill]\nteachers = ["recipe:{teacher}"]\n')
    recipe, out = read_recipe(str(path)), tmp_path / "student"
    train(recipe, out)
    made = next((out / "teachers").glob("*/model/*.safetensors"))
    before = made.stat().st_mtime_ns
    card = json.loads((out / "card.json").read_text())
    assert [item["about"] for item in card["before"]] == ["toy"]
    assert str(out) not in json.dumps(card["recipe"])
    (out / "state.json").unlink()
    train(recipe, out)
    assert made.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "kind", ["AutoModel", "AutoModelForTokenClassification", "AutoModelForSequenceClassification"]
)
def test_transformers_refuses_the_folder_of_a_model_instead_of_making_up_weights(
    recipe_file: Write, tmp_path: Path, kind: str
) -> None:
    import transformers

    model = train(read_recipe(str(recipe_file(epochs=1))), tmp_path / "run")
    with pytest.raises(OSError, match=r"model\.safetensors"):
        getattr(transformers, kind).from_pretrained(str(model))


def test_a_run_keeps_what_it_has_seen_without_keeping_the_texts(recipe_file: Write, tmp_path: Path) -> None:
    from unslant.lab.corpora.seen import SEEN_FILE, read_seen, text_digest
    from unslant.lab.detector.data import Data

    recipe = read_recipe(str(recipe_file(epochs=1)))
    model = train(recipe, tmp_path / "run")
    texts = [sample.example.text for sample in Data(recipe).samples(recipe.stages[0].corpora, training=True)]
    assert texts
    assert {text_digest(text.upper() + "!") for text in texts} <= read_seen(model)
    assert text_digest("This was never read.") not in read_seen(model)
    assert texts[0].encode() not in gzip.decompress((tmp_path / "run" / SEEN_FILE).read_bytes())
