"""Which format a file is in, by its suffix."""

from __future__ import annotations

__all__ = ["FORMATS", "SUFFIXES", "TABLES", "format_of", "is_table"]

SUFFIXES: dict[str, str] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".mkdn": "markdown",
    ".mdx": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".wiki": "wikitext",
    ".wikitext": "wikitext",
    ".mediawiki": "wikitext",
    ".mw": "wikitext",
}
"""Every suffix that is read without being told the format, in lower case."""

FORMATS: tuple[str, ...] = tuple(sorted(set(SUFFIXES.values())))
"""The formats that have a suffix."""

TABLES: dict[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
"""The suffixes of tables, which are scored row by row instead of being read as prose."""


def is_table(path: str) -> bool:
    """Return whether a path's suffix names a table, packed with gzip or not."""
    name = path.lower().removesuffix(".gz")
    return name[name.rfind(".") :] in TABLES if "." in name else False


def format_of(path: str) -> str | None:
    """Return the format that a path's suffix names, or None; capitals do not matter."""
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return SUFFIXES.get(dot + suffix.lower()) if stem else None
