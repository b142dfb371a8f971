"""What the edit head says, in the user's own text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ModelError
from unslant.core.types import Document, Edit, Sentence, Span
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.checkpoint import TABLES, load_package
from unslant.neural.edit_labels import labelled_edit
from unslant.neural.network import Network
from unslant.neural.proposals import Proposals
from unslant.neural.span_edits import SpanEdits
from unslant.neural.subwords import normalize_whitespace
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edits

LABELS = ("delete", "replace:said", "before:some", "before:,")


def proposed(sentence: Sentence, **labels: str) -> list[Edit]:
    """Propose as if the head were sure of an edit for some words; neighbours that go, go together."""
    normalized = normalize_whitespace(sentence.text)
    chosen: list[Edit] = []
    at = 0
    for word in normalized.text.split(" "):
        span, name = Span(at, at + len(word)), labels.get(word)
        last = chosen[-1] if chosen else None
        if name == "delete" and last and not last.replacement and last.end == at - 1:
            chosen[-1] = Edit(last.start, span.end, "", probability=0.9)
        elif name is not None:
            chosen.append(labelled_edit(name, span, 0.9))
        at += len(word) + 1
    return list(Proposals(sentence, normalized, SpanEdits(0.1, lambda: chosen), 0.5))


def applied(source: str, edits: list[Edit]) -> str:
    """Apply proposals as the fixer does: tidied, without touching markup."""
    text = re.sub(r"\[.*?\]", lambda markup: "\0" * len(markup[0]), source)
    return apply_edits(source, tidy_edits(text, edits))


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
    normalized = normalize_whitespace("He claimed it")
    chosen = [
        Edit(3, 10, "said", probability=0.72),
        Edit(3, 10, "", probability=0.09),
    ]
    first, other = (
        Proposals(sentence("He claimed it"), normalized, SpanEdits(0.1, lambda: chosen), 0.5)
        for _ in range(2)
    )
    assert len(first) == 2
    assert first[0] == Edit(3, 10, "said", probability=0.72)
    assert first[:1] == (first[0],)
    assert first == other == tuple(first)
    assert hash(first) == hash(other)
    assert first != Proposals(sentence("He claimed it"), normalized, SpanEdits(1.0, list), 0.5)
    assert repr(first) == repr(tuple(first))


def test_a_sentence_later_in_a_document_has_the_documents_offsets() -> None:
    source = "One went. He claimed it"
    (edit,) = proposed(Sentence(Document(source, source), Span(10, len(source))), claimed="replace:said")
    assert source[edit.start : edit.end] == "claimed"


def test_markup_is_never_written_over(sentence: Callable[..., Sentence]) -> None:
    source = "He very[*] badly claimed it"
    # both words in one stretch would take the markup between them along
    assert proposed(sentence(source), very="delete", badly="delete") == []
    (alone,) = proposed(sentence(source), very="delete")
    assert applied(source, [alone]) == "He[*] badly claimed it"
    (edit,) = proposed(sentence(source), claimed="replace:said")
    assert applied(source, [edit]) == "He very[*] badly said it"


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
    for item in proposed(Sentence(Document(source, prose), Span(0, len(source))), **edits):
        assert 0 <= item.start <= item.end <= len(source)
        after = apply_edits(source, [item])
        assert after.count("[x]") == source.count("[x]")
        assert after.startswith(source[: item.start])
        assert after.endswith(source[item.end :])


def test_a_model_without_the_head_proposes_nothing(
    analyzer: ModelAnalyzer, sentence: Callable[..., Sentence]
) -> None:
    (analysis,) = analyzer.analyze([sentence("the awful road opened")])
    assert analysis.findings
    assert analysis.proposals == ()


def _as_edits(folder: Path, labels: list[str], size: int | None = 1) -> Path:
    """Let a model's head of three tags pass for one of edits, with tables of some size beside it."""
    path = folder / "model.json"
    about = json.loads(path.read_text())
    about["heads"]["spans"] |= {"type": "edits", "labels": labels}
    if size is not None:
        shapes = {"widths": (2, size), "borders": (2, size), "score": (size + 1,), "ops": (2, size + 1)}
        np.savez(folder / TABLES, **{name: np.zeros(shape) for name, shape in shapes.items()})
        about["files"][TABLES] = hashlib.sha256((folder / TABLES).read_bytes()).hexdigest()
    path.write_text(json.dumps(about))
    return folder


def test_edits_that_cannot_be_read_are_reported(copy: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["keep", "delete", "what:ever"]))
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["delete", "keep", "replace:x"]))


def test_tables_that_are_missing_or_of_another_model_are_reported(copy: Path) -> None:
    with pytest.raises(ModelError, match=r"has no digest of edits\.npz"):
        load_package(_as_edits(copy, ["keep", "delete", "replace:x"], None))
    with pytest.raises(ModelError, match=r"edits\.npz' cannot be used: ops has the shape"):
        Network(load_package(_as_edits(copy, ["keep", "delete"])))
    with pytest.raises(ModelError, match=r"has 3 numbers for a word, and edits\.npz is for 6"):
        Network(load_package(_as_edits(copy, ["keep", "delete", "replace:x"])))
    (copy / TABLES).write_bytes(b"other")
    with pytest.raises(ModelError, match=r"edits\.npz is damaged"):
        Network(load_package(copy))
