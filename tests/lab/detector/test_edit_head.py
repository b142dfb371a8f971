"""The edit head in a toy language: ``awful`` is deleted, ``glorious`` becomes ``long``."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional

from tests.lab.detector.conftest import PLAIN
from tests.lab.detector.toy import measure, row
from unslant.core.errors import ConfigError
from unslant.core.types import Document, Sentence, Span
from unslant.lab.detector.edit_head import EditHead
from unslant.lab.detector.edits import CHANGED
from unslant.lab.detector.export import compare, export
from unslant.lab.detector.network import load_trained
from unslant.lab.detector.recipe import Recipe, read_recipe
from unslant.lab.detector.rows import EncodedRow
from unslant.lab.detector.run import TrainSettings, train
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import TABLES, edit_label, load_package
from unslant.neural.span_edits import SpanEditDecoder
from unslant.neural.subwords import find_words
from unslant.spec import Spec

pytestmark = pytest.mark.torch

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
metric = ["edits.f1"]
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs(100)))
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
    return [
        (source[proposal.start : proposal.end], proposal.replacement, proposal.probability)
        for proposal in analysis.proposals
    ]


def test_the_edits_of_the_pairs_are_learned(run: Path) -> None:
    trained = load_trained(run / "model")
    assert set(trained.network.heads["edits"].labels) == {"keep", "delete", "replace:long"}
    dev = json.loads((run / "card.json").read_text())["history"][-1]["dev"]
    assert dev["edits.exact"] > 0.9
    assert dev["edits.f1"] > 0.9
    assert dev["edits.left_alone"] > 0.9


def test_an_exported_model_proposes_what_an_editor_would_do(package: Path) -> None:
    (first, *_) = proposals(package, "The town was awful on monday")
    assert first[:2] == ("awful", "")
    assert first[2] >= 0.5
    (first, *_) = proposals(package, "a glorious road opened")
    assert first[:2] == ("glorious", "long")
    assert not [
        proposal for proposal in proposals(package, "the council met on monday") if proposal[2] >= 0.5
    ]


def test_the_package_names_its_edits_once_and_agrees_with_the_network(run: Path, package: Path) -> None:
    head = json.loads((package / "model.json").read_text())["heads"]["edits"]
    assert head["labels"] == list(load_trained(run / "model").network.heads["edits"].labels)
    assert "vocabulary" not in head["options"]
    assert TABLES in load_package(package).files
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
    train(made, tmp_path / "out", TrainSettings(resume=True))
    assert load_trained(tmp_path / "out" / "model").network.heads["edits"].labels == before


def test_a_head_that_goes_on_from_a_model_keeps_its_vocabulary(
    tmp_path: Path, run: Path, corpus: Path
) -> None:
    other = tmp_path / "pairs.jsonl"
    other.write_text(corpus.read_text().replace("long", "river"))
    train(recipe(tmp_path, run / "model", other, epochs=1), tmp_path / "out")
    labels = load_trained(tmp_path / "out" / "model").network.heads["edits"].labels
    assert labels == load_trained(run / "model").network.heads["edits"].labels


def test_a_damaged_vocabulary_of_a_run_is_reported(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    made = recipe(tmp_path, encoder, corpus, epochs=1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "fitted.json").write_text("[1]")
    with pytest.raises(ConfigError, match=r"fitted\.json: cannot read the file"):
        train(made, tmp_path / "out")


def head() -> EditHead:
    return EditHead(EditHead.Options(vocabulary=VOCABULARY, rules=False), 4, 0.0)


def rewritten(text: str, target: str | None, **labels: object) -> object:
    made = row(text, **labels)
    return replace(made, sample=replace(made.sample, rewritten=target))


def test_targets_name_words_and_answers() -> None:
    rows = [
        rewritten("a very glorious road", "a long road"),
        rewritten("town met", "some town met"),
        rewritten("the awful town", "the pretty town"),
        rewritten("the awful glorious town", "the glorious city"),
        rewritten("river was", "her river was"),
        rewritten("road opened", "road opened"),
        rewritten("road opened", None),
    ]
    target = head().targets(rows, 6)  # type: ignore[arg-type]
    delete, long, some = 1, 2, 3
    answers = [[tuple(item) for item in row[1:].T.tolist() if item != [-1, -1, -1]] for row in target.values]
    assert answers == [
        [(1, 1, long)],
        [(0, 0, some)],
        [(1, 0, CHANGED)],
        [(1, 0, delete), (3, 0, CHANGED)],
        [],
        [(0, 0, 0)],
        [],
    ]
    assert target.values[0, 0].tolist() == [1, 2, 3, 4, -1, -1]
    options = EditHead.Options()
    assert target.weights.tolist() == pytest.approx([1, 1, options.unlisted, 1, 0, options.kept, 0], abs=1e-6)


def test_a_range_that_is_cut_off_teaches_nothing() -> None:
    made = rewritten("the town was awful glorious", "the town was")
    short = replace(made, ids=made.ids[:5], offsets=made.offsets[:5])  # type: ignore[attr-defined,type-var]
    target = head().targets([short], 5)  # type: ignore[list-item]
    assert target.weights.tolist() == [0]


def outputs_for(one: EditHead, row: EncodedRow, seed: int) -> torch.Tensor:
    return torch.randn(len(row.ids), 5 * one.options.width + 1, generator=torch.manual_seed(seed))


@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_the_loss_is_the_log_of_what_the_reader_finds(seed: int) -> None:
    """The network learns in torch and is read in numpy: both mean the same probability."""
    torch.manual_seed(seed)
    built = head()
    made: EncodedRow = rewritten("the awful town", "the town")  # type: ignore[assignment]
    output = 0.3 * outputs_for(built, made, seed)
    found = find_words(made.text, made.offsets)
    choices = SpanEditDecoder(built.tables(), built.labels).choices(made.text, found, output.numpy()).edits
    numbers = {span.start: at for at, (_, span) in enumerate(found)}
    ends = {span.end: at for at, (_, span) in enumerate(found)}
    assert len(choices) > 6
    # a longer text beside it: what fills the shorter one up must not count
    longer = functional.pad(output, (0, 0, 0, 4), value=9.0)
    for choice in choices:
        first = numbers[choice.start]
        last = ends[choice.end] if choice.start < choice.end else first
        answer = [first, last - first, VOCABULARY.index(edit_label(choice))]
        target = built.targets([made], len(longer))
        target.values[0, 1:, 0] = torch.tensor(answer)
        assert built.loss(longer.unsqueeze(0), target).item() == pytest.approx(
            -math.log(choice.probability), rel=1e-4
        )
    target.values[0, 1:, 0] = 0  # leave it alone
    rest = 1 - float(built.chances(output, made)[:-1].sum())
    assert built.loss(longer.unsqueeze(0), target).item() == pytest.approx(-math.log(rest), rel=1e-3)


def test_an_edit_that_the_vocabulary_lacks_asks_for_its_place_alone() -> None:
    """Whatever is written there, the loss is the same."""
    built = head()
    row: EncodedRow = rewritten("the awful town", "the pretty town")  # type: ignore[assignment]
    target = built.targets([row], len(row.ids))
    output = outputs_for(built, row, 1).unsqueeze(0)
    before = built.loss(output, target).item()
    with torch.no_grad():
        built.ops.bias.add_(torch.tensor([5.0, -3.0, 0.0]))
    assert built.loss(output, target).item() == pytest.approx(before)
    assert before > 0


def test_unlabelled_texts_move_nothing() -> None:
    built = head()
    row: EncodedRow = rewritten("the awful town", None)  # type: ignore[assignment]
    output = outputs_for(built, row, 1).unsqueeze(0).requires_grad_()
    built.loss(output, built.targets([row], len(row.ids))).backward()
    assert output.grad is not None
    assert not output.grad.any()


class Sure(EditHead):
    """A head whose output says how likely each text's first word goes, and that nothing else does."""

    def __init__(self) -> None:
        super().__init__(EditHead.Options(vocabulary=VOCABULARY, rules=False, longest=1, width=1), 4, 0.0)
        with torch.no_grad():
            for layer in (self.widths, self.borders, self.score, self.ops):
                layer.weight.zero_()
            self.score.bias.zero_()
            self.score.weight.fill_(40.0)
            self.ops.bias.copy_(torch.tensor([30.0, 0.0, 0.0]))

    def output(self, row: EncodedRow, chance: float) -> torch.Tensor:
        made = torch.zeros(len(row.ids), 6)
        made[:, 0] = -9.0  # tanh: every word scores -40 ...
        made[1, 0] = 0.0  # ... but the first, which scores 0
        made[:, -1] = math.log((1 - chance) / chance)
        return made


def test_figures_count_exact_sentences_and_what_is_left_alone() -> None:
    sure = Sure()
    rows: list[EncodedRow] = [
        rewritten("awful road", "road"),  # type: ignore[list-item]
        rewritten("glorious town", "long town"),  # type: ignore[list-item]
        rewritten("a b", "a b"),  # type: ignore[list-item]
    ]
    outputs = [sure.output(row, chance) for row, chance in zip(rows, (0.9, 0.8, 0.3), strict=True)]
    assert measure(sure, "edits", outputs, rows, {"threshold": 0.5}) == pytest.approx(
        {"f1": 0.5, "exact": 0.5, "best": 0.5, "precision": 0.5, "left_alone": 1.0}
    )
    assert measure(sure, "edits", outputs, rows, {"threshold": 0.95})["exact"] == 0
    assert measure(sure, "edits", outputs[2:], rows[2:]) == {}
    assert sure.decide(outputs[2:], rows[2:]) == {}


def test_the_threshold_leaves_out_edits_that_are_wrong() -> None:
    """A right edit at 0.8 and a wrong one at 0.5: what lies between keeps the one and drops the other."""
    sure = Sure()
    rows: list[EncodedRow] = [rewritten("awful road", "road"), rewritten("long road", "long road")]  # type: ignore[list-item]
    outputs = [sure.output(rows[0], 0.8), sure.output(rows[1], 0.5)]
    assert 0.5 < sure.decide(outputs, rows)["threshold"] <= 0.8
