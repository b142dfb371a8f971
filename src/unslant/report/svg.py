"""SVG drawings for reports: shapes and text, without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

Attribute: TypeAlias = str | float | None


class Svg:
    """A drawing. Shapes are added one after the other; later ones cover earlier ones.

    Attributes are named as in SVG, with ``_`` for ``-`` and ``css`` for ``class``; None leaves one out. A shape with a
    ``title`` shows it as a tooltip.
    """

    def __init__(self, width: float, height: float, title: str, *, top: float = 0) -> None:
        self.width, self.height = width, height
        self._title, self._top = title, top
        self._shapes: list[str] = []

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        title: str | None = None,
        **attributes: Attribute,
    ) -> None:
        """Add a rectangle."""
        self._add("rect", title, x=x, y=y, width=width, height=height, **attributes)

    def circle(
        self, x: float, y: float, radius: float, *, title: str | None = None, **attributes: Attribute
    ) -> None:
        """Add a circle."""
        self._add("circle", title, cx=x, cy=y, r=radius, **attributes)

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Attribute) -> None:
        """Add a line."""
        self._add("line", None, x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def polyline(self, points: Iterable[tuple[float, float]], **attributes: Attribute) -> None:
        """Add a line through points."""
        places = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polyline", None, points=places, fill="none", **attributes)

    def diamond(
        self, x: float, y: float, size: float, *, title: str | None = None, **attributes: Attribute
    ) -> None:
        """Add a diamond."""
        corners = ((x, y - size), (x + size * 0.8, y), (x, y + size), (x - size * 0.8, y))
        places = " ".join(f"{_number(left)},{_number(down)}" for left, down in corners)
        self._add("polygon", title, points=places, **attributes)

    def text(self, x: float, y: float, content: str, **attributes: Attribute) -> None:
        """Add text, whose baseline starts at a point unless ``text_anchor`` says otherwise."""
        places: dict[str, Attribute] = {"x": x, "y": y}
        self._shapes.append(f"<text{_attributes(places | attributes)}>{escape(content)}</text>")

    def render(self) -> str:
        """Return the drawing."""
        box = f"0 {_number(self._top)} {_number(self.width)} {_number(self.height)}"
        size: dict[str, Attribute] = {"viewBox": box, "width": self.width, "height": self.height}
        head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img"{_attributes(size)}'
        return (
            f'{head} font-family="system-ui, sans-serif" font-size="12"><title>{escape(self._title)}</title>'
            + "".join(self._shapes)
            + "</svg>\n"
        )

    def _add(self, tag: str, title: str | None, **attributes: Attribute) -> None:
        start = f"<{tag}{_attributes(attributes)}"
        end = "/>" if title is None else f"><title>{escape(title)}</title></{tag}>"
        self._shapes.append(start + end)


def _attributes(values: dict[str, Attribute]) -> str:
    return "".join(
        f" {'class' if name == 'css' else name.replace('_', '-')}="
        f'"{escape(value) if isinstance(value, str) else _number(value)}"'
        for name, value in values.items()
        if value is not None
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
