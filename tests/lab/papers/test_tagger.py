"""The BiLSTM-CNN-CRF tagger: its random field, its tags, and a run from end to end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest

from tests.lab.detector.conftest import corpus, encoder, recipe_file
from unslant.cli.main import main
from unslant.core.errors import ConfigError
from unslant.core.types import Span

__all__ = ["corpus", "encoder", "recipe_file"]

pytestmark = pytest.mark.torch


def test_the_random_field_agrees_with_counting_all_sequences() -> None:
    import torch

    from unslant.lab.papers.wikibias.tagger import ConditionalRandomField

    torch.manual_seed(3)
    field = ConditionalRandomField()
    torch.nn.init.normal_(field.follows)
    torch.nn.init.normal_(field.first)
    emissions = torch.randn(2, 4, 3)
    mask = torch.tensor([[True] * 4, [True, True, False, False]])

    def score(row: int, tags: tuple[int, ...]) -> float:
        follows, first = field._scores()
        total = first[tags[0]] + sum(emissions[row, at, tag] for at, tag in enumerate(tags))
        total = total + sum(follows[one, two] for one, two in pairwise(tags))
        return float(total.detach())

    best = field.best(emissions, mask)
    gold = torch.tensor([[1, 2, 0, 1], [0, 1, 0, 0]])
    losses = []
    for row, length in ((0, 4), (1, 2)):
        scores = {tags: score(row, tags) for tags in product(range(3), repeat=length)}
        assert tuple(best[row]) == max(scores, key=lambda tags: scores[tags])
        every = torch.logsumexp(torch.tensor(list(scores.values())), 0)
        losses.append(float(every) - scores[tuple(gold[row, :length].tolist())])
    assert float(field.loss(emissions, gold, mask).detach()) == pytest.approx(sum(losses) / 2, abs=1e-4)


def test_a_span_never_begins_inside() -> None:
    import torch

    from unslant.lab.papers.wikibias.tagger import ConditionalRandomField

    emissions = torch.tensor([[[0.0, 0.0, 50.0], [9.0, 0.0, 0.0], [0.0, 0.0, 50.0]]])
    (tags,) = ConditionalRandomField().best(emissions, torch.ones(1, 3, dtype=torch.bool))
    assert tags[0] != 2
    assert (tags[1], tags[2]) != (0, 2)


def test_words_get_the_tags_of_the_spans_that_touch_them() -> None:
    from unslant.lab.papers.wikibias.tagger import WordEncoder, tag_words

    words = WordEncoder(None, "").words("A well-known, so-so film's end")
    assert len(words) == 6
    marked = [Span(2, 12), Span(14, 19), Span(20, 26)]
    assert tag_words(words, marked) == [0, 1, 0, 1, 1, 0]
    assert tag_words(words, [Span(2, 19)]) == [0, 1, 2, 2, 0, 0]


def test_a_tagger_learns_the_toy_language_and_is_measured_like_other_models(
    recipe_file: Callable[..., Path], tmp_path: Path
) -> None:
    from unslant.lab.evaluation.models import open_models

    command = ["train", "tagger", str(recipe_file()), "--output", str(tmp_path / "out"), "--quiet"]
    main.main(command, standalone_mode=False)
    (model,) = open_models(str(tmp_path / "out"))
    text = "the awful  town met on monday"
    found, clean, nothing = model.predict([text, "the town met.", " "])
    assert [text[span.span.start : span.span.end] for span in found.spans] == ["awful"]
    assert found.slanted
    assert not clean.slanted
    assert not nothing.spans
    assert "BiLSTM-CNN-CRF" in (tmp_path / "out" / "card.md").read_text("utf-8")
    assert not model.lineage.unknown
    # one by one or together, the answer is the same
    assert model.predict([text]) == [found]
    with pytest.raises(ConfigError, match="already contains a tagger"):
        main.main(command, standalone_mode=False)
    main.main([*command, "--resume"], standalone_mode=False)


def test_a_folder_without_a_tagger_is_refused(tmp_path: Path) -> None:
    from unslant.lab.papers.wikibias.tagger import load_tagger

    with pytest.raises(ConfigError, match="not the folder of a tagger"):
        load_tagger(tmp_path)
