"""The spaCy component."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.spacy

TEXTS = [
    "The legendary singer slammed the plan.",
    "The committee met.",
    "The well-\nknown, iconic band split.",
]


@pytest.fixture
def nlp() -> Any:
    import spacy

    import unslant.integrations.spacy  # noqa: F401 - registers the component

    return spacy.blank("en")


def test_findings_are_spans_of_the_document(nlp: Any) -> None:
    nlp.add_pipe("unslant")
    doc = nlp(TEXTS[0])
    spans = doc.spans["unslant"]
    assert [(span.text, span.label_) for span in spans] == [
        ("legendary", "framing/praise-adjective"),
        ("slammed", "framing/attack-verb"),
    ]
    assert spans[1]._.finding.why
    assert len(doc._.unslant.findings) == 2


def test_a_stream_gives_what_single_documents_give(nlp: Any) -> None:
    nlp.add_pipe("unslant", config={"spans_key": "slant"})
    texts = TEXTS * 50
    piped = [[(span.start, span.end) for span in doc.spans["slant"]] for doc in nlp.pipe(texts, batch_size=7)]
    single = [nlp(text) for text in texts]
    assert piped == [[(span.start, span.end) for span in doc.spans["slant"]] for doc in single]


def test_a_finding_inside_a_token_covers_the_token(nlp: Any) -> None:
    from spacy.tokens import Doc

    nlp.add_pipe("unslant")
    doc = Doc(nlp.vocab, ["The", "legendary/old", "hall."])
    (span,) = nlp.get_pipe("unslant")(doc).spans["unslant"]
    assert span.text == "legendary/old"
    assert span._.finding.text == "legendary"


def what(doc: Any) -> list[tuple[str, str, str]]:
    return [(span.text, span.label_, span._.finding.why) for span in doc.spans["unslant"]]


def test_documents_survive_being_written_and_read(nlp: Any) -> None:
    from spacy.tokens import Doc, DocBin

    nlp.add_pipe("unslant")
    doc = nlp(TEXTS[0])
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert what(again) == what(doc) != []
    assert again._.unslant.to_dict() == doc._.unslant.to_dict()
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (read,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert what(read) == what(doc)


def test_several_processes_give_the_same_spans(nlp: Any) -> None:
    nlp.add_pipe("unslant")
    alone = [what(doc) for doc in nlp.pipe(TEXTS * 4)]
    assert [what(doc) for doc in nlp.pipe(TEXTS * 4, n_process=2, batch_size=3)] == alone


def test_the_component_can_be_sent_to_another_process(nlp: Any) -> None:
    import pickle

    nlp.add_pipe("unslant")
    sent = pickle.loads(pickle.dumps(nlp.get_pipe("unslant")))  # noqa: S301 - our own
    assert what(sent(nlp.make_doc(TEXTS[0]))) == what(nlp(TEXTS[0]))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"analyzers": ["ruels"]}, "ruels"),
        ({"threshold": 3.0}, "from 0 to 1"),
        ({"spans_key": ""}, "spans_key"),
    ],
)
def test_a_wrong_setting_is_one_sentence(nlp: Any, config: dict[str, Any], said: str) -> None:
    from unslant import UnslantError

    with pytest.raises(UnslantError, match=said):
        nlp.add_pipe("unslant", config=config)


def test_spacy_finds_the_component_by_its_entry_point() -> None:
    about = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, _, name = about["project"]["entry-points"]["spacy_factories"]["unslant"].partition(":")
    assert callable(getattr(import_module(module), name))
