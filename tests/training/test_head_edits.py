"""The edit head in a toy language: ``awful`` is deleted, ``glorious`` becomes ``long``."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch

from tests.training.conftest import PLAIN
from tests.training.toy import row
from unslant.core.errors import ConfigError
from unslant.core.types import Document, Sentence, Span
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import load_package
from unslant.spec import Spec
from unslant.training.edits import CHANGED, UNKNOWN
from unslant.training.export import compare, export
from unslant.training.head_edits import EditHead
from unslant.training.losses import Target
from unslant.training.network import load_trained
from unslant.training.recipe import Recipe, read_recipe
from unslant.training.run import Settings, train

EDITS = {"awful": "", "glorious": "long"}
VOCABULARY = ("keep", "delete", "replace:long", "before:some")


def pairs(count: int) -> list[dict[str, object]]:
    rng = random.Random(3)
    found: list[dict[str, object]] = []
    for number in range(count):
        words = [rng.choice(PLAIN[:-1]) for _ in range(rng.randint(3, 8))]
        slanted = rng.choice(list(EDITS))
        place = rng.randrange(1, len(words))
        before = [*words[:place], slanted, *words[place:]]
        after = [*words[:place], *filter(None, [EDITS[slanted]]), *words[place:]]
        split = "dev" if number % 5 == 0 else "train"
        for side, text in (("source", before), ("target", after)):
            found.append(
                {
                    "id": f"{number}-{side}",
                    "text": " ".join(text),
                    "label": int(side == "source"),
                    "pair": str(number),
                    "side": side,
                    "split": split,
                }
            )
    return found


RECIPE = """
about = "toy"
encoder = "{encoder}"
max_length = 32
[heads.sentence]
type = "sentence"
[heads.edits]
type = "edits"
[[stages]]
name = "only"
epochs = {epochs}
batch = 8
lr = 5e-3
corpora = [{{ name = "{corpus}" }}]
dev = [{{ name = "{corpus}", splits = ["dev"] }}]
metric = ["edits.f05"]
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "pairs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs(100)))
    return path


def recipe(folder: Path, encoder: Path, corpus: Path, epochs: int = 6) -> Recipe:
    path = folder / "toy.toml"
    path.write_text(RECIPE.format(encoder=encoder, corpus=corpus, epochs=epochs))
    return read_recipe(str(path))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, encoder: Path, corpus: Path) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train(recipe(folder, encoder, corpus), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def package(run: Path) -> Path:
    return export(run / "model", run / "package")


def proposals(package: Path, source: str) -> list[tuple[str, str, float]]:
    sentence = Sentence(Document(source, source), Span(0, len(source)))
    (analysis,) = ModelAnalyzer(Spec(model=str(package))).analyze([sentence])
    return [(source[one.start : one.end], one.replacement, one.probability) for one in analysis.proposals]


def test_the_edits_of_the_pairs_are_learned(run: Path) -> None:
    trained = load_trained(run / "model")
    assert set(trained.network.heads["edits"].labels) == {"keep", "delete", "replace:long"}
    dev = json.loads((run / "card.json").read_text())["history"][-1]["dev"]
    assert dev["edits.exact"] > 0.9
    assert dev["edits.f05"] > 0.9
    assert dev["edits.left_alone"] > 0.9


def test_an_exported_model_proposes_what_an_editor_would_do(package: Path) -> None:
    (first, *_) = proposals(package, "The town was awful on monday")
    assert first[:2] == (" awful", "")
    assert first[2] >= 0.5
    (first, *_) = proposals(package, "a glorious road opened")
    assert first[:2] == ("glorious", "long")
    assert not [one for one in proposals(package, "the council met on monday") if one[2] >= 0.5]


def test_the_package_names_its_edits_once_and_agrees_with_the_network(run: Path, package: Path) -> None:
    head = json.loads((package / "model.json").read_text())["heads"]["edits"]
    assert head["labels"] == list(load_trained(run / "model").network.heads["edits"].labels)
    assert "vocabulary" not in head["options"]
    assert load_package(package).heads["edits"].decision["threshold"] > 0
    difference = compare(run / "model", package, ["the awful town", "a glorious road opened"])
    assert difference.mean["edits"] < 0.05


def test_a_resumed_run_keeps_the_vocabulary_that_it_began_with(
    tmp_path: Path, encoder: Path, corpus: Path
) -> None:
    own = tmp_path / "pairs.jsonl"
    own.write_text(corpus.read_text())
    made = recipe(tmp_path, encoder, own, epochs=1)
    train(made, tmp_path / "out")
    before = load_trained(tmp_path / "out" / "model").network.heads["edits"].labels
    own.write_text(corpus.read_text().replace("long", "river"))
    train(made, tmp_path / "out", Settings(resume=True))
    assert load_trained(tmp_path / "out" / "model").network.heads["edits"].labels == before


def test_a_head_that_goes_on_from_a_model_keeps_its_vocabulary(
    tmp_path: Path, run: Path, corpus: Path
) -> None:
    other = tmp_path / "pairs.jsonl"
    other.write_text(corpus.read_text().replace("long", "river"))
    train(recipe(tmp_path, run / "model", other, epochs=1), tmp_path / "out")
    labels = load_trained(tmp_path / "out" / "model").network.heads["edits"].labels
    assert labels == load_trained(run / "model").network.heads["edits"].labels


def test_a_damaged_vocabulary_of_a_run_is_told(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    made = recipe(tmp_path, encoder, corpus, epochs=1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "fitted.json").write_text("[1]")
    with pytest.raises(ConfigError, match=r"fitted\.json: cannot be read"):
        train(made, tmp_path / "out")


def head() -> EditHead:
    return EditHead(EditHead.Options(vocabulary=VOCABULARY, rules=False), 4, 0.0)


def rewritten(text: str, target: str | None, **labels: object) -> object:
    from dataclasses import replace

    made = row(text, **labels)
    return replace(made, sample=replace(made.sample, rewritten=target))


def test_targets_name_the_edit_of_each_word() -> None:
    rows = [
        rewritten("a very glorious road", "a long road"),
        rewritten("town met", "some town met"),
        rewritten("the awful town", "the pretty town"),
        rewritten("river was", "her river was"),
        rewritten("road opened", "road opened"),
        rewritten("road opened", None),
    ]
    target = head().targets(rows, 6)  # type: ignore[arg-type]
    keep, delete, long, some = range(4)
    assert target.values.tolist() == [
        [UNKNOWN, keep, long, delete, keep, UNKNOWN],
        [UNKNOWN, some, keep, UNKNOWN, UNKNOWN, UNKNOWN],
        [UNKNOWN, keep, CHANGED, keep, UNKNOWN, UNKNOWN],
        [UNKNOWN, UNKNOWN, keep, UNKNOWN, UNKNOWN, UNKNOWN],
        [UNKNOWN, keep, keep, UNKNOWN, UNKNOWN, UNKNOWN],
        [UNKNOWN] * 6,
    ]
    assert target.weights[0].tolist() == [0, 1, 3, 3, 1, 0]
    assert target.weights[5].sum() == 0


def test_a_change_that_the_vocabulary_lacks_asks_for_any_change() -> None:
    one = head()
    target = Target(torch.tensor([[CHANGED]]), torch.ones(1, 1))
    keeps, deletes, inserts = (
        torch.tensor([[[5.0 * (at == place) for at in range(4)]]]) for place in (0, 1, 3)
    )
    assert one.loss(deletes, target) == pytest.approx(float(one.loss(inserts, target)))
    assert one.loss(deletes, target) < 0.1 < 3 < one.loss(keeps, target)


def test_unlabelled_words_move_nothing() -> None:
    logits = torch.randn(2, 3, 4, requires_grad=True)
    head().loss(logits, Target(torch.full((2, 3), UNKNOWN), torch.zeros(2, 3))).backward()
    assert logits.grad is not None
    assert not logits.grad.any()


def test_figures_count_exact_sentences_and_what_is_left_alone() -> None:
    rows = [
        rewritten("an awful road", "a road"),
        rewritten("glorious town", "long town"),
        rewritten("a b", "a b"),
    ]
    sure = 8.0
    outputs = [torch.zeros(5, 4), torch.zeros(4, 4), torch.zeros(4, 4)]
    for output, labels in zip(outputs, ([0, 1, 0], [1, 0], [0, 0]), strict=True):
        for piece, label in enumerate(labels, 1):
            output[piece, label] = sure
    one = head()
    figures = one.measure(outputs, rows, {"threshold": 0.5})  # type: ignore[arg-type]
    assert figures == {"f05": 0.5, "exact": 0.5, "precision": 0.5, "recall": 0.5, "left_alone": 1.0}
    assert one.measure(outputs[2:], rows[2:], {}) == {}  # type: ignore[arg-type]
    assert one.decide(outputs[2:], rows[2:]) == {}  # type: ignore[arg-type]


def test_the_threshold_leaves_out_edits_that_are_wrong() -> None:
    """A right edit at 0.88 and a wrong one at 0.5: what lies between keeps the one and drops the other."""
    rows = [rewritten("the awful road", "the road"), rewritten("the long road", "the long road")]
    outputs = [torch.zeros(5, 4), torch.zeros(5, 4)]
    for output in outputs:
        output[:, 0] = 8.0
    outputs[0][2] = torch.tensor([0.0, 2.0, -9.0, -9.0])
    outputs[1][2] = torch.tensor([0.0, 0.0, -9.0, -9.0])
    threshold = head().decide(outputs, rows)["threshold"]  # type: ignore[arg-type]
    assert 0.5 < threshold <= 0.88
