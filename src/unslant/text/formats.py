"""Which format a file is in, by its suffix."""

from __future__ import annotations

SUFFIXES: dict[str, str] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".mkdn": "markdown",
    ".mdx": "mdx",
    ".qmd": "quarto",
    ".rmd": "quarto",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".wiki": "wikitext",
    ".wikitext": "wikitext",
    ".mediawiki": "wikitext",
    ".mw": "wikitext",
    ".rst": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".tex": "latex",
    ".org": "org",
    ".typ": "typst",
    ".dbk": "docbook",
    ".docbook": "docbook",
    ".dita": "dita",
    ".ipynb": "notebook",
    ".eml": "email",
    ".srt": "subtitles",
    ".vtt": "subtitles",
    ".docx": "paragraphs",
    ".odt": "paragraphs",
}
"""The format of every suffix that is recognised by itself, in lower case."""

CODE_SUFFIXES: dict[str, str] = {
    **dict.fromkeys((".py", ".pyi"), "code-python"),
    **dict.fromkeys(
        ".c .h .cc .cpp .hpp .cs .go .java .js .jsx .kt .mjs .php .rs .scala .swift .ts .tsx".split(),
        "code-c",
    ),
    **dict.fromkeys(".sh .bash .zsh .rb .pl .r .yaml .yml .toml .ini .cfg .tf".split(), "code-hash"),
}
"""Source files, of which the comments and docstrings are read with ``--code``."""

NAMES: dict[str, str] = {
    f"{name}.{suffix}": "openapi" for name in ("openapi", "swagger") for suffix in ("yaml", "yml", "json")
}
"""The format of files that are known by their whole name, in lower case: ``openapi.yaml``, ``v2.openapi.yaml``."""

FORMATS: tuple[str, ...] = tuple(sorted({*SUFFIXES.values(), *NAMES.values(), *CODE_SUFFIXES.values()}))
"""The formats that have a suffix or a name."""

CHECK_ONLY: dict[str, str] = {
    "notebook": "a notebook",
    "openapi": "an OpenAPI description",
}
"""Formats that are not written back, because the text is only a part of the file; each with what a file is called."""

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


def full_name(name: str) -> str:
    """Return the last two parts of a file's name, in lower case, by which ``NAMES`` knows it."""
    return ".".join(name.lower().rsplit(".", 2)[-2:])


def format_of(path: str, code: bool = False) -> str | None:
    """Return the format that a path's suffix or name tells, or None; capitals do not matter.

    Source files have a format only if ``code`` asks for their comments.
    """
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not stem:
        return None
    found = NAMES.get(full_name(name)) or SUFFIXES.get(dot + suffix.lower())
    return CODE_SUFFIXES.get(dot + suffix.lower()) if found is None and code else found
