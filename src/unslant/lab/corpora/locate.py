"""Where the files of a corpus are looked for."""

from __future__ import annotations

import os
from pathlib import Path

from unslant.lab.corpora.catalogue import Card
from unslant.lab.corpora.problems import CorpusMissing

__all__ = ["cache_folder", "find", "roots"]


def cache_folder() -> Path:
    """Return the folder of the user's cache that holds corpora."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("unslant")) / "data"


def roots(data: str | Path | None = None) -> tuple[Path, ...]:
    """Return the folders to look in: the one that was named; else ``UNSLANT_DATA``, then the user's cache."""
    if data is not None:
        return (Path(data),)
    named = os.environ.get("UNSLANT_DATA")
    return (*((Path(named),) if named else ()), cache_folder())


def find(card: Card, data: str | Path | None = None) -> Path:
    """Return the folder that holds the corpus, or say where to put it."""
    from importlib import import_module

    needed = getattr(import_module(f"unslant.lab.corpora.{card.module}"), "complete", _complete)
    for root in roots(data):
        if needed(card, root / card.folder):
            return root / card.folder
    looked = roots(data)
    for root in looked:
        folder = root / card.folder
        if folder.is_dir():
            absent = [file.name for file in card.required() if not (folder / file.name).is_file()]
            raise CorpusMissing(
                f"{card.name}: {folder} lacks {', '.join(absent)}; try: unslant data get {card.name}"
            )
    wanted = ", ".join(file.name for file in card.required())
    raise CorpusMissing(
        f"{card.name} is not in {' or '.join(str(root) for root in looked)}; "
        f"try: unslant data get {card.name}, or put {wanted} into {looked[0] / card.folder}"
    )


def _complete(card: Card, folder: Path) -> bool:
    return all((folder / file.name).is_file() for file in card.required())
