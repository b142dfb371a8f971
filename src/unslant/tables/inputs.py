"""From command-line arguments to tables: files, folders, globs, and datasets that Hugging Face has saved to disk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from unslant.core.errors import InputError, SourceError
from unslant.core.files import quote_name, read_bytes
from unslant.text.formats import TABLES, is_table
from unslant.workspace.discover import Failure, Found, discover

__all__ = ["find_tables", "parts_folder"]

_STATE = "state.json"
_LONGEST_STATE = 10_000_000


def parts_folder(output: Path) -> Path:
    """Return the folder of finished parts, beside the output."""
    return output.with_name(f"{output.name}.parts")


def find_tables(arguments: Iterable[str], output: Path) -> tuple[Path, ...]:
    """Return the tables that the arguments name, in order; a run with a missing one would give half of the rows.

    What an earlier run wrote to the output, or left beside it, is no input, even if it lies in a folder that is named.
    ``.gitignore`` is not read: data are often kept out of a repository.
    """
    parts = parts_folder(output).resolve()
    ours = {output.resolve(), output.with_name(f".{output.name}.tmp").resolve()}
    tables: list[Path] = []
    for found in discover(arguments, {*TABLES, ".gz"}, gitignore=False):
        if isinstance(found, Failure):
            raise SourceError(found.message)
        if found.path is None:
            raise InputError("a table cannot be read from standard input; save it to a file first")
        place = found.path.resolve()
        if found.explicit or (place not in ours and parts not in place.parents and _belongs(found)):
            tables.append(found.path)
    if not tables:
        listed = " ".join(quote_name(argument) for argument in arguments)
        raise SourceError(f"no table in {listed}; known suffixes are {', '.join(sorted(TABLES))}")
    return tuple(tables)


def _belongs(found: Found) -> bool:
    """Say whether a file that a search found is a table of its folder.

    Beside the data of a saved dataset lie caches, with the same suffix, that ``state.json`` does not list.
    """
    assert found.path is not None  # noqa: S101 - the caller has looked
    if found.path.suffix.lower() != ".arrow":
        return is_table(found.path.name)
    listed = _data_files(found.path.parent)
    return listed is None or found.path.name in listed


@cache
def _data_files(folder: Path) -> frozenset[str] | None:
    """Return the files of a dataset that ``save_to_disk`` has written; None if the folder holds no such dataset."""
    state = folder / _STATE
    if not state.is_file():
        return None
    try:
        files = json.loads(read_bytes(state, SourceError, max_bytes=_LONGEST_STATE))["_data_files"]
        return frozenset(str(file["filename"]) for file in files)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None  # of another tool
