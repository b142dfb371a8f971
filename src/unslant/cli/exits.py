"""The exit codes."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of every command."""

    CLEAN = 0
    """Success; no finding at or above ``--fail-on``."""
    FINDINGS = 1
    """At least one finding at or above ``--fail-on``."""
    USAGE = 2
    """An option, a configuration file or an input cannot be used; everything else was done."""
    INTERRUPTED = 3
    """The user interrupted the run; what was found until then is shown."""
    INTERNAL = 4
    """An internal error."""
