"""The registry of readers, segmenters, analyzers and rewriters: names that settings use, imported on first use.

A name maps to ``"module:attribute"``. Analyzers, segmenters and rewriters are called with the spec, readers without
arguments. A name that ends with a colon takes what follows as its first argument, as in ``hf:FOLDER``. Other packages
add names through the entry-point groups ``unslant.analyzers``, ``unslant.rewriters``, ``unslant.segmenters`` and
``unslant.readers``. Names of the lab's modules stand here as text, because the linter must not import the lab.
"""

from __future__ import annotations

import importlib
from functools import cache, partial
from typing import Any, NamedTuple

from unslant.core.errors import MissingExtra, UnknownName

_BUILT_IN: dict[str, dict[str, str]] = {
    "reader": {
        "asciidoc": "unslant.text.readers.asciidoc:AsciiDocReader",
        "code-c": "unslant.text.readers.code:CodeReader",
        "code-hash": "unslant.text.readers.code:HashCodeReader",
        "code-python": "unslant.text.readers.code:PythonReader",
        "dita": "unslant.text.readers.xml:XmlReader",
        "docbook": "unslant.text.readers.xml:XmlReader",
        "email": "unslant.text.readers.email:EmailReader",
        "html": "unslant.text.readers.html:HtmlReader",
        "latex": "unslant.text.readers.latex:LatexReader",
        "markdown": "unslant.text.readers.markdown:MarkdownReader",
        "mdx": "unslant.text.readers.mdx:MdxReader",
        "notebook": "unslant.text.readers.notebook:NotebookReader",
        "openapi": "unslant.text.readers.openapi:OpenApiReader",
        "org": "unslant.text.readers.org:OrgReader",
        "paragraphs": "unslant.text.readers.plain:ParagraphReader",
        "quarto": "unslant.text.readers.quarto:QuartoReader",
        "rst": "unslant.text.readers.rst:RstReader",
        "subtitles": "unslant.text.readers.subtitles:SubtitleReader",
        "text": "unslant.text.readers.plain:PlainReader",
        "typst": "unslant.text.readers.typst:TypstReader",
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
        "hf:": "unslant.rewriter.pretrained:Seq2SeqRewriter",
        "llm:": "unslant.lab.rewriters.language_model:LanguageModelRewriter",
        "mlm:": "unslant.rewriter.pretrained:MaskedRewriter",
        "none": "unslant.rewriter.pretrained:NoRewriter",
        "trained:": "unslant.lab.rewriters.rewriter:FolderRewriter",
        "unslant": "unslant.rewriter.network:ShippedRewriter",
    },
}

KINDS = tuple(_BUILT_IN)
"""The kinds of components."""

_EXTRAS = {"torch": "train", "transformers": "train"}
"""The extra that installs each package that a built-in needs."""


@cache
def _plugins(kind: str) -> dict[str, str]:
    return {plugin.name: plugin.target for plugin in plugins(kind)}


class Plugin(NamedTuple):
    """A name that another package adds."""

    name: str
    target: str
    """Its module and attribute."""
    package: str
    """The package and its version."""


def plugins(kind: str) -> tuple[Plugin, ...]:
    """Return the names that other packages add to a kind; none of them is imported."""
    from importlib.metadata import entry_points  # slow, and seldom needed

    return tuple(
        Plugin(
            point.name, point.value, f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
        )
        for point in entry_points(group=f"unslant.{kind}s")
    )


def built_in(kind: str) -> tuple[str, ...]:
    """Return the names of a kind that come with unslant, sorted."""
    return tuple(sorted(_BUILT_IN[kind]))


def names(kind: str) -> tuple[str, ...]:
    """Return all names of a kind (``reader``, ``segmenter``, ``analyzer`` or ``rewriter``), sorted."""
    return tuple(sorted({**_BUILT_IN[kind], **_plugins(kind)}))


def resolve(kind: str, name: str) -> Any:
    """Return the attribute that a name stands for; the error for an unknown name suggests the nearest one."""
    stem, colon, argument = name.partition(":")
    target = _BUILT_IN[kind].get(name) or _BUILT_IN[kind].get(stem + colon) or _plugins(kind).get(name)
    if target is None or name.endswith(":"):
        raise UnknownName(kind, name, names(kind))
    module, _, attribute = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _EXTRAS:
            raise MissingExtra(f"the {name} {kind}", package, _EXTRAS[package]) from error
        raise
    return partial(found, argument) if argument else found
