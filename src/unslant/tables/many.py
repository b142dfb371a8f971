"""Checking many texts in one call, and what was found as a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from unslant.checking import CheckPipeline
from unslant.core.errors import MissingExtra, SourceError
from unslant.core.types import Document, Report
from unslant.spec import Spec
from unslant.tables.scoring import columns, finding_records, report_record
from unslant.tables.sources import Row
from unslant.text.reading import read
from unslant.validation import check_spec, check_text

if TYPE_CHECKING:
    import pandas

__all__ = ["Reports", "check_many"]


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
        names = [name for name in columns(findings) if name not in ("file", "id", "error")]
        index = None if findings else self._index
        return pandas.DataFrame(self.to_records(findings), columns=names, index=index)


def check_many(
    texts: Iterable[Any],
    *,
    format: str = "text",  # noqa: A002
    spec: Spec | None = None,
) -> Reports:
    """Check many texts and return their reports, in order.

    ``texts`` is a list, an iterator, or a column of pandas, polars or Arrow. A value that is not a text is an error,
    because the reports would otherwise no longer line up with the texts.
    """
    if isinstance(texts, str | bytes | Document) or not isinstance(texts, Iterable):
        raise SourceError(
            f"check_many takes many texts, not {type(texts).__name__}; for one, use unslant.check"
        )
    spec = spec or Spec()
    check_spec(spec)
    reports = CheckPipeline(spec).check(_documents(texts, format))
    return Reports(reports, getattr(texts, "index", None) if hasattr(texts, "iloc") else None)


def _documents(texts: Iterable[Any], format_name: str) -> Iterator[Document]:
    for number, given in enumerate(texts):
        text = given.as_py() if hasattr(given, "as_py") else given
        check_text(text, f"text {number}")
        yield text if isinstance(text, Document) else read(text, format_name, f"<text {number}>")
