"""Pictures of figures: bars by dimension or class, and a dot for every wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.figures import FIGURES, MAIN, Spread
from unslant.lab.probing.results import Cell, Result, published

__all__ = ["bars", "dots"]

_LEFT, _WIDE, _RIGHT = 190, 560, 60
_ROW = 14
_COLOURS = 5


class _Canvas:
    """An SVG that grows downwards, with a scale from 0 to ``top`` percent."""

    def __init__(self, title: str, top: float) -> None:
        self._title, self._parts, self._y = title, list[str](), 28.0
        self.top = top

    def x(self, value: float) -> float:
        return _LEFT + _WIDE * min(max(value, 0.0), self.top) / self.top

    @property
    def y(self) -> float:
        return self._y

    def down(self, by: float) -> None:
        self._y += by

    def put(self, part: str) -> None:
        self._parts.append(part)

    def label(self, text: str, at: float) -> None:
        self.put(f'<text x="{_LEFT - 10}" y="{at:.1f}" text-anchor="end">{escape(text)}</text>')

    def theirs(self, value: float, at: float, what: str) -> None:
        """Draw a diamond where the publication stands."""
        x = self.x(value)
        self.put(
            f'<path class="theirs" d="M{x:.1f} {at - 5:.1f}L{x + 4:.1f} {at:.1f}L{x:.1f} {at + 5:.1f}L{x - 4:.1f} '
            f'{at:.1f}Z"><title>{escape(what)}: {value:.1f}</title></path>'
        )

    def whisker(self, low: float, high: float, at: float) -> None:
        low, high = self.x(low), self.x(high)
        ends = "".join(f"M{one:.1f} {at - 3:.1f}V{at + 3:.1f}" for one in (low, high))
        self.put(f'<path class="mark" d="M{low:.1f} {at:.1f}H{high:.1f}{ends}"/>')

    def svg(self) -> str:
        height = self._y + 26
        grid = []
        step = 10 if self.top <= 60 else 20
        for tick in range(0, int(self.top) + 1, step):
            x = self.x(tick)
            grid.append(f'<path class="grid" d="M{x:.1f} 20V{self._y:.1f}"/>')
            grid.append(
                f'<text class="soft" x="{x:.1f}" y="{self._y + 16:.1f}" text-anchor="middle">{tick}</text>'
            )
        width = _LEFT + _WIDE + _RIGHT
        return (
            f'<svg role="img" viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}" '
            f'xmlns="http://www.w3.org/2000/svg"><title>{escape(self._title)}</title>'
            + "".join(grid + self._parts)
            + "</svg>\n"
        )


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
    canvas = _Canvas(f"{main.title}, {shots} examples", _top(highest))
    for name, group in rows:
        canvas.label(name, canvas.y + _ROW * len(group) / 2 + 4)
        for at, family, one, their in group:
            _bar(canvas, at, family, one)
            if their is not None:
                canvas.theirs(their, canvas.y + _ROW / 2, f"{family}, as published")
            canvas.down(_ROW)
        canvas.down(8)
    return canvas.svg()


def _bar(canvas: _Canvas, at: int, family: str, one: Spread) -> None:
    mean = one.mean or 0.0
    said = f"{family}: {mean:.1f}" if one.mean is not None else f"{family}: undefined"
    if one.low is not None and one.high is not None:
        said += f", 95 % interval {one.low:.1f} to {one.high:.1f}"
    canvas.put(
        f'<rect class="c{at % _COLOURS}" x="{_LEFT}" y="{canvas.y + 1:.1f}" '
        f'width="{max(canvas.x(mean) - _LEFT, 1):.1f}" height="{_ROW - 3}"><title>{escape(said)}</title></rect>'
    )
    if one.low is not None and one.high is not None:
        canvas.whisker(one.low, one.high, canvas.y + _ROW / 2 - 0.5)


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
    canvas = _Canvas(f"{main.title} of each wording", _top(values))
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    for cell in result.cells:
        middle = canvas.y + 14
        canvas.label(
            f"{cell.family}, {cell.shots} examples" if cell.shots else f"{cell.family}, no example",
            middle + 4,
        )
        colour = families.index(cell.family) % _COLOURS
        for place, (name, value) in enumerate(cell.each):
            # neighbours stand at different heights, so that equal values do not hide each other
            offset = ((place * 7) % 11 - 5) * 1.7 if len(cell.each) > 1 else 0
            said = f"{value:.1f}: {result.texts.get(name, '')}".replace("{targeting}", "")
            canvas.put(
                f'<circle class="dot c{colour}" cx="{canvas.x(value):.1f}" cy="{middle + offset:.1f}" r="4">'
                f"<title>{escape(said)}</title></circle>"
            )
        mean = cell.figures[main.name].mean
        if mean is not None:
            canvas.put(f'<path class="mark" d="M{canvas.x(mean):.1f} {middle - 12:.1f}v24"/>')
        if (their := _their(known, cell, main.name)) is not None:
            canvas.theirs(their, middle, f"{cell.family}, as published")
        canvas.down(32)
    return canvas.svg()
