"""Names that settings may use, resolved on first use.

A name maps to ``"module:attribute"``; the attribute is called with the spec (analyzers, segmenters, rewriters)
or without arguments (readers). A name that ends with a colon takes whatever follows as its first argument, as in
``hf:FOLDER``. Other packages add names through the entry-point groups ``unslant.analyzers``, ``unslant.rewriters``,
``unslant.segmenters`` and ``unslant.readers``; the built-in ones take the same road.
"""

from __future__ import annotations

import importlib
from functools import cache, partial
from typing import Any

from unslant.core.errors import MissingExtra, UnknownName

__all__ = ["names", "resolve"]

_BUILT_IN: dict[str, dict[str, str]] = {
    "reader": {
        "html": "unslant.text.readers.html:HtmlReader",
        "markdown": "unslant.text.readers.markdown:MarkdownReader",
        "text": "unslant.text.readers.plain:PlainReader",
        "wikitext": "unslant.text.readers.wikitext:WikitextReader",
    },
    "segmenter": {"nupunkt": "unslant.text.sentences:NupunktSegmenter"},
    "analyzer": {
        "hf:": "unslant.neural.huggingface:HuggingFaceAnalyzer",
        "llm:": "unslant.lab.probing.analyzer:LlmAnalyzer",
        "model": "unslant.neural.analyzer:ModelAnalyzer",
        "rules": "unslant.rules.analyzer:RuleAnalyzer",
    },
    "rewriter": {
        "edits": "unslant.rewrite.rewriters:EditRewriter",
        "hf:": "unslant.rewrite.rewriters:Seq2SeqRewriter",
        "llm:": "unslant.lab.probing.analyzer:LlmRewriter",
        "mlm:": "unslant.rewrite.rewriters:MaskedRewriter",
        "none": "unslant.rewrite.rewriters:NoRewriter",
        "trained:": "unslant.lab.rewriters.rewriter:FolderRewriter",
    },
}

_EXTRAS = {"torch": "train", "transformers": "train"}
"""Which extra brings a package that a built-in needs."""


@cache
def _plugins(what: str) -> dict[str, str]:
    from importlib.metadata import entry_points  # slow, and seldom needed

    return {point.name: point.value for point in entry_points(group=f"unslant.{what}s")}


def names(what: str) -> tuple[str, ...]:
    """Return every known name of a sort (``reader``, ``segmenter``, ``analyzer``, ``rewriter``), sorted."""
    return tuple(sorted({**_BUILT_IN[what], **_plugins(what)}))


def resolve(what: str, name: str) -> Any:
    """Return the attribute that a name stands for; an unknown name suggests the nearest."""
    stem, colon, argument = name.partition(":")
    target = _BUILT_IN[what].get(name) or _BUILT_IN[what].get(stem + colon) or _plugins(what).get(name)
    if target is None or name.endswith(":"):
        raise UnknownName(what, name, names(what))
    module, _, attribute = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _EXTRAS:
            raise MissingExtra(f"the {name} {what}", package, _EXTRAS[package]) from error
        raise
    return partial(found, argument) if argument else found
