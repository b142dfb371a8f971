"""Places are those that editors mean."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.editor.conftest import position
from unslant.core.types import Span
from unslant.editor.documents import Documents, Positions

TEXTS = st.text(st.sampled_from("aé€😀👩\u200d\r\n\x0b\x0c\x85\u2028\ud83d "), max_size=30)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def _within_crlf(text: str, at: int) -> bool:
    return text[max(at - 1, 0) : at + 1] == "\r\n"


@settings(max_examples=200, deadline=None)
@given(TEXTS, ENCODINGS, st.data())
def test_a_place_and_back(text: str, encoding: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)).filter(lambda at: not _within_crlf(text, at)))
    positions = Positions(text, encoding)
    place = positions.place(at)
    codec, width = CODECS[encoding]
    before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
    column = before.rpartition("\n")[2].encode(codec, "surrogatepass")
    assert place == types.Position(before.count("\n"), len(column) // width)
    assert positions.offset(place) == at


def test_places_beyond_the_end_and_within_a_character() -> None:
    positions = Positions("a😀\r\nb")
    assert positions.offset(types.Position(0, 2)) == 1
    assert positions.offset(types.Position(0, 99)) == 2
    assert positions.offset(types.Position(9, 0)) == 5
    assert positions.range(Span(1, 5)) == types.Range(types.Position(0, 1), types.Position(1, 1))
    assert Positions("", "utf-8").offset(types.Position(0, 3)) == 0


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), TEXTS), max_size=4))
def test_changes_leave_the_text_that_the_editor_has(text: str, edits: list[tuple[int, int, str]]) -> None:
    documents = Documents()
    documents.open(types.TextDocumentItem("file:///a.md", "markdown", 1, text))
    for start, length, new in edits:
        start = min(start, len(text))
        end = min(start + length, len(text))
        if _within_crlf(text, start) or _within_crlf(text, end):
            continue
        changed_range = types.Range(position(text, start), position(text, end))
        documents.change("file:///a.md", 2, [types.TextDocumentContentChangePartial(changed_range, new)])
        text = text[:start] + new + text[end:]
    document = documents.get("file:///a.md")
    assert document is not None
    assert document.text == text
