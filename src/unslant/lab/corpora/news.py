"""News text with the leaning of its outlet, outlets as rated, and one event as several outlets report it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.core.example import Example
from unslant.core.files import read_text
from unslant.lab.corpora.alignment import join_tokens
from unslant.lab.corpora.dataset import CorpusSource, reads
from unslant.lab.corpora.tables import CorpusError, DataProblem, TableRow, UnusableRow

_ALLSIDES_SPLITS = {"train": "train", "valid": "dev", "test": "test", None: None}
_LEANINGS = ("left", "center", "right")
_ROUNDUP_SPLITS = {"train": "train", "val": "dev", "test": "test"}


@reads("articles_first250w.jsonl.gz", "ID", "topic", "source", "bias_text", "splits", "text")
def read_allsides(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per article, detokenised; the split is that by outlet (``media``) or the ``random`` one.

    Articles that the chosen split does not use have no split.
    """
    split = row.values["splits"].get(source.card.variant or "media")
    if row.values["bias_text"] not in _LEANINGS or split not in _ALLSIDES_SPLITS:
        raise UnusableRow("unknown label", f"{row.text('bias_text')}, {split}")
    yield source.example(
        row.text("ID"),
        join_tokens(row.needed("text").split()),
        split=_ALLSIDES_SPLITS[split],
        outlet=row.text("source") or None,
        topic=row.text("topic") or None,
        leaning=row.text("bias_text"),
        document=row.text("ID"),
        extra={"title": row.text("title"), "date": row.text("date")},
    )


_TAIL = re.compile(r"^(?P<title>.+?)\s+[|\-\u2013\u2014:]\s+(?P<tail>[^|\u2013\u2014]{2,40})$")
_NOT_LETTERS = re.compile(r"[^a-z0-9]+")


@reads("headlines.csv.gz", "title", "outlet", "leaning", "date", "origin", "id")
def read_headlines(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per headline, without the outlet's name at its end; the title as it was is in ``extra``.

    The variant ``distant`` labels a headline by its outlet, as Spinde et al. 2021 do: slanted unless rated center.
    """
    title = " ".join(row.needed("title").split())
    leaning = row.choice("leaning", _LEANINGS)
    text = strip_outlet(title, row.text("outlet"))
    extra = {"origin": row.text("origin"), "date": row.text("date")}
    yield source.example(
        row.text("id") or f"row-{row.number}",
        text,
        label=leaning != "center" if source.card.variant == "distant" else None,
        outlet=row.text("outlet") or None,
        leaning=leaning,
        document=row.text("id") or None,
        extra=extra | ({"title": title} if text != title else {}),
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


RATINGS = {"Left": "left", "Lean Left": "left", "Center": "center", "Lean Right": "right", "Right": "right"}
"""The leanings that outlets are rated by."""


def read_outlet_ratings(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per rated outlet: all of them, or the part that the variant names."""
    if source.card.variant in ("all", "allsides"):
        yield from _allsides_ratings(source)
    if source.card.variant in ("all", "adfontes"):
        yield from _adfontes_ratings(source)


@reads(
    "outlets.parquet", *("news_source", "bias_rating", "reliability", "bias", "community_trust", "outlet_id")
)
def _allsides_ratings(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    leaning, name = row.choice("bias_rating", RATINGS), row.text("news_source")
    figures = {column: row.values[column] for column in ("bias", "reliability", "community_trust")}
    extra = {"rater": "AllSides", "rating": row.values["bias_rating"], **figures}
    yield source.example(row.text("outlet_id"), name, outlet=name, leaning=leaning, extra=extra)


@reads("adfontes_snapshot.parquet", "source", "reliability", "bias")
def _adfontes_ratings(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    extra = {"rater": "Ad Fontes", **{column: row.values[column] for column in ("bias", "reliability")}}
    name = row.text("source")
    yield source.example(f"adfontes-{row.number}", name, outlet=name, extra=extra)


@reads("events.jsonl.gz", "split", "outlets", "neutral")
def read_roundups(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the three reports of each event and the neutral round-up, which share ``pair``.

    The reports are sources, the round-up is the target. Which report comes from which side is not known.
    """
    split = row.choice("split", _ROUNDUP_SPLITS)
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
