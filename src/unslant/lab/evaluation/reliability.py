"""The reliability diagram: how often what a model gives some probability is true, as a picture and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unslant.lab.stats.metrics import ReliabilityBin

__all__ = ["bins_text", "reliability_svg"]

_BAR = 40


def bins_text(bins: Sequence[ReliabilityBin]) -> str:
    """Draw bars: as long as the share that is slanted, with a mark where the probability says it should end."""
    lines = ["  probability  slanted  # share, | mean probability"]
    for one in bins:
        if one.share is None or one.confidence is None:
            lines.append(f"  {one.low:.1f} to {one.high:.1f}        -")
            continue
        bar = list(("#" * round(one.share * _BAR)).ljust(_BAR + 1))
        bar[round(one.confidence * _BAR)] = "|"
        lines.append(f"  {one.low:.1f} to {one.high:.1f}    {one.share:.3f}  {''.join(bar)} {one.count:,}")
    return "\n".join(lines)


def reliability_svg(bins: Sequence[ReliabilityBin], title: str, side: int = 320) -> str:
    """Return the diagram: bars of shares, a point at each mean probability, the diagonal of perfect calibration.

    The fainter a bar, the fewer sentences it rests on.
    """
    most = max((one.count for one in bins), default=0) or 1
    margin, total = 40, side + 80

    def x(value: float) -> str:
        return f"{margin + value * side:.1f}"

    def y(value: float) -> str:
        return f"{margin + (1 - value) * side:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {total}" width="{total}" height="{total}" '
        'role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}: share of slanted sentences by probability</title>",
        f'<rect x="{margin}" y="{margin}" width="{side}" height="{side}" fill="none" stroke="#888"/>',
    ]
    for one in bins:
        if one.share is None or one.confidence is None:
            continue
        faint = 0.25 + 0.75 * one.count / most
        parts.append(
            f'<rect x="{x(one.low)}" y="{y(one.share)}" width="{(one.high - one.low) * side:.1f}" '
            f'height="{one.share * side:.1f}" fill="#4477aa" fill-opacity="{faint:.2f}" stroke="#fff">'
            f"<title>{one.low:.1f} to {one.high:.1f}: {one.share:.3f} of {one.count}</title></rect>"
        )
        parts.append(f'<circle cx="{x(one.confidence)}" cy="{y(one.share)}" r="3" fill="#222"/>')
    parts.append(
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" stroke="#aa3333" stroke-dasharray="4 3"/>'
    )
    parts += _axes(title, margin, side)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(title: str, margin: int, side: int) -> list[str]:
    middle, bottom = margin + side / 2, margin + side
    parts = [
        f'<text x="{middle}" y="{bottom + 34}" text-anchor="middle">probability</text>',
        f'<text x="{middle}" y="24" text-anchor="middle">{escape(title)}: share that is slanted</text>',
    ]
    for tick in (0.0, 0.5, 1.0):
        across, up = margin + tick * side, bottom - tick * side
        parts.append(f'<text x="{across}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{margin - 6}" y="{up}" text-anchor="end" dy="4">{tick:g}</text>')
    return parts
