"""What the edit head says, in the user's own text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ModelError
from unslant.core.types import Document, Proposal, Sentence, Span
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import Head, load_package
from unslant.neural.edits import Guess, Op
from unslant.neural.network import Network, Reading
from unslant.neural.pieces import squeeze
from unslant.neural.proposals import Proposals, proposals

LABELS = ("keep", "delete", "replace:said", "before:some", "before:,")
HEAD = Head("edits", "edits", "piece", LABELS, True, {"threshold": 0.5})


def proposed(sentence: Sentence, **labels: str) -> list[Proposal]:
    """Propose as if the head were sure of an edit for some words."""
    squeezed = squeeze(sentence.text)
    offsets, at = [], 0
    for word in squeezed.text.split(" "):
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    logits = np.full((len(offsets), len(LABELS)), -6.0)
    for row, (start, end) in zip(logits, offsets, strict=True):
        row[LABELS.index(labels.get(squeezed.text[start:end], "keep"))] = 3.0
    found = proposals(sentence, Reading(squeezed, offsets, {}, {"edits": logits}), "edits", HEAD)
    return [one for one in found if one.probability >= 0.5]


def applied(source: str, some: list[Proposal]) -> str:
    for one in sorted(some, key=lambda one: -one.start):
        source = source[: one.start] + one.replacement + source[one.end :]
    return source


@pytest.mark.parametrize(
    ("source", "edits", "after"),
    [
        ("He  never\n  claimed it", {"claimed": "replace:said"}, "He  never\n  said it"),
        ("He  never\n  claimed it", {"never": "delete"}, "He\n  claimed it"),
        ("  Very   old towns grew", {"Very": "delete"}, "  Old towns grew"),
        ("All   towns grew", {"towns": "before:some"}, "All   some towns grew"),
        ("All   towns grew", {"towns": "before:,"}, "All,   towns grew"),
        ("The towns grew", {"The": "before:some"}, "Some the towns grew"),
        ("All towns  grew", {"grew": "delete"}, "All towns"),
    ],
)
def test_offsets_are_those_of_the_source(
    sentence: Callable[..., Sentence], source: str, edits: dict[str, str], after: str
) -> None:
    assert applied(source, proposed(sentence(source), **edits)) == after


def test_proposals_are_those_of_the_sentence_whenever_they_are_looked_at(
    sentence: Callable[..., Sentence],
) -> None:
    squeezed = squeeze("He claimed it")
    guess = Guess(Span(3, 10), 0.9, ((Op("replace", "said"), 0.8), (Op("delete"), 0.1)))
    one, other = (Proposals(sentence("He claimed it"), squeezed, [guess], 0.5) for _ in range(2))
    assert len(one) == 2
    assert one[0] == Proposal(3, 10, "said", 0.72)  # 0.9 that something happens, 0.8 that it is this
    assert one[:1] == (one[0],)
    assert one == other == tuple(one)
    assert hash(one) == hash(other)
    assert one != Proposals(sentence("He claimed it"), squeezed, [], 0.5)
    assert repr(one) == repr(tuple(one))


def test_a_sentence_later_in_a_document_has_the_documents_offsets() -> None:
    source = "One went. He claimed it"
    (one,) = proposed(Sentence(Document(source, source), Span(10, len(source))), claimed="replace:said")
    assert source[one.start : one.end] == "claimed"


def test_markup_is_never_written_over(sentence: Callable[..., Sentence]) -> None:
    source = "He very[*] badly claimed it"
    (alone,) = proposed(sentence(source), very="delete", badly="delete")
    assert applied(source, [alone]) == "He[*] badly claimed it"
    (one,) = proposed(sentence(source), claimed="replace:said")
    assert applied(source, [one]) == "He very[*] badly said it"


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["He", "very", "claimed", "it", "[x]"]), min_size=1, max_size=7),
    st.lists(st.sampled_from([" ", "  ", "\n"]), min_size=7, max_size=7),
    st.dictionaries(st.sampled_from(["He", "very", "claimed", "it"]), st.sampled_from(LABELS)),
)
def test_markup_stays_and_offsets_are_inside(
    words: list[str], gaps: list[str], edits: dict[str, str]
) -> None:
    source = "".join(word + gap for word, gap in zip(words, gaps, strict=False)).strip()
    prose = source.replace("[x]", "   ")
    if not prose.strip():
        return
    for one in proposed(Sentence(Document(source, prose), Span(0, len(source))), **edits):
        assert 0 <= one.start <= one.end <= len(source)
        after = applied(source, [one])
        assert after.count("[x]") == source.count("[x]")
        assert after.startswith(source[: one.start])
        assert after.endswith(source[one.end :])


def test_a_model_without_the_head_proposes_nothing(
    analyzer: ModelAnalyzer, sentence: Callable[..., Sentence]
) -> None:
    (analysis,) = analyzer.analyze([sentence("the awful road opened")])
    assert analysis.findings
    assert analysis.proposals == ()


def _as_edits(folder: Path, labels: list[str]) -> Path:
    """Let a model's head of three tags pass for one of edits."""
    path = folder / "model.json"
    about = json.loads(path.read_text())
    about["heads"]["spans"] |= {"type": "edits", "labels": labels}
    path.write_text(json.dumps(about))
    return folder


def test_edits_that_cannot_be_read_are_told(copy: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["keep", "delete", "what:ever"]))
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["delete", "keep", "replace:x"]))


def test_a_vocabulary_that_is_not_the_graphs_is_told(copy: Path) -> None:
    Network(load_package(_as_edits(copy, ["keep", "delete", "replace:x"])))
    with pytest.raises(ModelError, match=r"has 3 edits, and model\.json names 2"):
        Network(load_package(_as_edits(copy, ["keep", "delete"])))
