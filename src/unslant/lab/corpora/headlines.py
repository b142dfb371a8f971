"""Headlines with their outlet and its leaning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import csv_rows

__all__ = ["rows", "strip_outlet"]

_LEANINGS = ("left", "center", "right")
_TAIL = re.compile(r"^(?P<title>.+?)\s+[|\-\u2013\u2014:]\s+(?P<tail>[^|\u2013\u2014]{2,40})$")
_NOT_LETTERS = re.compile(r"[^a-z0-9]+")


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per headline, without the outlet's name at its end; the title as it was is in ``extra``."""
    for row in csv_rows(
        source.path("headlines.csv.gz"), ("title", "outlet", "leaning", "date", "origin", "id")
    ):
        if isinstance(row, Problem):
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
            outlet=row.text("outlet") or None,
            leaning=row.text("leaning"),
            page=row.text("id") or None,
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
