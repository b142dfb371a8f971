"""Finding programs that unslant runs: only where the user's path says, never in the current folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_program(name: str) -> str | None:
    """Return the absolute path of a program, or None.

    Parts of the path that are relative to the current folder are ignored, because that folder may be hostile; Windows
    looks there even unasked.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))
    return found if found is not None and Path(found).is_absolute() else None
