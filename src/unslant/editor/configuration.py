"""The settings of a document: those of ``unslant check`` for its file, overridden by the editor's settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from unslant.config import Settings, SettingsCache
from unslant.core.errors import ConfigError
from unslant.editor.documents import OpenDocument
from unslant.text.formats import format_of

__all__ = ["Configuration", "OpenSettings", "editor_options", "format_for", "is_excluded"]

OpenSettings = Callable[[Mapping[str, object]], SettingsCache]
"""Returns the settings of all folders, overridden by the editor's settings."""

_LANGUAGES = {
    **dict.fromkeys(("markdown", "mdx"), "markdown"),
    **dict.fromkeys(("html", "xhtml"), "html"),
    **dict.fromkeys(("wikitext", "mediawiki"), "wikitext"),
    **dict.fromkeys(("restructuredtext", "rst"), "rst"),
    **{name: name for name in ("asciidoc", "latex", "org")},
}
"""The formats by the editor's language id; all others are plain text."""


class Configuration:
    """The settings of documents, read on first use and again after ``reload``."""

    def __init__(self, open_settings: OpenSettings) -> None:
        self.generation = 0
        """The number of reloads; earlier results are outdated."""
        self._open_settings = open_settings
        self._options: object = {}
        self._cache: SettingsCache | None = None

    def reload(self, options: object = None) -> None:
        """Discard all settings; ``options`` replace those of the editor unless None."""
        self._options = self._options if options is None else options
        self._cache = None
        self.generation += 1

    def settings(self, document: OpenDocument) -> Settings:
        """Return the settings of a document, or raise ``ConfigError``."""
        if self._cache is None:
            if not isinstance(self._options, Mapping):
                raise ConfigError("the editor's settings for unslant must be a table of keys and values")
            self._cache = self._open_settings(self._options)
        return self._cache.for_path(document.path or Path.cwd())


def format_for(document: OpenDocument, settings: Settings) -> str:
    """Return the format of a document, as in ``check``, or by its language id if the suffix is unknown."""
    known = _LANGUAGES.get(document.language, "text")
    if document.path is None:
        return known
    return settings.format_for(document.path) or format_of(str(document.path)) or known


def is_excluded(path: Path, settings: Settings) -> bool:
    """Return whether ``exclude`` matches a file or a folder above it."""
    if not settings.exclude:
        return False
    from unslant.workspace.walk import ignores_from_patterns

    root = Path(os.path.realpath(settings.root))
    real = Path(os.path.realpath(path))
    patterns = ignores_from_patterns(settings.exclude, str(root))
    if patterns is None or not real.is_relative_to(root):
        return False
    above = [folder for folder in real.parents if folder != root and folder.is_relative_to(root)]
    return any(patterns.ignores(str(folder), True) for folder in above) or patterns.ignores(str(real), False)


def editor_options(sent: object) -> object:
    """Return the settings that an editor sends: those under ``unslant``, or all of them."""
    if isinstance(sent, Mapping) and "unslant" in sent:
        return sent["unslant"]
    return sent
