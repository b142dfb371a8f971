"""The pictures of an audit, as SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CONSERVATIVE", "LIBERAL", "Point", "distributions", "heat", "pareto", "text_map"]

LIBERAL, CONSERVATIVE = "#3b6fb6", "#c8553d"
"""Apart for the color-blind too."""
_BINS = 20


def heat(value: float | None, most: float) -> tuple[str, str]:
    """Return the color of a cell and of its text: the fuller, the larger the value."""
    if value is None or most <= 0:
        return "#f4f4f4", "#777"
    share = min(1.0, max(0.0, value / most))
    red, green, blue = (round(255 - share * (255 - end)) for end in (122, 31, 86))
    return f"rgb({red},{green},{blue})", "#fff" if share > 0.65 else "#222"


def distributions(own: Sequence[float], everything: Sequence[float], title: str) -> str:
    """Return the base rate of an option as bars, over that of all options as a line."""
    import numpy as np

    edges = np.linspace(0, 1, _BINS + 1)
    mine, all_ = (np.histogram(some, edges)[0] / max(1, len(some)) for some in (own, everything))
    top = max(float(mine.max()), float(all_.max()), 1e-9)
    width, height = 220, 70
    step = width / _BINS
    bars = "".join(
        f'<rect x="{at * step:.1f}" y="{height - share / top * height:.1f}" width="{step - 1:.1f}" '
        f'height="{share / top * height:.1f}" fill="{LIBERAL if at < _BINS / 2 else CONSERVATIVE}" fill-opacity="0.7"/>'
        for at, share in enumerate(mine)
    )
    points = " ".join(
        f"{x:.1f},{height - share / top * height:.1f}"
        for at, share in enumerate(all_)
        for x in (at * step, (at + 1) * step)
    )
    return (
        f'<svg viewBox="0 -2 {width} {height + 18}" width="{width}" height="{height + 18}" role="img">'
        f"<title>{escape(title)}</title>{bars}"
        f'<polyline points="{points}" fill="none" stroke="#222" stroke-width="1.2"/>'
        f'<line x1="0" y1="{height}" x2="{width}" y2="{height}" stroke="#999"/>'
        f'<text x="0" y="{height + 13}" class="tick">liberal</text>'
        f'<text x="{width}" y="{height + 13}" text-anchor="end" class="tick">conservative</text></svg>'
    )


def text_map(
    places: NDArray[np.float64], values: Sequence[float | None], titles: Sequence[str], title: str
) -> str:
    """Return a map of texts, colored by what the judge takes them for."""
    side = 300
    dots = []
    for (x, y), value, told in zip(places.tolist(), values, titles, strict=True):
        color = "#999" if value is None else CONSERVATIVE if value >= 0.5 else LIBERAL
        dots.append(
            f'<circle cx="{8 + x * (side - 16):.1f}" cy="{8 + (1 - y) * (side - 16):.1f}" r="2.6" fill="{color}" '
            f'fill-opacity="0.65"><title>{escape(told)}</title></circle>'
        )
    return (
        f'<svg viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img"><title>{escape(title)}</title>'
        f'<rect width="{side}" height="{side}" fill="none" stroke="#ccc"/>{"".join(dots)}</svg>'
    )


@dataclass(frozen=True, slots=True)
class Point:
    """One variant in a trade-off: both lower is better."""

    name: str
    cost: float
    bias: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    """What the bias would be if options made no difference."""


def pareto(points: Sequence[Point], across: str, up: str) -> str:
    """Return bias over cost; those that no other beats in both are joined by a line."""
    # names stand beside the plot, where they cannot hide each other
    width, height, margin, beside = 820, 320, 56, 260
    costs = [one.cost for one in points]
    tops = [one.high or one.bias for one in points]
    least, most = min(costs), max(costs)
    pad = (most - least) * 0.1 or most * 0.1 or 1.0
    least, most, top = least - pad, most + pad, max(tops) * 1.1 or 1.0

    def x(value: float) -> float:
        return margin + (value - least) / (most - least) * (width - margin - beside)

    def y(value: float) -> float:
        return height - margin + 12 - value / top * (height - margin - 4)

    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{escape(up)} over {escape(across)}</title>",
        f'<line x1="{margin}" y1="{y(0):.1f}" x2="{width - beside}" y2="{y(0):.1f}" stroke="#999"/>',
        f'<line x1="{margin}" y1="{y(0):.1f}" x2="{margin}" y2="{y(top):.1f}" stroke="#999"/>',
    ]
    front = unbeaten(points)
    line = " ".join(f"{x(one.cost):.1f},{y(one.bias):.1f}" for one in front)
    parts.append(f'<polyline points="{line}" fill="none" stroke="{LIBERAL}" stroke-dasharray="5 4"/>')
    heights = spread([y(one.bias) for one in points], 16)
    for one, beside_at in zip(points, heights, strict=True):
        place = x(one.cost), *map(y, (one.bias, one.low or 0, one.high or 0))
        parts.append(_dot(one, place, one in front, None if one.chance is None else y(one.chance)))
        parts.append(
            f'<line x1="{x(one.cost) + 5:.1f}" y1="{y(one.bias):.1f}" x2="{width - beside + 8}" y2="{beside_at:.1f}" '
            f'stroke="#ddd"/><text x="{width - beside + 12}" y="{beside_at + 4:.1f}">{escape(one.name)}</text>'
        )
    parts += [
        f'<text x="{x(least + share * (most - least)):.1f}" y="{y(0) + 16:.1f}" text-anchor="middle" class="tick">'
        f"{least + share * (most - least):.1f}</text>"
        f'<text x="{margin - 6}" y="{y(share * top) + 4:.1f}" text-anchor="end" class="tick">{share * top:.3f}</text>'
        for share in (0, 0.5, 1)
    ]
    center = (margin + width - beside) / 2
    parts.append(f'<text x="{center}" y="{height - 6}" text-anchor="middle">{escape(across)}</text>')
    middle = height / 2
    parts.append(
        f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">{escape(up)}</text></svg>'
    )
    return "".join(parts)


def _dot(one: Point, place: tuple[float, ...], best: bool, chance: float | None) -> str:
    """Return a point with its interval; ``place`` is its x, and the y of value, low and high; a bar for chance."""
    x, y, low, high = place
    bar = ""
    if one.low is not None and one.high is not None:
        bar = f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="#bbb"/>'
    if chance is not None:
        ends = f'x1="{x - 9:.1f}" y1="{chance:.1f}" x2="{x + 9:.1f}" y2="{chance:.1f}"'
        bar += f'<line {ends} stroke="#222" class="chance"/>'
    return (
        f'{bar}<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{LIBERAL if best else "#888"}">'
        f"<title>{escape(one.name)}: {one.bias:.3f} at {one.cost:.1f}</title></circle>"
    )


def spread(places: Sequence[float], least: float) -> list[float]:
    """Return places in the same order, each at least so far from the next, and as near to where they were as can be."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    groups: list[list[int]] = []
    for at in order:
        groups.append([at])
        while len(groups) > 1 and _start(groups[-1], places, least) < (
            _start(groups[-2], places, least) + least * len(groups[-2])
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    found = [0.0] * len(places)
    for group in groups:
        for number, at in enumerate(group):
            found[at] = _start(group, places, least) + number * least
    return found


def _start(group: Sequence[int], places: Sequence[float], least: float) -> float:
    """Return where the first of a group stands when its middle is that of its members."""
    return sum(places[at] for at in group) / len(group) - least * (len(group) - 1) / 2


def unbeaten(points: Sequence[Point]) -> list[Point]:
    """Return the points that no other is better than in one respect and as good in the other, cheapest first."""
    return sorted(
        (
            one
            for one in points
            if not any(
                other.cost <= one.cost
                and other.bias <= one.bias
                and (other.cost, other.bias) != (one.cost, one.bias)
                for other in points
            )
        ),
        key=lambda one: (one.cost, one.bias),
    )
