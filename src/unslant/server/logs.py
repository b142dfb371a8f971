"""What the server tells whoever runs it: never a word of the texts."""

from __future__ import annotations

import logging
import traceback
from types import TracebackType

__all__ = ["LOGGER", "Discreet", "log_failure"]

LOGGER = logging.getLogger("unslant.server")


def log_failure(what: str, error: BaseException) -> None:
    """Log where something broke and what sort of error it was; the message might quote a text."""
    LOGGER.error("%s: %s", what, _where(type(error), error.__traceback__))


class Discreet(logging.Formatter):
    """Formats exceptions, those of other packages too, without their messages, which might quote a text."""

    def formatException(  # noqa: N802 - the name is the standard library's
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return the kind of the exception and where it came up."""
        return _where(ei[0], ei[2]) if ei[0] is not None else ""


def _where(sort: type[BaseException], trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)
    return "\n".join(
        [
            f"{sort.__name__} at:",
            *(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames),
        ]
    )
