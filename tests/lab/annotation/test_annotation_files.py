from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnknownName
from unslant.core.types import Span
from unslant.lab.annotation.formats import AnnotationOptions
from unslant.lab.annotation.reading import detect_format, read_annotations
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.corpora.tables import CorpusError


def write(path: Path, content: str | list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    path.write_text(content, "utf-8")
    return path


def fails(path: Path, message: str, reading: AnnotationOptions | None = None) -> None:
    with pytest.raises(CorpusError, match=message):
        read_annotations(path, reading)


# Tables


def test_a_table_with_the_plain_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "item,annotator,label\n1,x,yes\n1,y,no\n2,x,\n")
    assert read_annotations(path) == [
        Annotation("1", "x", "yes", "label"),
        Annotation("1", "y", "no", "label"),
    ]


def test_other_columns_are_mapped_and_name_the_task(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "sentence\twho\tbiased\tround\n1\tx\tyes\t7\n")
    reading = AnnotationOptions(
        columns={"item": "sentence", "annotator": "who", "label": "biased", "batch": "round"}
    )
    assert read_annotations(path, reading) == [Annotation("1", "x", "yes", "biased", "7")]


def test_spans_in_a_table(tmp_path: Path) -> None:
    rows = [
        {"item": "1", "annotator": "x", "label": "odd", "text": "so odd", "start": 3, "end": 6},
        {"item": "1", "annotator": "y", "label": "", "text": "so odd", "start": None, "end": None},
    ]
    marked, nothing = read_annotations(write(tmp_path / "a.jsonl", rows))
    assert marked.span == Span(3, 6)
    assert (nothing.span, nothing.label) == (None, NOTHING)


def test_what_is_wrong_with_a_table_is_named_with_file_and_row(tmp_path: Path) -> None:
    head = "item,annotator,label\n"
    fails(
        write(tmp_path / "a.csv", "id,annotator,label\n1,x,yes\n"), r"a\.csv, row 1: wrong columns \(no item"
    )
    twice = write(tmp_path / "b.csv", head + "1,x,yes\n2,x,no\n1,x,no\n")
    fails(
        twice,
        r"b\.csv, row 4: duplicate judgement \(annotator x already judged label of the item 1 in row 2\)",
    )
    fails(write(tmp_path / "c.csv", head + ",x,yes\n1,,no\n"), "row 2: no item .*row 3: no annotator")
    fails(
        write(tmp_path / "d.csv", head + "1,x,yes\n"),
        "unknown label",
        AnnotationOptions(labels=frozenset({"no"})),
    )
    fails(write(tmp_path / "e.csv", head), "no annotations in it")
    spans = "item,annotator,label,text,start,end\n1,x,a,short,2,9\n1,y,a,short,3,3\n1,z,a,short,one,2\n"
    fails(
        write(tmp_path / "f.csv", spans),
        "row 2: span outside .*5 code points.*row 3: .*empty.*row 4: .*whole numbers",
    )


def test_many_problems_are_counted(tmp_path: Path) -> None:
    rows = "".join(f",x,{number}\n" for number in range(8))
    fails(write(tmp_path / "a.csv", "item,annotator,label\n" + rows), "and 3 more")


def test_an_unknown_field_format_or_source_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "item,annotator,label\n1,x,yes\n")
    with pytest.raises(UnknownName, match="Did you mean 'annotator'"):
        read_annotations(path, AnnotationOptions(columns={"anotator": "who"}))
    with pytest.raises(UnknownName, match="no format of annotations named 'brta'"):
        read_annotations(path, AnnotationOptions("brta"))
    with pytest.raises(CorpusError, match="neither a file, a folder nor a corpus"):
        read_annotations("nowhere.csv")


def test_formats_are_distinguished(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", [{"item": "1", "annotator": "x", "label": "y"}])
    doccano = write(tmp_path / "d" / "b.jsonl", [{"text": "t", "label": []}])
    brat = write(tmp_path / "b" / "x" / "1.ann", "")
    assert [detect_format(plain), detect_format(doccano), detect_format(doccano.parent)] == [
        "table",
        "doccano",
        "doccano",
    ]
    assert [detect_format(brat), detect_format(tmp_path / "b"), detect_format(tmp_path / "x.json")] == [
        "brat",
        "brat",
        "label-studio",
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"neither \.ann files"):
        detect_format(tmp_path / "empty")


# doccano


def test_doccano_spans_and_labels_of_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path / "out" / "ann.jsonl",
        [
            {"id": 1, "text": "so very odd", "label": [[3, 7, "hedge"]]},
            {"id": 2, "text": "fine", "label": []},
        ],
    )
    entities = [{"id": 5, "label": "hedge", "start_offset": 3, "end_offset": 11}]
    write(tmp_path / "out" / "bob.jsonl", [{"id": 1, "text": "so very odd", "entities": entities}])
    write(tmp_path / "out" / "cy.jsonl", [{"id": 3, "text": "fine", "label": ["neutral"]}])
    found = read_annotations(tmp_path / "out")
    assert [
        (annotation.item, annotation.annotator, annotation.label, annotation.task, annotation.span)
        for annotation in found
    ] == [
        ("1", "ann", "hedge", "spans", Span(3, 7)),
        ("2", "ann", NOTHING, "spans", None),
        ("1", "bob", "hedge", "spans", Span(3, 11)),
        ("3", "cy", "neutral", "label", None),
    ]


def test_doccano_problems(tmp_path: Path) -> None:
    fails(
        write(
            tmp_path / "a.jsonl", [{"id": 1, "text": "odd", "label": [[0, 9, "x"]]}, {"id": 2, "label": []}]
        ),
        r"a\.jsonl, row 1: span outside the text .*a\.jsonl, row 2: wrong columns",
    )
    fails(write(tmp_path / "b.jsonl", '{"text": "odd", "label": [[0'), r"b\.jsonl, row 1: not JSON")
    again = {"id": 1, "text": "odd", "label": ["a"]}
    fails(write(tmp_path / "c.jsonl", [again, again]), r"c\.jsonl, row 2: duplicate judgement")


# BRAT


def test_brat_reads_a_folder_per_annotator(tmp_path: Path) -> None:
    for who, lines in {
        "ann": "T1\tHedge 3 7\tvery\nA1\tSure T1\n#1\tNote T1\thm\n",
        "bob": "T1\tOdd 0 2;8 11\tso odd\n",
    }.items():
        write(tmp_path / who / "one.txt", "so very odd\n")
        write(tmp_path / who / "one.ann", lines)
    write(tmp_path / "bob" / "two.txt", "plain")
    write(tmp_path / "bob" / "two.ann", "")
    found = read_annotations(tmp_path)
    assert [
        (annotation.item, annotation.annotator, annotation.label, annotation.span) for annotation in found
    ] == [
        ("one", "ann", "Hedge", Span(3, 7)),
        ("one", "bob", "Odd", Span(0, 2)),
        ("one", "bob", "Odd", Span(8, 11)),
        ("two", "bob", NOTHING, None),
    ]


def test_brat_problems(tmp_path: Path) -> None:
    def broken(name: str, line: str) -> Path:
        write(tmp_path / name / "one.txt", "so very odd")
        return write(tmp_path / name / "one.ann", "T9\tHedge 3 7\tvery\n" + line).parent

    fails(broken("a", "T1\tHedge 3 70\tvery"), r"a/one\.ann, row 2: span outside the text")
    fails(broken("b", "T1\tHedge 0 2\tvery"), r"b/one\.ann, row 2: span and quotation differ")
    fails(broken("c", "T1 Hedge 3 7 very"), r"c/one\.ann, row 2: not a line of BRAT")
    fails(broken("d", "T1\tHedge 3 7\tvery"), r"d/one\.ann, row 2: duplicate judgement")
    fails(write(tmp_path / "e" / "one.ann", "T1\tHedge 3 7\tvery").parent, r"e/one\.ann: no text \(one\.txt")
