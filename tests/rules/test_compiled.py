"""What building the package compiles finds the same as what is compiled when it is needed."""

from __future__ import annotations

import json
from pathlib import Path

from unslant.core.types import Document, Sentence, Span
from unslant.edits import wordings
from unslant.rules import compiled
from unslant.rules.analyzer import find_terms
from unslant.rules.compiled import RuleBook, digest_files, make_book, read_book

TEXTS = [
    "The legendary singer slammed the so-called plan, which was truly iconic.",
    "Sadly, the chairman claimed that illegal aliens and anti-choice activists had flooded the town.",
    "He brutally bragged about a stunning victory, and the regime's hardliners raged.",
    "The plan passed by 3 votes in the town hall.",
]


def found_by(book: RuleBook) -> list[list[str]]:
    """Return all that a book finds in the texts, with the edits."""
    sentences = (Sentence(Document(text, text), Span(0, len(text))) for text in TEXTS)
    return [sorted(map(repr, find_terms(book, sentence))) for sentence in sentences]


def test_the_compiled_catalogue_finds_the_same(tmp_path: Path) -> None:
    file = tmp_path / "compiled.json"
    compiled.write_compiled(file)
    book = read_book(file, json.loads(file.read_bytes())["digest"])
    assert book is not None
    found = found_by(book)
    assert found == found_by(make_book(compiled.catalogue()))
    assert [bool(each) for each in found] == [True, True, True, False]


def test_the_compiled_list_of_wordings_finds_the_same(tmp_path: Path) -> None:
    wordings.write_compiled(tmp_path)
    file = tmp_path / "compiled.json"
    book = read_book(file, json.loads(file.read_bytes())["digest"])
    assert book is not None
    found = found_by(book)
    assert found == found_by(make_book(list(wordings._rules(wordings._read()))))
    assert any(found)


def test_a_file_compiled_from_another_list_is_not_used(tmp_path: Path) -> None:
    wordings.write_compiled(tmp_path)
    file = tmp_path / "compiled.json"
    content = wordings._LIST.read_bytes()
    assert read_book(file, digest_files({wordings._LIST.name: content})) is not None
    assert read_book(file, digest_files({wordings._LIST.name: content + b"\n"})) is None
    assert read_book(file, digest_files({"other.toml": content})) is None
    file.write_bytes(file.read_bytes()[:-1])
    assert read_book(file, digest_files({wordings._LIST.name: content})) is None
