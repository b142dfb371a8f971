"""Checking a text in one call."""

from __future__ import annotations

from functools import lru_cache

from unslant.core.types import Document, Report
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.reading import read

__all__ = ["check", "read"]


@lru_cache(maxsize=8)
def _pipeline(spec: Spec) -> Pipeline:
    return Pipeline(spec)


def check(text: str | Document, *, format: str = "text", spec: Spec | None = None) -> Report:  # noqa: A002
    """Check one text and return what was found.

    ``format`` names the markup (``text``, ``markdown``, ``html``, ``wikitext``); positions are into the text as given.
    A ``Document`` made by ``unslant.read`` can be given in place of the text.
    """
    document = text if isinstance(text, Document) else read(text, format)
    return next(_pipeline(spec or Spec()).check([document]))
