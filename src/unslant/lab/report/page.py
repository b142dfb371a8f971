"""HTML pages of results, in the style of all reports; they have no scripts and load nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from unslant.report.html import html_filters, html_head
from unslant.version import VERSION

PARTS = 6
"""How many parts of a page the style sheet can show and hide."""


def html_page(title: str, body: Iterable[str], *, intro: str = "") -> str:
    """Return a page. Title and intro are escaped here; the parts of the body must be escaped already."""
    return (
        html_head(title, ("unslant.lab.report", "page.css"))
        + f'<header><h1>{escape(title)}</h1>\n<p class="soft">{escape(intro)}</p></header>\n<main>\n'
        + "".join(body)
        + f"</main>\n<footer><p>Made by unslant {escape(VERSION)}.</p></footer>\n</body>\n</html>\n"
    )


def html_figure(drawing: str, caption: str) -> str:
    """Return a drawing with its caption, which is escaped."""
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>\n"


def html_fold(summary: str, parts: Iterable[str]) -> str:
    """Return a collapsed section that a reader can open; the summary is escaped here."""
    return f"<details><summary>{escape(summary)}</summary>\n{''.join(parts)}</details>\n"


def html_switches(titles: Sequence[str]) -> str:
    """Return switches for the parts of a page: each shows and hides what has the class ``part-1``, ``part-2``, ….

    A row of a table is hidden by the class of one of its cells.
    """
    return html_filters({f"part-{number}": title for number, title in enumerate(titles[:PARTS], 1)})
