"""Constituents by a parser."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from unslant.cli.main import main
from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.installing import install_command
from unslant.core.types import Span
from unslant.lab.wiki import edits
from unslant.lab.wiki.dump import HarvestError
from unslant.lab.wiki.edits import SentenceWords, SpacyParser, SyntacticPlace, find_edits, find_parser
from unslant.lab.wiki.weak_labels import label_pair

# two changes each, so that the question whether a phrase was exchanged comes up at all
SOURCE = "The mill stands proudly and is old today."
TARGET = "The mill stands in town and is shut today."
PHRASES = {"proudly": "in town", "old": "shut"}


class Told:
    """A parser that says what it was told of a phrase; nothing of any other."""

    name = "told"

    def __init__(self, places: dict[str, SyntacticPlace]) -> None:
        self._places = places

    def place(self, text: str, span: Span) -> SyntacticPlace | None:
        return self._places.get(text[span.start : span.end])


def _kinds(parser: edits.Parser | None) -> list[tuple[str, str]]:
    source, target = SentenceWords.of(SOURCE), SentenceWords.of(TARGET)
    return [
        (edit.kind, " ".join(source.forms[slice(*edit.before)] or target.forms[slice(*edit.after)]))
        for edit in find_edits(source, target, 0.99, parser)
    ]


def test_heads_of_one_category_are_one_constituent() -> None:
    same = Told({word: SyntacticPlace("noun", "", "") for both in PHRASES.items() for word in both})
    assert _kinds(same) == [("substitution", "proudly"), ("substitution", "old")]


def test_what_hangs_on_the_same_word_in_the_same_role_is_one_constituent() -> None:
    places = {
        "proudly": SyntacticPlace("adverb", "advmod", "stands"),
        "in town": SyntacticPlace("preposition", "advmod", "stands"),
        "old": SyntacticPlace("adjective", "acomp", "is"),
        "shut": SyntacticPlace("verb", "acomp", "was"),
    }
    assert _kinds(Told(places)) == [("substitution", "proudly"), ("deletion", "old"), ("addition", "shut")]


def test_what_is_known_of_neither_is_not_the_same() -> None:
    unknown = Told({word: SyntacticPlace("", "", "") for both in PHRASES.items() for word in both})
    assert {kind for kind, _ in _kinds(unknown)} == {"deletion", "addition"}


def test_where_the_parser_does_not_know_the_chunks_decide() -> None:
    assert _kinds(Told({})) == _kinds(None)


def test_the_parser_decides_in_the_labels_too() -> None:
    apart = Told({word: SyntacticPlace(word, word, "") for both in PHRASES.items() for word in both})
    assert [edit.kind for edit in label_pair(SOURCE, TARGET, parser=apart).edits].count("substitution") == 0


@pytest.mark.parametrize("wanted", ["spacey", "spacy:", "auto:x", ""])
def test_a_parser_of_no_such_name_is_refused(wanted: str) -> None:
    with pytest.raises(ConfigError, match="must be auto, none or spacy:MODEL"):
        find_parser(wanted)


def test_none_is_none() -> None:
    assert find_parser("none") is None


def test_without_spacy_auto_is_none_and_asking_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "spacy", None)
    assert find_parser("auto") is None
    with pytest.raises(MissingExtra, match=re.escape(install_command("parser"))):
        find_parser("spacy:en_core_web_sm")


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"id": "a", "source": SOURCE, "target": TARGET}) + "\n")
    return path


def test_the_command_says_which_parser_it_went_by(pairs_file: Path) -> None:
    result = CliRunner().invoke(main, ["label", str(pairs_file), "--parser", "none"])
    assert result.exit_code == 0, result.output
    assert "parser: none" in result.stderr


# What follows runs real spaCy, with a parser that is trained here on the two sentences: no model has to be fetched.
_TREES = {
    SOURCE: (
        (1, 2, 2, 2, 2, 2, 5, 5, 2),
        "det nsubj ROOT advmod cc conj acomp npadvmod punct",
        "DET NOUN VERB ADV CCONJ AUX ADJ NOUN PUNCT",
    ),
    TARGET: (
        (1, 2, 2, 2, 3, 2, 2, 6, 6, 2),
        "det nsubj ROOT prep pobj cc conj acomp npadvmod punct",
        "DET NOUN VERB ADP NOUN CCONJ AUX ADJ NOUN PUNCT",
    ),
}


def _train() -> Any:
    import spacy
    from spacy.training import Example

    pipeline = spacy.blank("en")
    pipeline.add_pipe("morphologizer")
    pipeline.add_pipe("parser", config={"min_action_freq": 1})
    examples = [
        Example.from_dict(
            pipeline.make_doc(text), {"heads": list(heads), "deps": roles.split(), "pos": kinds.split()}
        )
        for text, (heads, roles, kinds) in _TREES.items()
    ]
    spacy.util.fix_random_seed(1)
    pipeline.initialize(lambda: examples)
    for _ in range(30):
        pipeline.update(examples)
    return pipeline


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spacy") / "model"
    _train().to_disk(folder)
    return folder


@pytest.mark.spacy
def test_the_head_of_a_phrase_says_where_it_stands(model: Path) -> None:
    parser = SpacyParser.load(str(model))

    def place(text: str, words: str) -> SyntacticPlace | None:
        return parser.place(text, Span(text.index(words), text.index(words) + len(words)))

    assert place(SOURCE, "proudly") == SyntacticPlace("adverb", "advmod", "stands")
    assert place(TARGET, "in town") == SyntacticPlace("preposition", "prep", "stands")
    assert place(SOURCE, "The mill stands") == SyntacticPlace("verb", "ROOT", "")
    # within a word: the word counts
    assert parser.place(SOURCE, Span(4, 6)) == SyntacticPlace("noun", "nsubj", "stands")
    assert parser.place("x" * (edits.LONGEST + 1), Span(0, 1)) is None


@pytest.mark.spacy
def test_the_command_labels_with_spacy(model: Path, pairs_file: Path) -> None:
    result = CliRunner().invoke(main, ["label", str(pairs_file), "--parser", f"spacy:{model}"])
    assert result.exit_code == 0, result.output
    assert f"parser: spacy:{model}" in result.stderr
    edits = json.loads(result.stdout.splitlines()[0])["edits"]
    assert [edit["kind"] for edit in edits] == ["deletion", "addition", "substitution"]


@pytest.mark.spacy
def test_a_model_that_is_not_there_or_has_no_parser_is_named(tmp_path: Path) -> None:
    import spacy

    with pytest.raises(HarvestError, match="no model 'en_no_such_model'"):
        find_parser("spacy:en_no_such_model")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(HarvestError, match="has no parser"):
        find_parser(f"spacy:{tmp_path / 'blank'}")
