"""Errors and problems of corpora, named with the file and the row.

::

    InputError
    └── CorpusError         a corpus cannot be read as it is
        └── CorpusMissing   its files cannot be found
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unslant.core.errors import InputError
from unslant.core.example import Example

__all__ = ["CorpusError", "CorpusMissing", "DataProblem", "skip_problems"]


_LONG = 300
"""The longest detail that is shown: a broken file may have a cell of a megabyte."""


class CorpusError(InputError):
    """A corpus cannot be read as it is; the message names the file and the row."""


class CorpusMissing(CorpusError):
    """The files of a corpus are not where they were looked for; the message says where to put them."""


@dataclass(frozen=True, slots=True)
class DataProblem:
    """Something in a file that could not be used; it is counted and shown, never passed over in silence."""

    file: str
    row: int | None
    """Counted from 1, a header included where the file has one; None: the file as a whole."""
    reason: str
    """The sort of problem, the same words for the same sort: what ``Dataset.skipped`` counts."""
    detail: str = ""
    fatal: bool = False
    """Nothing after it can be read."""

    def __str__(self) -> str:
        place = self.file if self.row is None else f"{self.file}, row {self.row}"
        detail = self.detail if len(self.detail) <= _LONG else f"{self.detail[: _LONG - 1]}…"
        return f"{place}: {self.reason}" + (f" ({detail})" if detail else "")

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the wire form."""
        return {"file": self.file, "row": self.row, "reason": self.reason, "detail": self.detail}


def skip_problems(
    rows: Iterable[Example | DataProblem], name: str, strict: bool, skipped: Counter[str]
) -> Iterator[Example]:
    """Yield the examples and count what could not be used; what is fatal, or any problem if strict, is an error."""
    for row in rows:
        if isinstance(row, Example):
            yield row
        elif row.fatal or strict:
            raise CorpusError(f"{row}; try: unslant data verify {name}")
        else:
            skipped[row.reason] += 1
