"""Files that are either the old one or the new one, whole, whatever happens in between."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["write"]


def write(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file in one step; a reader never sees half of it, and a failure leaves the old one as it was.

    ``mode`` are the permissions, less what the user's mask takes away. A link stays a link.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{os.getpid():x}{os.urandom(4).hex()}.tmp")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(data)
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
