"""Pictures of figures: bars by dimension or class, and a dot for every wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.figures import FIGURES, MAIN, Spread
from unslant.lab.probing.results import Cell, Result, published
from unslant.lab.report.svg import Svg

__all__ = ["bars", "dots"]

_LEFT, _WIDE, _RIGHT = 190, 560, 60
_ROW = 14
_COLOURS = 5


class _Chart:
    """Rows that follow each other downwards, over a scale from 0 to ``top`` percent."""

    def __init__(self, title: str, top: float) -> None:
        self.svg = Svg(_LEFT + _WIDE + _RIGHT, 0, title)
        self.top, self.y = top, 28.0

    def x(self, value: float) -> float:
        return _LEFT + _WIDE * min(max(value, 0.0), self.top) / self.top

    def move_down(self, by: float) -> None:
        self.y += by

    def label(self, text: str, y: float) -> None:
        self.svg.text(_LEFT - 10, y, text, text_anchor="end")

    def published(self, value: float, y: float, name: str) -> None:
        """Draw a diamond at the published value."""
        self.svg.diamond(self.x(value), y, 5, title=f"{name}: {value:.1f}", css="published")

    def whisker(self, low: float, high: float, y: float) -> None:
        low, high = self.x(low), self.x(high)
        self.svg.line(low, y, high, y, css="mark")
        for end in (low, high):
            self.svg.line(end, y - 3, end, y + 3, css="mark")

    def render(self) -> str:
        for tick in range(0, int(self.top) + 1, 10 if self.top <= 60 else 20):
            x = self.x(tick)
            self.svg.line(x, 20, x, self.y, css="grid")
            self.svg.text(x, self.y + 16, str(tick), text_anchor="middle", css="soft")
        self.svg.height = self.y + 26
        return self.svg.render()


def _theirs(result: Result) -> Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]:
    setting = result.setting
    return published(
        result.task, str(setting.get("sampling", "random")), str(setting.get("decoding", "span"))
    )


def _top(values: Sequence[float]) -> float:
    """Return a round end of the scale."""
    return next(end for end in (20.0, 40.0, 60.0, 80.0, 100.0) if max([*values, 1.0]) <= end or end == 100.0)


def bars(result: Result, shots: int) -> str:
    """Return bars by dimension, one for each class; by class alone where there are no dimensions."""
    cells = [cell for cell in result.cells if cell.shots == shots]
    known = _theirs(result)
    main = next(one for one in FIGURES[result.task] if one.name == MAIN[result.task])
    rows: list[tuple[str, list[tuple[int, str, Spread, float | None]]]] = []
    if any(cell.by_dimension for cell in cells):
        for name in dimensions():
            group = [
                (at, cell.family, cell.by_dimension[name], _their(known, cell, name, result.task))
                for at, cell in enumerate(cells)
                if name in cell.by_dimension
            ]
            rows += [(name, group)] if group else []
    else:
        for at, cell in enumerate(cells):
            rows.append(
                (cell.family, [(at, cell.family, cell.figures[main.name], _their(known, cell, main.name))])
            )
    highest = [
        value
        for _, group in rows
        for *_, one, their in group
        for value in ((one.mean or 0) + (one.deviation or 0), one.high or 0, their or 0)
    ]
    chart = _Chart(f"{main.title}, {shots} examples", _top(highest))
    for name, group in rows:
        chart.label(name, chart.y + _ROW * len(group) / 2 + 4)
        for at, family, one, their in group:
            _bar(chart, at, family, one)
            if their is not None:
                chart.published(their, chart.y + _ROW / 2, f"{family}, as published")
            chart.move_down(_ROW)
        chart.move_down(8)
    return chart.render()


def _bar(chart: _Chart, at: int, family: str, one: Spread) -> None:
    mean = one.mean or 0.0
    said = f"{family}: {mean:.1f}" if one.mean is not None else f"{family}: undefined"
    if one.low is not None and one.high is not None:
        said += f", 95 % interval {one.low:.1f} to {one.high:.1f}"
    chart.svg.rect(
        _LEFT,
        chart.y + 1,
        max(chart.x(mean) - _LEFT, 1),
        _ROW - 3,
        title=said,
        css=f"c{at % _COLOURS}",
    )
    if one.low is not None and one.high is not None:
        chart.whisker(one.low, one.high, chart.y + _ROW / 2 - 0.5)


def _their(
    known: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], cell: Cell, name: str, task: str = ""
) -> float | None:
    if task == "extraction":
        return None  # the publication does not part extraction by dimension
    found = known.get(cell.family, {}).get(name, {}).get(str(cell.shots))
    return found[0] if found else None


def dots(result: Result) -> str:
    """Return how much the wording matters: a dot for each wording, a line at their mean, a diamond as published."""
    main = next(one for one in FIGURES[result.task] if one.name == MAIN[result.task])
    known = _theirs(result)
    values = [value for cell in result.cells for _, value in cell.each]
    values += [
        float(row[str(cell.shots)][0])
        for cell in result.cells
        if (row := known.get(cell.family, {}).get(main.name, {})) and str(cell.shots) in row
    ]
    chart = _Chart(f"{main.title} of each wording", _top(values))
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    for cell in result.cells:
        middle = chart.y + 14
        chart.label(
            f"{cell.family}, {cell.shots} examples" if cell.shots else f"{cell.family}, no example",
            middle + 4,
        )
        colour = families.index(cell.family) % _COLOURS
        for place, (name, value) in enumerate(cell.each):
            # neighbours stand at different heights, so that equal values do not hide each other
            offset = ((place * 7) % 11 - 5) * 1.7 if len(cell.each) > 1 else 0
            said = f"{value:.1f}: {result.texts.get(name, '')}".replace("{targeting}", "")
            chart.svg.circle(chart.x(value), middle + offset, 4, title=said, css=f"dot c{colour}")
        mean = cell.figures[main.name].mean
        if mean is not None:
            chart.svg.line(chart.x(mean), middle - 12, chart.x(mean), middle + 12, css="mark")
        if (their := _their(known, cell, main.name)) is not None:
            chart.published(their, middle, f"{cell.family}, as published")
        chart.move_down(32)
    return chart.render()
