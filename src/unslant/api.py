"""Checking or fixing a text in one call."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from unslant.core.types import Document, Report
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.validation import check_spec, check_text

if TYPE_CHECKING:
    from unslant.edits.fixer import Fixer
    from unslant.edits.result import Fixed


def _document(text: str | Document, format_name: str) -> Document:
    check_text(text)
    return text if isinstance(text, Document) else read(text, format_name)


def _validate(spec: Spec | None) -> Spec:
    if spec is None:
        return Spec()
    check_spec(spec)
    return spec


@lru_cache(maxsize=8)
def _pipeline(spec: Spec) -> Pipeline:
    return Pipeline(spec)


def check(text: str | Document, *, format: str = "text", spec: Spec | None = None) -> Report:  # noqa: A002
    """Check one text and return what was found.

    ``format`` names the markup (``text``, ``markdown``, ``html``, ``wikitext``); positions are into the text as given.
    A ``Document`` made by ``unslant.read`` can be given in place of the text.
    """
    document = _document(text, format)
    return next(_pipeline(_validate(spec)).check([document]))


@lru_cache(maxsize=4)
def _fixer(spec: Spec, unsafe: bool) -> Fixer:
    from unslant.edits.fixer import Fixer  # checking does not pay for it

    return Fixer(spec, unsafe=unsafe)


def fix(
    text: str | Document,
    *,
    format: str = "text",  # noqa: A002
    unsafe: bool = False,
    spec: Spec | None = None,
) -> Fixed:
    """Fix one text: ``.text`` is what comes out, ``.edits`` say how it came about.

    Only edits of classes with a record of being right are made; with ``unsafe`` also those that need review.
    """
    document = _document(text, format)
    return next(_fixer(_validate(spec), unsafe).fix([document]))
