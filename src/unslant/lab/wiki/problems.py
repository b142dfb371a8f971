"""What can be wrong with a dump; each is named, counted, and the rest goes on.

::

    InputError
    └── HarvestError        a dump, or the place to write to, cannot be used
        └── DumpError       one part cannot be read, or not to its end
"""

from __future__ import annotations

from unslant.core.errors import InputError

__all__ = ["PASSING", "DumpError", "HarvestError"]

PASSING = frozenset({"no 7z tool", "unreadable"})
"""Reasons that lie around the file, not in it: another run may do better."""


class HarvestError(InputError):
    """A dump, or the place to write to, cannot be used; the message names it."""


class DumpError(HarvestError):
    """A part cannot be read, or not to its end; ``reason`` is the same word for the same sort of damage."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[DumpError], tuple[str, str]]:
        """Cross to another process whole."""
        return DumpError, (self.reason, str(self))
