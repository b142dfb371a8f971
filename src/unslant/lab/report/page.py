"""A page that needs nothing else: no script, nothing loaded, one stylesheet."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files

from unslant.version import VERSION

__all__ = ["html_figure", "html_page"]


def html_page(title: str, body: Iterable[str], *, intro: str = "") -> str:
    """Return a page. Title and intro are escaped here; the parts of the body must be escaped already."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f'<header><h1>{escape(title)}</h1>\n<p class="soft">{escape(intro)}</p></header>\n<main>\n'
        + "".join(body)
        + f"</main>\n<footer><p>Made by unslant {escape(VERSION)}.</p></footer>\n</body>\n</html>\n"
    )


def html_figure(drawing: str, caption: str) -> str:
    """Return a drawing with its caption, which is escaped."""
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>\n"


@cache
def _style() -> str:
    return files("unslant.lab.report").joinpath("page.css").read_text("utf-8")
