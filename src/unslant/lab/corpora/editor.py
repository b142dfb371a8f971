"""The editors' corpus, contrast pairs and judged edits: what an editor would change, leave alone or reject.

docs/data.md defines the annotation: an editor reads every sentence in its context and marks the minimal words that they
would ask the writer to change, with a grade, a kind, a technique and a fix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from unslant.core.example import Example, LabelledSpan
from unslant.core.taxonomy import kinds
from unslant.core.techniques import techniques
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.problems import DataProblem
from unslant.lab.corpora.tables import TableRow, convert_rows, read_jsonl

__all__ = ["GRADES", "VERDICTS", "read_contrast", "read_editor", "read_edits"]

GRADES = ("must", "may")
VERDICTS = (
    *("good", "ungrammatical", "loses-fact", "changes-meaning", "not-neutral", "needless", "swaps-side"),
)
"""How an edit was judged: good, or the first thing that is wrong with it."""

_PASSAGE = ("source", "genre", "connected", "sentences")
_LEANINGS = (None, "left", "center", "right")


def read_editor(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence, passage by passage, so that its neighbours are its context.

    The sentences of a passage share their ``document``, unless ``extra["connected"]`` is false: then they were put
    together from several documents, and the neighbours are no context.
    """
    for file in source.card.files:
        split = file.name.partition(".")[0]
        rows = read_jsonl(source.path(file.name), _PASSAGE)
        yield from convert_rows(rows, partial(_passage, split=split, source=source))


def _passage(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example | DataProblem]:
    if row.values.get("leaning") not in _LEANINGS:
        yield row.problem("unknown label", row.text("leaning"))
        return
    shared = {
        "split": split,
        "genre": row.text("genre"),
        "leaning": row.values.get("leaning"),
        "outlet": row.text("outlet") or None,
        "extra": {"origin": row.text("source"), "connected": bool(row.values["connected"])},
    }
    for sentence in row.values["sentences"]:
        try:
            spans = _labelled_spans(sentence["spans"], sentence["text"])
            second = _labelled_spans(sentence["second"], sentence["text"]) if "second" in sentence else None
            name, text, document = sentence["id"], sentence["text"], sentence["document"]
        except (KeyError, TypeError) as error:
            yield row.problem("wrong columns", f"a sentence without {error}")
        except ValueError as error:
            yield row.problem(*error.args)
        else:
            yield source.example(
                name,
                text,
                label=bool(spans),
                spans=spans,
                kinds=frozenset(labelled.kind for labelled in spans if labelled.kind),
                second=second,
                document=document,
                **shared,
            )


def _labelled_spans(items: Sequence[Mapping[str, Any]], text: str) -> tuple[LabelledSpan, ...]:
    return tuple(sorted((_labelled_span(item, text) for item in items), key=lambda labelled: labelled.span))


def _labelled_span(item: Mapping[str, Any], text: str) -> LabelledSpan:
    known = (("grade", GRADES), ("kind", kinds()), ("technique", techniques()))
    for name, values in known:
        if item[name] not in values:
            raise ValueError("unknown label", f"{name} {item[name]!r}")
    if not 0 <= item["start"] < item["end"] <= len(text):
        raise ValueError(
            "span outside the text", f"[{item['start']}, {item['end']}) in a text of {len(text)}"
        )
    return LabelledSpan(
        Span(item["start"], item["end"]),
        item["kind"],
        technique=item["technique"],
        grade=item["grade"],
        fix=item["fix"],
    )


def read_contrast(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the slanted and the clean sentence of each pair; the clean one has the reason in ``extra``.

    In the clean sentence the word stands at ``extra["start"]`` to ``extra["end"]``, unmarked.
    """
    wanted = source.card.variant or "all"
    for name in ("verbs", "modifiers", "people"):
        if wanted in ("all", name):
            rows = read_jsonl(source.path(f"{name}.jsonl.gz"), ("id", "slanted", "clean"))
            yield from convert_rows(rows, partial(_contrast_pair, source=source))


def _contrast_pair(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    slanted, clean = row.values["slanted"], row.values["clean"]
    dimension = row.text("dimension")
    try:
        labelled = _labelled_span(slanted, slanted["text"])
        dimensions = dimension_map("contrast")
        shared = {"pair": row.text("id"), "dimension": dimensions[dimension] if dimension else None}
        texts = slanted["text"], clean["text"]
        extra = {name: clean[name] for name in ("reason", "start", "end")}
    except (KeyError, TypeError) as error:
        yield row.problem("wrong columns", f"no {error}")
        return
    except ValueError as error:
        yield row.problem(*error.args)
        return
    word = {"word": row.text("word") or str(slanted.get("span", ""))}
    yield source.example(
        f"{row.text('id')}-slanted",
        texts[0],
        label=True,
        spans=(labelled,),
        kinds=frozenset(filter(None, [labelled.kind])),
        side="source",
        extra=word,
        **shared,
    )
    yield source.example(
        f"{row.text('id')}-clean",
        texts[1],
        label=False,
        spans=(),
        kinds=frozenset[str](),
        side="target",
        extra=word | extra,
        **shared,
    )


def read_edits(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per judged edit: its span is what the edit replaces, its ``fix`` the replacement.

    The verdict is ``extra["verdict"]``. Edits of one sentence share ``pair``, the id of the sentence in ``editor``.
    """
    columns = ("id", "text", "start", "end", "replacement", "verdict")
    for name in ("bad", "good"):
        if source.card.variant in ("all", name):
            rows = read_jsonl(source.path(f"{name}.jsonl.gz"), columns)
            yield from convert_rows(rows, partial(_judged_edit, name=name, source=source))


def _judged_edit(row: TableRow, name: str, source: CorpusSource) -> Iterator[Example | DataProblem]:
    text, start, end = row.text("text"), row.values["start"], row.values["end"]
    if row.text("verdict") not in VERDICTS:
        yield row.problem("unknown label", row.text("verdict"))
    elif not 0 <= start < end <= len(text):
        yield row.problem("span outside the text", f"[{start}, {end}) in a text of {len(text)}")
    else:
        yield source.example(
            f"{name}-{row.number}",
            text,
            split="train",
            spans=(LabelledSpan(Span(start, end), fix=row.text("replacement")),),
            pair=row.text("id"),
            extra={"verdict": row.text("verdict"), "note": row.text("note")},
        )
