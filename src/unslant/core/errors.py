"""Every error that unslant raises on purpose.

::

    UnslantError
    ├── AlignmentError      a position that does not fit its text: a bug in a component
    ├── UnknownName         a name nobody registered
    ├── MissingExtra        an optional package that is not installed
    └── InputError          something the user gave us cannot be used
        ├── ConfigError     a configuration file or option
        ├── ModelError      a model's folder
        ├── RuleError       a rule file
        └── SourceError     a file or text to be checked

``InputError`` is for people: its message is one sentence that names the file and says what to do. A command prints
it and goes on with the rest.
"""

from __future__ import annotations

from collections.abc import Iterable


class UnslantError(Exception):
    """The root of all errors raised on purpose."""


class AlignmentError(UnslantError):
    """A position does not fit the text it points into."""


class InputError(UnslantError):
    """Something the user gave us cannot be used; the message is one sentence for a person."""


class ConfigError(InputError):
    """A configuration file or a command-line option cannot be used."""


class ModelError(InputError):
    """A model's folder is missing, damaged or of another form."""


class RuleError(InputError):
    """A rule file cannot be used."""


class SourceError(InputError):
    """A file or text cannot be checked."""


class UnknownName(UnslantError):
    """A name that nobody registered; the message offers the nearest one."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        close = nearest(name, known)
        hint = f" Did you mean {close!r}?" if close else ""
        super().__init__(f"no {what} named {name!r}.{hint}")


class MissingExtra(UnslantError):
    """An optional package is not installed; the message names the extra that brings it."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        from unslant.core.installing import install_command

        super().__init__(f"{feature} needs {package!r}; try: {install_command(extra)}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, or None if none is alike."""
    import difflib

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
