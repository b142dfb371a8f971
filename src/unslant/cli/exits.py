"""How a command ends."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """The exit codes, the same for every command."""

    CLEAN = 0
    """All went well and nothing was found that ``--fail-on`` minds."""
    FINDINGS = 1
    """Something was found at or above ``--fail-on``."""
    USAGE = 2
    """An option, a configuration or an input cannot be used; everything else was done."""
    INTERRUPTED = 3
    """The user stopped it; what was done until then was shown."""
    INTERNAL = 4
    """A bug in unslant."""
