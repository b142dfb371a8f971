"""News text with the leaning of its outlet, outlets as rated, and one event as several outlets report it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.core.example import Example
from unslant.core.files import read_text
from unslant.lab.corpora.alignment import join_tokens
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.tables import (
    CorpusError,
    DataProblem,
    TableRow,
    convert_rows,
    read_csv,
    read_jsonl,
    read_parquet,
)

_ALLSIDES_SPLITS = {"train": "train", "valid": "dev", "test": "test", None: None}
_LEANINGS = ("left", "center", "right")
_ROUNDUP_SPLITS = {"train": "train", "val": "dev", "test": "test"}


def read_allsides(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per article, detokenised; the split is that by outlet (``media``) or the ``random`` one.

    Articles that the chosen split does not use have no split.
    """
    by = source.card.variant or "media"
    path = source.path("articles_first250w.jsonl.gz")
    for row in read_jsonl(path, ("ID", "topic", "source", "bias_text", "splits", "text")):
        if isinstance(row, DataProblem):
            yield row
            continue
        split = row.values["splits"].get(by)
        if row.values["bias_text"] not in _LEANINGS or split not in _ALLSIDES_SPLITS:
            yield row.problem("unknown label", f"{row.text('bias_text')}, {split}")
            continue
        tokens = row.text("text").split()
        if not tokens:
            yield row.problem("empty text")
            continue
        yield Example(
            id=row.text("ID"),
            text=join_tokens(tokens),
            source=source.name,
            licence=source.licence,
            split=_ALLSIDES_SPLITS[split],
            outlet=row.text("source") or None,
            topic=row.text("topic") or None,
            leaning=row.text("bias_text"),
            document=row.text("ID"),
            extra={"title": row.text("title"), "date": row.text("date")},
        )


_TAIL = re.compile(r"^(?P<title>.+?)\s+[|\-\u2013\u2014:]\s+(?P<tail>[^|\u2013\u2014]{2,40})$")
_NOT_LETTERS = re.compile(r"[^a-z0-9]+")


def read_headlines(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per headline, without the outlet's name at its end; the title as it was is in ``extra``.

    The variant ``distant`` labels a headline by its outlet, as Spinde et al. 2021 do: slanted unless rated center.
    """
    distant = source.card.variant == "distant"
    for row in read_csv(
        source.path("headlines.csv.gz"), ("title", "outlet", "leaning", "date", "origin", "id")
    ):
        if isinstance(row, DataProblem):
            yield row
            continue
        title = " ".join(row.text("title").split())
        if not title:
            yield row.problem("empty text")
            continue
        if row.text("leaning") not in _LEANINGS:
            yield row.problem("unknown label", row.text("leaning"))
            continue
        text = strip_outlet(title, row.text("outlet"))
        yield Example(
            id=row.text("id") or f"row-{row.number}",
            text=text,
            source=source.name,
            licence=source.licence,
            label=row.text("leaning") != "center" if distant else None,
            outlet=row.text("outlet") or None,
            leaning=row.text("leaning"),
            document=row.text("id") or None,
            extra={
                "origin": row.text("origin"),
                "date": row.text("date"),
                **({"title": title} if text != title else {}),
            },
        )


def strip_outlet(title: str, outlet: str) -> str:
    """Take the outlet's name off the end of a headline: ``… | Fox News``, ``… - CNN``, ``… : NPR``.

    A tail counts as the name if one of the two is within the other, letter by letter: ``BBC News`` for ``bbc.co.uk``.
    """
    house = re.sub(r"^(https?://)?(www\d?\.|edition\.|amp\.)?", "", outlet.lower())
    house = _NOT_LETTERS.sub("", house.split("/")[0].rsplit(".", 1)[0] if "." in house else house)
    house = house.removeprefix("the")
    while match := _TAIL.match(title):
        tail = _NOT_LETTERS.sub("", match["tail"].lower()).removeprefix("the")
        core = tail.removesuffix("com").removesuffix("news").removesuffix("politics")
        if not house or not core or not (core in house or house in tail):
            return title
        title = match["title"].strip()
    return title


_RATINGS = {"Left": "left", "Lean Left": "left", "Center": "center", "Lean Right": "right", "Right": "right"}


def read_outlet_ratings(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per rated outlet: all of them, or the part that the variant names."""
    if source.card.variant in ("all", "allsides"):
        yield from _allsides_ratings(source)
    if source.card.variant in ("all", "adfontes"):
        yield from _adfontes_ratings(source)


def _allsides_ratings(source: CorpusSource) -> Iterator[Example | DataProblem]:
    columns = ("news_source", "bias_rating", "reliability", "bias", "community_trust", "outlet_id")
    for row in read_parquet(source.path("outlets.parquet"), columns):
        if isinstance(row, DataProblem):
            yield row
        elif row.values["bias_rating"] not in _RATINGS:
            yield row.problem("unknown label", row.values["bias_rating"])
        else:
            yield Example(
                id=row.text("outlet_id"),
                text=row.text("news_source"),
                source=source.name,
                licence=source.licence,
                outlet=row.text("news_source"),
                leaning=_RATINGS[row.values["bias_rating"]],
                extra={"rater": "AllSides", "rating": row.values["bias_rating"]}
                | {name: row.values[name] for name in ("bias", "reliability", "community_trust")},
            )


def _adfontes_ratings(source: CorpusSource) -> Iterator[Example | DataProblem]:
    for row in read_parquet(source.path("adfontes_snapshot.parquet"), ("source", "reliability", "bias")):
        if isinstance(row, DataProblem):
            yield row
        else:
            yield Example(
                id=f"adfontes-{row.number}",
                text=row.text("source"),
                source=source.name,
                licence=source.licence,
                outlet=row.text("source"),
                extra={
                    "rater": "Ad Fontes",
                    "bias": row.values["bias"],
                    "reliability": row.values["reliability"],
                },
            )


def read_roundups(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the three reports of each event and the neutral round-up, which share ``pair``.

    The reports are sources, the round-up is the target. Which report comes from which side is not known.
    """
    rows = read_jsonl(source.path("events.jsonl.gz"), ("split", "outlets", "neutral"))
    yield from convert_rows(rows, lambda row: _event(row, source))


def _event(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    split = _ROUNDUP_SPLITS.get(row.text("split"))
    if split is None:
        yield row.problem("unknown label", row.text("split"))
        return
    reports = [
        (f"outlet-{number}", "source", report) for number, report in enumerate(row.values["outlets"], 1)
    ]
    for name, side, report in (*reports, ("neutral", "target", row.values["neutral"])):
        if not report["text"].strip():
            yield row.problem("empty text", name)
            continue
        yield source.example(
            f"{row.number}-{name}",
            report["text"],
            split=split,
            pair=str(row.number),
            side=side,
            genre="news",
            extra={"title": report["title"]},
        )


_PARTISAN = {
    "ibc_left": ("books", "left"),
    "ibc_right": ("books", "right"),
    "news_left": ("headlines", "left"),
    "news_right": ("headlines", "right"),
    "news_sensationalist_dramatic": ("headlines", None),
    "speeches": ("speeches", "right"),
}
"""Each file with its genre and side; all the speeches are by one candidate."""


def read_partisan(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence or headline, in lower case as in the files."""
    for name, (genre, leaning) in _PARTISAN.items():
        path = source.path(name)
        lines = read_text(path, CorpusError, max_bytes=1 << 28).splitlines()
        for number, line in enumerate(lines, 1):
            columns = line.split("\t")
            if len(columns) < 4 or not columns[3].strip():
                yield DataProblem(name, number, "wrong columns", "the fourth should be the text")
                continue
            # the books are split into tokens, headlines and speeches are not
            text = join_tokens(columns[3].split()) if genre == "books" else columns[3].strip()
            yield source.example(f"{name}-{number}", text, genre=genre, leaning=leaning)
