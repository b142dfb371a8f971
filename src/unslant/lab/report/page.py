"""A page of results in the family of all HTML reports: no script, nothing loaded."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from unslant.report.frame import html_head
from unslant.version import VERSION

__all__ = ["html_figure", "html_page"]


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
