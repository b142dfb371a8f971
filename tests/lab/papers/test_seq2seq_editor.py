"""The network that the systems share."""

from __future__ import annotations

import pytest
import torch

from unslant.lab.papers.wikibias.editor import AttentiveLSTM, Editor, EditorPlan, search
from unslant.lab.papers.wikibias.words import (
    PADDING,
    Vocabulary,
    encode_pairs,
    encode_sources,
    find_removed,
    tokenize,
    word_offsets,
)
from unslant.lab.rewriters.systems import BeamSettings

pytestmark = pytest.mark.torch

PAIRS = [("the awful town met Xanadu .", "the town met Xanadu ."), ("a road", "a long road was the road")]
VOCABULARY = Vocabulary.build(["the awful town met .", "a long road was the road"], 99)
KINDS = [("lstm", False), ("lstm", True), ("transformer", False), ("transformer", True)]


def editor(kind: str, *, copy: bool, join: bool = False, follow: bool = False) -> Editor:
    torch.manual_seed(0)
    plan = EditorPlan(
        kind, len(VOCABULARY), width=16, layers=2, heads=2, dropout=0.0, copy=copy, join=join, follow=follow
    )
    return Editor(plan).eval()


@pytest.mark.parametrize(
    ("kind", "copy", "follow"), [*((*kind, False) for kind in KINDS), ("lstm", True, True)]
)
def test_all_steps_at_once_are_the_steps_one_by_one(kind: str, copy: bool, follow: bool) -> None:
    network = editor(kind, copy=copy, follow=follow)
    batch = encode_pairs(VOCABULARY, PAIRS, copy=copy)
    states, mask = network.read(batch.sources), batch.sources.mask
    whole = network.write(batch, states)
    state = network.begin(states, mask)
    for at in range(batch.given.shape[1]):
        written, state = network.step(batch.given[:, at], states, mask, state)
        assert torch.allclose(written.hidden[:, 0], whole.hidden[:, at], atol=1e-5)
        assert torch.allclose(written.attention[:, 0], whole.attention[:, at], atol=1e-5)


@pytest.mark.parametrize(("kind", "copy"), KINDS)
def test_padding_changes_nothing_and_is_never_looked_at(kind: str, copy: bool) -> None:
    network = editor(kind, copy=copy)
    together, alone = (
        encode_pairs(VOCABULARY, PAIRS, copy=copy),
        encode_pairs(VOCABULARY, PAIRS[1:], copy=copy),
    )
    both = network.write(together, network.read(together.sources))
    one = network.write(alone, network.read(alone.sources))
    steps, words = one.attention.shape[1:]
    assert torch.allclose(both.hidden[1:, :steps], one.hidden, atol=1e-5)
    assert both.attention[1, :, words:].abs().max() < 1e-6


@pytest.mark.parametrize(("kind", "copy"), KINDS)
def test_the_chances_of_what_comes_next_sum_to_one_and_agree_with_the_loss(kind: str, copy: bool) -> None:
    network = editor(kind, copy=copy)
    batch = encode_pairs(VOCABULARY, PAIRS, copy=copy)
    sources = batch.sources
    states = network.read(sources)
    losses = network.losses(network.write(batch, states), batch)
    state = network.begin(states, sources.mask)
    for at in range(3):
        written, state = network.step(batch.given[:, at], states, sources.mask, state)
        chances = network.distribution(written, sources.own, sources.max_oov)
        assert torch.allclose(chances.exp().sum(dim=-1), torch.ones(2), atol=1e-4)
        right = chances.gather(1, batch.wanted[:, at : at + 1]).squeeze(1)
        assert torch.allclose(-right, losses[:, at], atol=1e-4)


def test_one_that_follows_begins_as_a_copy_of_its_source() -> None:
    network = editor("lstm", copy=True, follow=True)
    for source, _ in PAIRS:
        sources = encode_sources(VOCABULARY, [source])
        (wordings,) = search(network, sources, network.read(sources), BeamSettings(1))
        words = tokenize(source)
        written = [VOCABULARY.word(number, sources.oov_words[0]) for number in wordings[0].ids]
        assert written[: len(words)] == words
        assert list(wordings[0].attended[: len(words)]) == list(range(len(words)))


def test_the_steps_of_the_decoder_are_those_of_an_lstm() -> None:
    decoder = editor("lstm", copy=False).decoder
    assert isinstance(decoder, AttentiveLSTM)
    torch.manual_seed(1)
    given, hidden, cell = torch.randn(3, 32), torch.randn(3, 2, 16), torch.randn(3, 2, 16)
    out, (wanted, _) = decoder.cells(
        given.unsqueeze(1), (hidden.transpose(0, 1).contiguous(), cell.transpose(0, 1).contiguous())
    )
    found, after, _ = decoder._run_cells(given, hidden, cell)
    assert torch.allclose(found, out.squeeze(1), atol=1e-6)
    assert torch.allclose(after, wanted.transpose(0, 1), atol=1e-6)


def test_only_who_copies_can_write_a_word_it_does_not_know() -> None:
    place = tokenize(PAIRS[0][1]).index(" Xanadu")
    assert encode_pairs(VOCABULARY, PAIRS, copy=True).wanted[0, place] == len(VOCABULARY)
    assert encode_pairs(VOCABULARY, PAIRS, copy=False).wanted[0, place] < len(VOCABULARY)
    sources = encode_sources(VOCABULARY, [PAIRS[0][0]])
    network = editor("lstm", copy=True)
    states = network.read(sources)
    written, _ = network.step(torch.tensor([2]), states, sources.mask, network.begin(states, sources.mask))
    assert network.distribution(written, sources.own, sources.max_oov).shape == (1, len(VOCABULARY) + 1)


def test_the_join_embedding_moves_each_word_by_how_likely_it_slants() -> None:
    network = editor("lstm", copy=True, join=True)
    assert network.joint is not None
    with torch.no_grad():
        network.joint.copy_(torch.arange(16.0))
    sources = encode_sources(VOCABULARY, [PAIRS[0][0]])
    slant = torch.tensor([[0.0, 1.0, 0.5, 0.0, 0.0, 0.0]])
    moved = network.read(sources, slant) - network.read(sources)
    assert torch.allclose(moved, slant.unsqueeze(-1) * torch.arange(16.0), atol=1e-5)


def test_smoothing_mixes_in_all_words() -> None:
    network = editor("lstm", copy=False)
    batch = encode_pairs(VOCABULARY, PAIRS, copy=False)
    written = network.write(batch, network.read(batch.sources))
    sharp, smooth = network.losses(written, batch), network.losses(written, batch, 0.5)
    spread = -network._vocabulary_logs(written.hidden).mean(dim=-1)
    assert torch.allclose(smooth, 0.5 * sharp + 0.5 * spread, atol=1e-5)


def test_words_that_an_edit_took_away_are_marked() -> None:
    assert find_removed(*PAIRS[0]) == [False, True, False, False, False, False]
    assert find_removed("He claimed it", "He said it") == [False, True, False]
    assert word_offsets(["the", " old", "."]) == [(0, 3), (4, 7), (7, 8)]


def test_new_words_and_padding_are_distinguished() -> None:
    batch = encode_pairs(VOCABULARY, PAIRS, copy=True)
    # "a long road was the road": long, was and the are not in "a road"
    assert batch.new[1].tolist()[:6] == [False, True, False, True, True, False]
    assert (batch.wanted[0] == PADDING).sum() == 1
