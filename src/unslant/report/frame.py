"""The frame of every HTML report: no script, nothing loaded from elsewhere, one family of style sheets."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files

__all__ = ["html_head", "stylesheet"]

_THEME = ("unslant.report", "theme.css")
"""Colours and type, the same as those of the page that the server serves."""


@cache
def stylesheet(package: str = _THEME[0], name: str = _THEME[1]) -> str:
    """Return a style sheet of a package; by default the theme that all share."""
    return files(package).joinpath(name).read_text("utf-8")


def html_head(title: str, *sheets: tuple[str, str]) -> str:
    """Return everything up to the body: the theme, and these style sheets by package and name."""
    style = "\n".join(stylesheet(*sheet) for sheet in (_THEME, *sheets))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
