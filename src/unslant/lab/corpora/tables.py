"""Rows of CSV, JSON lines, Parquet and Excel files, one at a time, with the row number.

Every reader streams: no file is ever held in memory as a whole. What cannot be read becomes a :class:`DataProblem` with
the file and the row, and reading goes on where it can::

    InputError
    └── CorpusError         a corpus cannot be read as it is
        └── CorpusMissing   its files cannot be found
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from unslant.core.errors import InputError, MissingExtra
from unslant.core.example import Example
from unslant.core.files import open_regular
from unslant.core.types import Span

_LONG = 300
"""The longest detail that is shown: a broken file may have a cell of a megabyte."""


class CorpusError(InputError):
    """A corpus cannot be read as it is; the message names the file and the row."""


class CorpusMissing(CorpusError):
    """The files of a corpus are not where they were looked for; the message says where to put them."""


@dataclass(frozen=True, slots=True)
class DataProblem:
    """Something in a file that could not be used; it is counted and shown, never ignored."""

    file: str
    row: int | None
    """Counted from 1, a header included where the file has one; None: the file as a whole."""
    reason: str
    """The type of problem, always in the same words; ``Dataset.skipped`` counts these."""
    detail: str = ""
    fatal: bool = False
    """Nothing after it can be read."""

    def __str__(self) -> str:
        place = self.file if self.row is None else f"{self.file}, row {self.row}"
        detail = self.detail if len(self.detail) <= _LONG else f"{self.detail[: _LONG - 1]}…"
        return f"{place}: {self.reason}" + (f" ({detail})" if detail else "")

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the JSON form."""
        return {"file": self.file, "row": self.row, "reason": self.reason, "detail": self.detail}


class RowDataset(ABC):
    """What datasets share: iterating leaves out the rows that cannot be used, or fails at the first if ``strict``."""

    def __init__(self, name: str, *, strict: bool = False) -> None:
        self.name = name
        self._strict = strict
        self._skipped: Counter[str] = Counter()

    @property
    def skipped(self) -> Mapping[str, int]:
        """What the last reading left out, counted by reason."""
        return dict(self._skipped)

    @abstractmethod
    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield the examples, and what could not be used in between."""

    def __iter__(self) -> Iterator[Example]:
        self._skipped = Counter()
        for row in self.rows():
            if isinstance(row, Example):
                yield row
            elif row.fatal or self._strict:
                raise CorpusError(f"{row}; try: unslant data verify {self.name}")
            else:
                self._skipped[row.reason] += 1


_UNDECODED = re.compile("[\udc80-\udcff]")
_BATCH = 1024

Converted = TypeVar("Converted")


class UnusableRow(ValueError):
    """A row that cannot be used: the type of problem, always in the same words, and a detail."""

    def __init__(self, reason: str, detail: object = "") -> None:
        super().__init__(reason, str(detail))


def span_in(text: str, start: int, end: int) -> Span:
    """Return a span of a text, or raise :class:`UnusableRow`."""
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
        raise UnusableRow("span outside the text", f"[{start}, {end}) in a text of {len(text)}")
    return Span(start, end)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with its file and number."""

    file: str
    number: int
    """Counted from 1, a header included where the file has one."""
    values: dict[str, Any]

    def problem(self, reason: str, detail: object = "") -> DataProblem:
        """Return a problem with this row."""
        return DataProblem(self.file, self.number, reason, str(detail))

    def text(self, column: str) -> str:
        """Return a value as text; empty where there is none."""
        value = self.values.get(column)
        return "" if value is None else str(value)

    def needed(self, column: str) -> str:
        """Return a value as text, or raise :class:`UnusableRow` where there is none."""
        text = self.text(column)
        if not text.strip():
            raise UnusableRow("empty text")
        return text

    def choice(self, column: str, known: Collection[Any]) -> Any:
        """Return a value that must be one of some, or for a mapping what it stands for there."""
        value = self.values.get(column)
        if isinstance(value, list | dict) or value not in known:
            raise UnusableRow("unknown label", value)
        return known[value] if isinstance(known, Mapping) else value


TableRows = Iterator[TableRow | DataProblem]


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The dialect of a delimited file."""

    delimiter: str = ","
    quoting: bool = True
    """False: a quotation mark is a character like any other."""


@contextmanager
def _open(path: Path) -> Iterator[io.TextIOBase]:
    # Undecodable bytes survive as lone surrogates, so that the row they stand in can be named.
    with ExitStack() as stack:
        raw = stack.enter_context(io.BufferedReader(open_regular(path)))
        # gzip closes only what it opened itself
        content = stack.enter_context(gzip.GzipFile(fileobj=raw)) if path.suffix == ".gz" else raw
        yield stack.enter_context(
            io.TextIOWrapper(content, encoding="utf-8-sig", errors="surrogateescape", newline="")
        )


def _lines(file: io.TextIOBase) -> Iterator[str]:
    """Yield the lines; one that is too long is an error, so that it does not exhaust the memory."""
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise OSError(f"a line has more than {_LONGEST_LINE:,} characters")
        yield line


_LONGEST_LINE = 16_000_000


def _guard(path: Path, rows: Callable[[], TableRows]) -> TableRows:
    """Turn the errors of a truncated file into a problem."""
    try:
        yield from rows()
    except EOFError:
        yield DataProblem(path.name, None, "truncated archive", "fetch or copy it again", fatal=True)
    except (gzip.BadGzipFile, zlib.error) as error:
        yield DataProblem(path.name, None, "damaged archive", str(error), fatal=True)
    except OSError as error:
        yield DataProblem(path.name, None, "cannot be read", error.strerror or str(error), fatal=True)


def _missing_columns(path: Path, header: Sequence[str], required: Sequence[str]) -> DataProblem | None:
    absent = [name for name in required if name not in header]
    if not absent:
        return None
    found = ", ".join(header[:12]) or "none"
    return DataProblem(path.name, 1, "wrong columns", f"no {', '.join(absent)}; it has {found}", fatal=True)


def read_csv(path: Path, required: Sequence[str] = (), dialect: CsvDialect = CsvDialect()) -> TableRows:  # noqa: B008
    """Yield the rows of a delimited file with a header."""
    yield from _guard(path, lambda: _read_csv(path, required, dialect))


def _read_csv(path: Path, required: Sequence[str], dialect: CsvDialect) -> TableRows:
    with _open(path) as file:
        reader = csv.reader(
            _lines(file),
            delimiter=dialect.delimiter,
            quoting=csv.QUOTE_MINIMAL if dialect.quoting else csv.QUOTE_NONE,
        )
        header = next(reader, [])
        if problem := _missing_columns(path, header, required):
            yield problem
            return
        number = 1
        while True:
            number += 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield DataProblem(path.name, number, "not a row", str(error))
                continue
            if not cells:
                continue
            if len(cells) != len(header):
                detail = f"{len(cells)} cells under {len(header)} columns"
                yield DataProblem(path.name, number, "wrong number of cells", detail)
            elif any(_UNDECODED.search(cell) for cell in cells):
                yield DataProblem(path.name, number, "mixed encodings", "not UTF-8; save the file as UTF-8")
            else:
                yield TableRow(path.name, number, dict(zip(header, cells, strict=True)))


def read_jsonl(path: Path, required: Sequence[str] = ()) -> TableRows:
    """Yield the objects of a file of JSON lines."""
    yield from _guard(path, lambda: _read_jsonl(path, required))


def _read_jsonl(path: Path, required: Sequence[str]) -> TableRows:
    with _open(path) as file:
        for number, line in enumerate(_lines(file), 1):
            if line.isspace():
                continue
            if _UNDECODED.search(line):
                yield DataProblem(path.name, number, "mixed encodings", "not UTF-8; save the file as UTF-8")
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield DataProblem(path.name, number, "not JSON", str(error))
                continue
            if not isinstance(value, dict):
                yield DataProblem(path.name, number, "not a JSON object")
            elif absent := [name for name in required if name not in value]:
                yield DataProblem(path.name, number, "wrong columns", f"no {', '.join(absent)}")
            else:
                yield TableRow(path.name, number, value)


def read_parquet(path: Path, required: Sequence[str] = ()) -> TableRows:
    """Yield the rows of a Parquet file, a batch in memory at a time."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise MissingExtra("reading Parquet", "pyarrow", "corpora") from error
    try:
        with open_regular(path) as raw, pyarrow.parquet.ParquetFile(raw) as file:
            if problem := _missing_columns(path, file.schema_arrow.names, required):
                yield problem
                return
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH):
                for values in batch.to_pylist():
                    number += 1
                    yield TableRow(path.name, number, values)
    except (pyarrow.ArrowInvalid, OSError) as error:
        yield DataProblem(path.name, None, "not a whole Parquet file", str(error).splitlines()[0], fatal=True)


def read_xlsx(path: Path, required: Sequence[str] = ()) -> TableRows:
    """Yield the rows of the first sheet of an Excel workbook."""
    try:
        import python_calamine as calamine
    except ModuleNotFoundError as error:
        raise MissingExtra("reading Excel workbooks", "python-calamine", "corpora") from error
    try:
        with open_regular(path) as handle, calamine.CalamineWorkbook.from_filelike(handle) as workbook:
            sheet = iter(workbook.get_sheet_by_index(0).iter_rows())
            header = [str(cell) for cell in next(sheet, [])]
            if problem := _missing_columns(path, header, required):
                yield problem
                return
            for number, cells in enumerate(sheet, 2):
                if any(cell != "" for cell in cells):
                    yield TableRow(path.name, number, dict(zip(header, cells, strict=False)))
    except (calamine.CalamineError, OSError) as error:
        yield DataProblem(
            path.name, None, "not a whole Excel workbook", str(error).splitlines()[0], fatal=True
        )


def convert_rows(
    rows: TableRows, convert: Callable[[TableRow], Iterable[Converted | DataProblem]]
) -> Iterator[Converted | DataProblem]:
    """Yield the results for each row, with problems in between; an :class:`UnusableRow` ends its row."""
    for row in rows:
        if isinstance(row, DataProblem):
            yield row
            continue
        try:
            yield from convert(row)
        except UnusableRow as error:
            yield row.problem(*error.args)


def read_rows(path: Path, required: Sequence[str] = ()) -> TableRows:
    """Yield the rows of a file in the format that its name indicates; gzip is unpacked on the way."""
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    match suffix.lower():
        case ".csv":
            return read_csv(path, required)
        case ".tsv":
            return read_csv(path, required, CsvDialect("\t"))
        case ".parquet":
            return read_parquet(path, required)
        case ".xlsx":
            return read_xlsx(path, required)
        case ".jsonl" | ".ndjson":
            return read_jsonl(path, required)
        case _:
            known = "csv, tsv, jsonl, ndjson, parquet or xlsx (csv, tsv and jsonl also with .gz)"
            detail = f"its name should end in {known}"
            return iter([DataProblem(path.name, None, "unknown format", detail, fatal=True)])
