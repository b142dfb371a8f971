"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.evaluation.result import Figure, Published, Result, Section
from unslant.lab.report.table import format_interval, format_number, text_table, wrap_note

__all__ = ["result_text"]

_HEADS = {
    "product": "product (those that 'unslant check' asks)",
    "corpus": "corpus (those that learned from the corpus; 'unslant check' does not choose them)",
}


def result_text(result: Result) -> str:
    """Return a result as text: ours, its 95 % interval, the published figure beside it, then what else is known."""
    parts = [f"{result.task}: {result.model}" + (f"\nheads: {_HEADS[result.heads]}" if result.heads else "")]
    parts += [_section(some[0]) if len(some) == 1 else _columns(some) for some in _tables(result.sections)]
    parts += result.drawings
    published = [one for section in result.sections for one in section.figures if len(one.published) > 1]
    if published:
        parts.append("\n".join(_published(one) for one in published))
    sources = dict.fromkeys(
        other.source for section in result.sections for one in section.figures for other in one.published
    )
    notes = [*(f"published: {source}." for source in sources), *(f"{note}." for note in result.notes)]
    if notes:
        parts.append("\n".join(wrap_note(note) for note in notes))
    return "\n\n".join(parts)


def _tables(sections: Sequence[Section]) -> list[list[Section]]:
    """Put neighbours that are columns of one table together."""
    found: list[list[Section]] = []
    for one in sections:
        before = found[-1][0] if found else None
        if before is not None and one.table and before.table == one.table:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _columns(sections: Sequence[Section]) -> str:
    names = list(dict.fromkeys(figure.name for one in sections for figure in one.figures))
    by_name = [{figure.name: figure for figure in one.figures} for one in sections]
    rows = [["", *(one.title for one in sections), "on"]]
    for name in names:
        own = [figures.get(name) for figures in by_name]
        values = [format_number(one.estimate.value) if one else "" for one in own]
        rows.append([name, *values, f"{max(one.items for one in own if one):,}"])
    return "\n".join([sections[0].table, text_table(rows)])


def _section(section: Section) -> str:
    rows: list[tuple[str, ...]] = [("", "ours", "95 %", "error", "published", "", "on")]
    rows += [_row(one) for one in section.figures]
    return "\n".join([section.title, text_table(rows, drop_empty=True)])


def _row(figure: Figure) -> tuple[str, ...]:
    best = figure.best
    return (
        figure.name,
        format_number(figure.estimate.value) or "undefined",
        format_interval(figure.estimate.low, figure.estimate.high),
        f"± {figure.error:.3f}" if figure.error is not None else "",
        _value(best) if best else "",
        best.system if best else "",
        f"{figure.items:,}",
    )


def _value(one: Published) -> str:
    return f"{one.value:.3f}" + (f" ± {one.error:.3f}" if one.error is not None else "")


def _published(figure: Figure) -> str:
    systems = "; ".join(f"{one.system} {_value(one)}" for one in figure.published)
    return wrap_note(f"{figure.name}, published: {systems}")
