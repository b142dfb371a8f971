"""Tables as text, Markdown or HTML, and the numbers in their cells."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with a style, for HTML; elsewhere only the text is shown."""

    text: str
    css: str = ""
    """The CSS class of the cell."""
    span: int = 1
    """How many columns it covers."""


Row: TypeAlias = Sequence[object]
"""A row of cells: text, numbers, :class:`Cell`, or None for an empty cell. The first row of a table is its head."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a title, for a terminal, Markdown or HTML; the first row is the head."""

    rows: Sequence[Row]
    title: str = ""
    left: Sequence[int] = (0,)
    """The columns of words, which Markdown aligns to the left."""
    drop_empty: bool = False

    def text(self) -> str:
        """Return the table for a terminal."""
        return _below(self.title, text_table(self.rows, drop_empty=self.drop_empty))

    def markdown(self) -> str:
        """Return the table in Markdown."""
        return _below(self.title and f"{self.title}\n", markdown_table(self.rows, self.left))

    def html(self) -> str:
        """Return the table in HTML, without its title."""
        return html_table(self.rows, drop_empty=self.drop_empty)


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured, as tables and notes: one form for all measurements of the lab."""

    title: str
    tables: Sequence[Table | str]
    """Tables, and what is drawn or said between them."""
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Return the report for a terminal."""
        parts = [part.text() if isinstance(part, Table) else part for part in self.tables]
        return "\n\n".join(filter(None, [self.title, *parts, "\n".join(map(wrap_note, self.notes))]))

    def markdown(self) -> str:
        """Return the report in Markdown, without its title."""
        parts = [part.markdown() if isinstance(part, Table) else part for part in self.tables]
        notes = "\n".join(f"- {escape_markdown(note)}" for note in self.notes)
        return "\n\n".join(filter(None, [*parts, notes]))


def _below(title: str, table: str) -> str:
    return f"{title}\n{table}" if title else table


def text_table(
    rows: Sequence[Row], *, indent: str = "  ", drop_empty: bool = False, align_numbers: bool = False
) -> str:
    """Return a table with aligned columns: the first one to the left, all others to the right.

    ``drop_empty`` leaves out columns without any content below the head. ``align_numbers`` aligns only columns of
    numbers to the right, for tables that hold other text.
    """
    if not rows:
        return ""
    cells = [[_text(value) for value in row] for row in rows]
    columns = _filled_columns(cells) if drop_empty else list(range(len(cells[0])))
    widths = {at: max(len(row[at]) for row in cells) for at in columns}
    right = {at: _is_numeric(rows, at) if align_numbers else at > 0 for at in columns}
    return "\n".join(
        (
            indent
            + "  ".join(
                row[at].rjust(widths[at]) if right[at] else row[at].ljust(widths[at]) for at in columns
            )
        ).rstrip()
        for row in cells
    )


def markdown_table(rows: Sequence[Row], left: Sequence[int] = (0,)) -> str:
    """Return a table in Markdown, with columns of words (``left``) to the left, all others to the right."""
    head, *body = [" | ".join(escape_markdown(_text(value)) for value in row) for row in rows]
    rule = " | ".join("---" if at in left else "---:" for at in range(len(rows[0])))
    return "\n".join(f"| {line} |" for line in (head, rule, *body))


def html_table(rows: Sequence[Row], *, caption: str = "", drop_empty: bool = False, heads: int = 1) -> str:
    """Return a table in HTML with everything escaped; ``heads`` rows are its head."""
    if drop_empty:
        columns = _filled_columns([[_text(value) for value in row] for row in rows])
        rows = [[row[at] for at in columns] for row in rows]
    title = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    head = "\n".join(_html_row(row, "col") for row in rows[:heads])
    body = "\n".join(_html_row(row, "row") for row in rows[heads:])
    return (
        f'<div class="scroll"><table>\n{title}<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n'
        "</table></div>\n"
    )


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number with this many decimals; an empty text if it is unknown."""
    return "" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"  # never -0.000


def format_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return an interval as ``low to high``; an empty text if it is unknown."""
    return (
        ""
        if low is None or high is None
        else f"{format_number(low, digits)} to {format_number(high, digits)}"
    )


def format_p(value: float | None) -> str:
    """Return a p-value; an empty text if it is unknown."""
    return "" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def format_deviation(mean: float | None, deviation: float | None, digits: int = 1) -> str:
    """Return a mean with its deviation, if there is one."""
    if mean is None:
        return "undefined"
    return f"{mean:.{digits}f}" if deviation is None else f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def wrap_note(text: str) -> str:
    """Return a sentence below a table, wrapped for a terminal."""
    return textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _text(value: object) -> str:
    if isinstance(value, Cell):
        return value.text
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)


def _is_numeric(rows: Sequence[Row], column: int) -> bool:
    values = [row[column] for row in rows[1:]]
    return bool(values) and all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values
    )


def _filled_columns(cells: Sequence[Sequence[str]]) -> list[int]:
    return [at for at in range(len(cells[0])) if at == 0 or any(row[at] for row in cells[1:])]


def escape_markdown(text: str) -> str:
    """Return text in which nothing is a column or a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _html_row(row: Row, scope: str) -> str:
    return (
        "<tr>"
        + "".join(
            _html_cell(value, scope if scope == "col" or at == 0 else None) for at, value in enumerate(row)
        )
        + "</tr>"
    )


def _html_cell(value: object, scope: str | None) -> str:
    cell = value if isinstance(value, Cell) else Cell(_text(value))
    css = f' class="{escape(cell.css)}"' if cell.css else ""
    span = f' colspan="{cell.span}"' if cell.span > 1 else ""
    if scope is None or not cell.text:
        return f"<td{css}{span}>{escape(cell.text)}</td>"
    group = "colgroup" if scope == "col" and cell.span > 1 else scope
    return f'<th scope="{group}"{css}{span}>{escape(cell.text)}</th>'
