"""Checking many texts in one call, and what was found as a data frame."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from functools import partial
from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, overload

from unslant.core.errors import ConfigError, InputError, MissingExtra, SourceError
from unslant.core.types import Document, Report
from unslant.parallel import Engine, Work, in_order, run
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.tables.scoring import columns, finding_records, report_record
from unslant.tables.sources import Row
from unslant.text.reading import read
from unslant.validation import check_spec, check_text

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_CHUNK = 64
"""Texts that a process gets at once."""
_SHOWN = 20
"""Texts that a notebook shows of many."""


class Reports(Sequence[Report]):
    """The reports of some texts, in their order."""

    def __init__(self, reports: Iterable[Report], index: Any = None) -> None:
        self._reports = tuple(reports)
        self._index = index

    def __len__(self) -> int:
        return len(self._reports)

    @overload
    def __getitem__(self, at: int) -> Report: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Report, ...]: ...

    def __getitem__(self, at: int | slice) -> Report | tuple[Report, ...]:
        return self._reports[at]

    def to_records(self, findings: bool = False) -> list[dict[str, Any]]:
        """Return one record per text, or one per finding; the columns are those of ``unslant score``."""
        records: list[dict[str, Any]] = []
        for number, report in enumerate(self._reports):
            row = Row("", number)
            records.extend(finding_records(row, report) if findings else [report_record(row, report)])
        for record in records:
            del record["file"], record["error"]
        return records

    def to_frame(self, findings: bool = False) -> pandas.DataFrame:
        """Return the same as a pandas data frame; one row per text keeps the index of a pandas column."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingExtra("to_frame()", "pandas", "pandas") from error
        index = None if findings else self._index
        return pandas.DataFrame(self.to_records(findings), columns=list(_column_types(findings)), index=index)

    def to_arrow(self, findings: bool = False) -> pyarrow.Table:
        """Return the same as an Arrow table, with the column types of ``unslant score``."""
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise MissingExtra("to_arrow()", "pyarrow", "tables") from error
        types = {"str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64()}
        schema = pyarrow.schema([(name, types[kind]) for name, kind in _column_types(findings).items()])
        return pyarrow.Table.from_pylist(self.to_records(findings), schema)

    def to_polars(self, findings: bool = False) -> polars.DataFrame:
        """Return the same as a polars data frame."""
        try:
            import polars
        except ModuleNotFoundError as error:
            raise InputError("to_polars() needs 'polars'; try: pip install polars") from error
        types = {"str": polars.String, "int": polars.Int64, "float": polars.Float64}
        schema = {name: types[kind] for name, kind in _column_types(findings).items()}
        return polars.DataFrame(self.to_records(findings), schema=schema, orient="row")

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the first texts, with the words that are reported marked."""
        rows = "".join(
            f"<tr><td>{number}</td><td>{'' if record['probability'] is None else format(record['probability'], '.2f')}"
            f"</td><td>{escape(record['verdict'] or '')}</td><td>{record['findings']}</td>"
            f"<td style='text-align:left'>{report._repr_html_()}</td></tr>"
            for number, (report, record) in enumerate(
                zip(self._reports[:_SHOWN], Reports(self._reports[:_SHOWN]).to_records(), strict=True)
            )
        )
        left = len(self) - _SHOWN
        more = f"<p>and {left:,} more texts</p>" if left > 0 else ""
        head = "".join(f"<th>{name}</th>" for name in ("", "probability", "verdict", "findings", "text"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _column_types(findings: bool) -> dict[str, str]:
    """Return the columns of the records, with their types; texts from Python have no file and no errors."""
    return {name: kind for name, kind in columns(findings).items() if name not in ("file", "id", "error")}


def check_many(
    texts: Iterable[Any],
    *,
    format: str = "text",  # noqa: A002
    spec: Spec | None = None,
    n_jobs: int = 1,
    progress: bool | Callable[[int], None] = False,
) -> Reports:
    """Check many texts and return their reports, in order.

    ``texts`` is a list, an iterator, or a column of pandas, polars or Arrow. A value that is not a text is an error,
    because the reports would otherwise no longer line up with the texts. ``n_jobs`` is the number of processes; the
    reports are the same. ``progress`` writes a counter to standard error, or is called with the number of texts done.
    """
    _check_texts(texts)
    spec = spec or Spec()
    check_spec(spec)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise ConfigError(f"n_jobs must be a number of processes from 1 on, not {n_jobs!r}")
    documents = _documents(texts, format)
    reports = Pipeline(spec).check(documents) if n_jobs == 1 else _in_processes(spec, documents, n_jobs)
    if progress:
        total = len(texts) if isinstance(texts, Sized) else None
        reports = _count(reports, _counter(total) if progress is True else progress)
    return Reports(reports, getattr(texts, "index", None) if hasattr(texts, "iloc") else None)


def _check_texts(texts: object) -> None:
    """Raise ``SourceError`` for what can be iterated over but does not give one text after another."""
    kind = type(texts).__name__
    named = getattr(texts, "column_names", None)  # Arrow tables, Hugging Face datasets
    if named is None:
        named = getattr(texts, "columns", None)  # frames of pandas and polars
    if isinstance(texts, Mapping):
        named = list(texts)
    if named is not None:
        listed = ", ".join(repr(name) for name in list(named)[:20])
        raise SourceError(f"check_many takes one column of texts, not {kind}; choose one of: {listed}")
    if isinstance(texts, str | bytes | bytearray | Document) or not isinstance(texts, Iterable):
        raise SourceError(f"check_many takes many texts, not {kind}; for one, use unslant.check")
    if isinstance(texts, Set):
        raise SourceError(f"check_many takes texts in an order, not {kind}; give it a list")


def _documents(texts: Iterable[Any], format_name: str) -> Iterator[Document]:
    for number, given in enumerate(texts):
        text = given.as_py() if hasattr(given, "as_py") else given
        check_text(text, f"text {number}")
        yield text if isinstance(text, Document) else read(text, format_name, f"<text {number}>")


class _CheckChunk:
    """Checks some documents at once; built once in each process, from data."""

    def __init__(self, spec: Spec) -> None:
        self._pipeline = Pipeline(spec)

    def __call__(self, documents: list[Document]) -> list[Report]:
        return list(self._pipeline.check(documents))


def _in_processes(spec: Spec, documents: Iterator[Document], workers: int) -> Iterator[Report]:
    work: Work[list[Document], Iterable[Report]] = Work(
        partial(_CheckChunk, spec), again="use n_jobs=1, or fewer processes"
    )
    chunks = iter(lambda: list(islice(documents, _CHUNK)), [])
    return chain.from_iterable(in_order(run(Engine(workers=workers), work, enumerate(chunks))))


def _count(reports: Iterator[Report], progress: Callable[[int], None]) -> Iterator[Report]:
    for number, report in enumerate(reports, start=1):
        yield report
        progress(number)


def _counter(total: int | None) -> Callable[[int], None]:
    """Return what writes a counter to standard error, in about a hundred steps."""
    step = max(1, (total or 0) // 100) if total else 100
    of = "" if total is None else f" of {total:,}"

    def write(done: int) -> None:
        if done % step == 0 or done == total:
            sys.stderr.write(f"\rchecked {done:,}{of} texts" + ("\n" if done == total else ""))
            sys.stderr.flush()

    return write
