"""The feature-based baseline."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.evaluation.held_out import Fold
from unslant.lab.evaluation.word_lists import WordLists
from unslant.lab.papers.babe.word_features import FeatureModel

SLANTED, PLAIN = ["awful", "heroic", "vile", "superb"], ["town", "road", "river", "school"]


@pytest.fixture
def lists(tmp_path: Path) -> WordLists:
    folder = tmp_path / "lexicons"
    folder.mkdir()
    (folder / "strong.txt").write_text("# a list\nAwful adj\nheroic\nvile\nsuperb\n", "utf-8")
    (folder / "README_strong.txt").write_text("town\n", "utf-8")
    return WordLists.read(tmp_path)


def test_lists_are_read_without_comments_and_read_me_files(lists: WordLists, tmp_path: Path) -> None:
    assert lists.words == {"strong": {"awful", "heroic", "vile", "superb"}}
    with pytest.raises(ConfigError, match="needs the folder 'lexicons'"):
        WordLists.read(tmp_path / "elsewhere")


def test_a_word_is_known_by_its_features_and_not_by_itself(lists: WordLists) -> None:
    examples = []
    for at in range(40):
        text = f"The {PLAIN[at % 4]} was {SLANTED[at % 3] if at % 2 else PLAIN[(at + 1) % 4]} again"
        start = next((text.find(word) for word in SLANTED[:3] if word in text), -1)
        spans = (LabelledSpan(Span(start, text.find(" again"))),) if start >= 0 else ()
        examples.append(Example(str(at), text, "toy", "", label=bool(spans), spans=spans))
    model = FeatureModel(lists, examples, Fold("babe/sg2", 5, 0))
    unseen, neutral, empty = model.predict(["The road was superb again", "The road was long again", ""])
    # "superb" never stood in the training texts, but in the same list
    assert [span.span for span in unseen.spans] == [Span(13, 19)]
    assert unseen.slanted
    assert not neutral.slanted
    assert not empty.slanted
