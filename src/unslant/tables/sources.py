"""Reading tables row by row: CSV, TSV, JSON lines, Parquet and Arrow, in memory that does not depend on their size.

A row that cannot be read is a row with an error, so that every row of the input is accounted for.

Tables are files, folders, globs, and datasets that Hugging Face has saved to disk.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO

from unslant.core.errors import InputError, MissingExtra, SourceError, nearest
from unslant.core.files import explain, open_regular, quote_name, read_bytes
from unslant.text.formats import TABLES, is_table
from unslant.workspace.discover import Failure, Found, discover

_LONGEST_CELL = 10_000_000
"""Longer cells are errors: a quotation mark that is never closed would otherwise swallow the rest of the table."""
_BATCH = 1_000
_LARGEST_ID = 2**63
"""Larger numbers do not fit into a column of Parquet, and are kept as text."""


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns to read."""

    text: str
    id: str | None = None
    id_option: str = "--id"
    """The option that names the second column, for messages."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    file: str
    number: int
    """Counted from 1, without the header."""
    text: str = ""
    id: str | int | None = None
    """As the table has it: a number stays a number, so that the output can be joined on it."""
    error: str | None = None
    """Why the row cannot be scored."""


def check_columns(path: Path, columns: TableColumns) -> None:
    """Raise ``SourceError`` if the table cannot be opened or has no such column; only its beginning is read."""
    for _ in read_rows(path, columns):
        return


def read_rows(
    path: Path, columns: TableColumns, progress: Callable[[int], None] | None = None
) -> Iterator[Row]:
    """Yield the rows of a table, in order; ``progress`` is called with the number of bytes read so far."""
    kind = _kind(path)
    read: dict[str, Callable[..., Iterator[Row]]] = {
        "csv": partial(_read_delimited, delimiter=","),
        "tsv": partial(_read_delimited, delimiter="\t"),
        "jsonl": _json_rows,
        "parquet": _parquet_rows,
        "arrow": _arrow_rows,
    }
    try:
        yield from read[kind](path, columns, progress or (lambda _: None))
    except OSError as error:
        raise SourceError(explain(path, error)) from error


def _kind(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    suffix = "." + name.rpartition(".")[2]
    if suffix not in TABLES:
        known = ", ".join(sorted(TABLES))
        raise SourceError(f"{quote_name(path)} is not a table that can be read; known suffixes are {known}")
    return TABLES[suffix]


@contextmanager
def _open(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file: what to read, and the file itself, whose position says how much has been read."""
    with io.BufferedReader(open_regular(path)) as raw:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield io.BufferedReader(unpacked), raw
        else:
            yield raw, raw


def _read_delimited(
    path: Path, columns: TableColumns, progress: Callable[[int], None], delimiter: str
) -> Iterator[Row]:
    csv.field_size_limit(_LONGEST_CELL)
    with _open(path) as (stream, raw):
        # bytes that are not text become lone surrogates, which make their row an error
        text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
        reader = csv.reader(text, delimiter=delimiter)
        header = next(reader, None)
        if header is None:
            raise SourceError(f"{quote_name(path)} is empty; a table begins with a line of column names")
        places = {name: place for place, name in enumerate(header)}
        _require(path, columns, places)
        number = 0
        while True:
            number += 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Row(path.as_posix(), number, error=f"cannot be read as CSV: {error}")
                continue
            if not cells:  # a blank line is not a row
                number -= 1
                continue
            progress(raw.tell())
            yield _cells_row(path, number, cells, header, columns)


def _cells_row(path: Path, number: int, cells: list[str], header: list[str], columns: TableColumns) -> Row:
    known = dict(zip(header, cells, strict=False))
    identifier = known.get(columns.id) if columns.id else None
    if len(cells) != len(header):
        message = f"has {len(cells)} cells, not {len(header)}"
        return Row(path.as_posix(), number, id=_clean(identifier), error=message)
    return _row(path, number, known[columns.text], identifier)


def _json_rows(path: Path, columns: TableColumns, progress: Callable[[int], None]) -> Iterator[Row]:
    with _open(path) as (stream, raw):
        number = 0
        for line in stream:
            if not line.strip():
                continue
            number += 1
            progress(raw.tell())
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                reason = (
                    "is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else "is not valid JSON"
                )
                yield Row(path.as_posix(), number, error=reason)
                continue
            if not isinstance(record, dict):
                yield Row(path.as_posix(), number, error="is not a JSON object")
                continue
            if number == 1:
                _require(path, columns, record)
            yield _record_row(path, number, record, columns)


def _parquet_rows(path: Path, columns: TableColumns, progress: Callable[[int], None]) -> Iterator[Row]:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as table:
            _require(path, columns, dict.fromkeys(table.schema_arrow.names))
            wanted = [name for name in (columns.text, columns.id) if name]
            batches = table.iter_batches(batch_size=_BATCH, columns=wanted)
            yield from _batch_rows(path, batches, columns, progress, table.metadata.num_rows)
    except pyarrow.ArrowException as error:
        raise SourceError(f"{quote_name(path)} cannot be read as Parquet: {error}") from error


def _arrow_rows(path: Path, columns: TableColumns, progress: Callable[[int], None]) -> Iterator[Row]:
    """Read Arrow files, the form in which Hugging Face datasets are saved."""
    pyarrow = _pyarrow()
    try:
        with pyarrow.memory_map(str(path)) as stream:
            try:
                batches = pyarrow.ipc.open_stream(stream)
            except pyarrow.ArrowInvalid:
                file = pyarrow.ipc.open_file(stream)
                batches = (file.get_batch(number) for number in range(file.num_record_batches))
                _require(path, columns, dict.fromkeys(file.schema.names))
            else:
                _require(path, columns, dict.fromkeys(batches.schema.names))
            yield from _batch_rows(path, batches, columns, lambda _: progress(stream.tell()), 1)
    except pyarrow.ArrowException as error:
        raise SourceError(f"{quote_name(path)} cannot be read as Arrow: {error}") from error


def _batch_rows(
    path: Path, batches: Any, columns: TableColumns, progress: Callable[[int], None], total: int
) -> Iterator[Row]:
    size = path.stat().st_size
    number = 0
    for batch in batches:
        texts = batch.column(columns.text)
        ids = batch.column(columns.id) if columns.id else None
        for place in range(batch.num_rows):
            number += 1
            record = {columns.text: texts[place].as_py()}
            if ids is not None and columns.id is not None:
                record[columns.id] = ids[place].as_py()
            yield _record_row(path, number, record, columns)
        progress(size * number // max(total, 1))


def _record_row(path: Path, number: int, record: Mapping[str, Any], columns: TableColumns) -> Row:
    identifier = record.get(columns.id) if columns.id else None
    if columns.text not in record:
        message = f"has no field {columns.text!r}"
        return Row(path.as_posix(), number, id=_clean(identifier), error=message)
    return _row(path, number, record[columns.text], identifier)


def _row(path: Path, number: int, text: object, identifier: object) -> Row:
    name = _clean(identifier)
    if not isinstance(text, str):
        what = "is missing" if text is None else f"is {type(text).__name__}, not text"
        return Row(path.as_posix(), number, id=name, error=f"the text {what}")
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return Row(path.as_posix(), number, id=name, error="the text is not valid UTF-8")
    return Row(path.as_posix(), number, text, name)


def _clean(identifier: object) -> str | int | None:
    if identifier is None or (type(identifier) is int and abs(identifier) < _LARGEST_ID):
        return identifier
    return str(identifier).encode("utf-8", "replace").decode()


def _require(path: Path, columns: TableColumns, known: Mapping[str, object]) -> None:
    for option, name in (("--column", columns.text), (columns.id_option, columns.id)):
        if name is None or name in known:
            continue
        close = nearest(name, known)
        listed = ", ".join(repr(column) for column in list(known)[:20])
        hint = f"did you mean {close!r}?" if close else f"{option} names one of: {listed}"
        raise SourceError(f"{quote_name(path)} has no column {name!r}; {hint}")


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise MissingExtra("reading Parquet and Arrow tables", "pyarrow", "tables") from error
    return pyarrow


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
    """Return whether a file that a search found is a table of its folder.

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
