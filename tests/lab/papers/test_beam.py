"""The search finds what trying everything finds."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from unslant.lab.papers.wikibias.editor import Editor, EditorPlan, search
from unslant.lab.papers.wikibias.words import BEGIN, END, UNKNOWN, Vocabulary, encode_sources
from unslant.lab.rewriters.systems import BeamSettings

pytestmark = pytest.mark.torch

VOCABULARY = Vocabulary(("a", " b"))
SENTENCES = ["a b", "a x b x", "b"]


def editor(kind: str, seed: int, *, copy: bool) -> Editor:
    torch.manual_seed(seed)
    network = Editor(
        EditorPlan(kind, len(VOCABULARY), width=8, layers=1, heads=2, dropout=0.0, copy=copy)
    ).eval()
    with torch.no_grad():
        network.embedding.weight.mul_(3)
        # an end is likely, so that short wordings are among the best
        network.bias[END] += 3.0
    return network


@torch.no_grad()
def chance_of(network: Editor, text: str, numbers: tuple[int, ...]) -> float:
    """The log probability of a wording, one step after another."""
    sources = encode_sources(VOCABULARY, [text])
    states = network.read(sources)
    state, last, total = network.begin(states, sources.mask), BEGIN, 0.0
    for number in (*numbers, END):
        shown = torch.tensor([last if last < len(VOCABULARY) else UNKNOWN])
        written, state = network.step(shown, states, sources.mask, state)
        total += float(network.distribution(written, sources.own, sources.max_oov)[0, number])
        last = number
    return total


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_wide_beam_finds_the_best_wording(kind: str, seed: int) -> None:
    network = editor(kind, seed, copy=False)
    sources = encode_sources(VOCABULARY, ["a b"])
    found = search(network, sources, network.read(sources), BeamSettings(40, 0.0))[0]
    letters = (UNKNOWN, END + 1, END + 2)
    short = [some for length in range(4) for some in product(letters, repeat=length)]
    best = max(short, key=lambda some: chance_of(network, "a b", some))
    assert found[0].score == pytest.approx(chance_of(network, "a b", found[0].ids), abs=1e-4)
    assert found[0].score >= chance_of(network, "a b", best) - 1e-4


@pytest.mark.parametrize("copy", [False, True])
def test_sentences_searched_together_come_out_as_alone(copy: bool) -> None:
    network = editor("lstm", 3, copy=copy)
    sources = encode_sources(VOCABULARY, SENTENCES)
    together = search(network, sources, network.read(sources), BeamSettings(3))
    for text, some in zip(SENTENCES, together, strict=True):
        single = encode_sources(VOCABULARY, [text])
        (alone,) = search(network, single, network.read(single), BeamSettings(3))
        assert [wording.ids for wording in some] == [wording.ids for wording in alone]
        assert [wording.score for wording in some] == pytest.approx(
            [hypothesis.score for hypothesis in alone], abs=1e-4
        )
        assert some == sorted(some, key=lambda wording: -wording.score)
        assert len({wording.ids for wording in some}) == len(some)


def test_what_never_ends_is_ended() -> None:
    network = editor("lstm", 4, copy=False)
    with torch.no_grad():
        network.bias[END] = -1e4
    sources = encode_sources(VOCABULARY, ["a b"])
    (found,) = search(network, sources, network.read(sources), BeamSettings(2))
    assert len(found) == 1
    assert len(found[0].ids) == 2 + 10
