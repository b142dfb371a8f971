"""The drawings of an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.lab.audit.suite import AuditError
from unslant.lab.corpora.outlets import tokenize_news
from unslant.lab.report.page import Svg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "MAPS",
    "TradeOffPoint",
    "draw_distributions",
    "draw_map",
    "draw_trade_off",
    "heat_class",
    "place_texts",
    "side_class",
]

MAPS = ("pca", "umap")
_WORDS = 2000
"""The number of most frequent words to use, without those in most texts."""
_BINS = 20
_HEAT_LEVELS = 10


def heat_class(value: float | None, largest: float) -> str:
    """Return the CSS class that colors a cell: the larger the value, the darker."""
    if value is None or largest <= 0:
        return ""
    return f"heat-{round(_HEAT_LEVELS * min(1.0, max(0.0, value / largest)))}"


def side_class(value: float | None) -> str:
    """Return the CSS class for the side that the judge assigns a text to."""
    return "unjudged" if value is None else "conservative" if value >= 0.5 else "liberal"


def draw_distributions(own: Sequence[float], everything: Sequence[float], title: str) -> str:
    """Return the base rate of an option as bars, over that of all options as a line."""
    import numpy as np

    edges = np.linspace(0, 1, _BINS + 1)
    option, overall = (np.histogram(values, edges)[0] / max(1, len(values)) for values in (own, everything))
    top = max(float(option.max()), float(overall.max()), 1e-9)
    width, height = 220, 70
    step = width / _BINS
    svg = Svg(width, height + 18, title, top=-2)
    for at, share in enumerate(option.tolist()):
        bar = share / top * height
        svg.rect(at * step, height - bar, step - 1, bar, css=side_class((at + 0.5) / _BINS), fill_opacity=0.7)
    svg.polyline(
        (
            (x, height - share / top * height)
            for at, share in enumerate(overall.tolist())
            for x in (at * step, (at + 1) * step)
        ),
        css="mark",
    )
    svg.line(0, height, width, height, css="grid")
    svg.text(0, height + 13, "liberal", css="tick")
    svg.text(width, height + 13, "conservative", text_anchor="end", css="tick")
    return svg.render()


def draw_map(
    places: NDArray[np.float64], values: Sequence[float | None], titles: Sequence[str], title: str
) -> str:
    """Return a map of texts, colored by the side that the judge assigns them to."""
    side = 300
    svg = Svg(side, side, title)
    for (x, y), value, name in zip(places.tolist(), values, titles, strict=True):
        svg.circle(
            8 + x * (side - 16),
            8 + (1 - y) * (side - 16),
            2.6,
            title=name,
            css=side_class(value),
            fill_opacity=0.65,
        )
    return svg.render()


@dataclass(frozen=True, slots=True)
class TradeOffPoint:
    """A variant in the trade-off of bias and fluency: lower is better for both."""

    name: str
    cost: float
    bias: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    """The bias to expect if options made no difference."""


def draw_trade_off(points: Sequence[TradeOffPoint], across: str, up: str) -> str:
    """Return bias over cost; a dashed line joins the Pareto front."""
    # names stand beside the plot, where they cannot hide each other
    width, height, margin, beside = 820, 320, 56, 260
    costs = [point.cost for point in points]
    least, most = min(costs), max(costs)
    pad = (most - least) * 0.1 or most * 0.1 or 1.0
    least, most, top = least - pad, most + pad, max(point.high or point.bias for point in points) * 1.1 or 1.0

    def x(value: float) -> float:
        return margin + (value - least) / (most - least) * (width - margin - beside)

    def y(value: float) -> float:
        return height - margin + 12 - value / top * (height - margin - 4)

    svg = Svg(width, height, f"{up} over {across}")
    svg.line(margin, y(0), width - beside, y(0), css="grid")
    svg.line(margin, y(0), margin, y(top), css="grid")
    front = pareto_front(points)
    svg.polyline(
        [(x(point.cost), y(point.bias)) for point in front], stroke="currentColor", stroke_dasharray="5 4"
    )
    for point, label_y in zip(points, spread_labels([y(point.bias) for point in points], 16), strict=True):
        left, middle = x(point.cost), y(point.bias)
        if point.low is not None and point.high is not None:
            svg.line(left, y(point.low), left, y(point.high), css="mark", stroke_opacity=0.4)
        if point.chance is not None:
            svg.line(left - 9, y(point.chance), left + 9, y(point.chance), css="mark chance")
        svg.circle(
            left,
            middle,
            4.5,
            title=f"{point.name}: {point.bias:.3f} at {point.cost:.1f}",
            css="c0" if point in front else "soft",
        )
        svg.line(left + 5, middle, width - beside + 8, label_y, css="grid")
        svg.text(width - beside + 12, label_y + 4, point.name)
    for share in (0, 0.5, 1):
        cost = least + share * (most - least)
        svg.text(x(cost), y(0) + 16, f"{cost:.1f}", text_anchor="middle", css="tick")
        svg.text(margin - 6, y(share * top) + 4, f"{share * top:.3f}", text_anchor="end", css="tick")
    svg.text((margin + width - beside) / 2, height - 6, across, text_anchor="middle")
    svg.text(12, height / 2, up, text_anchor="middle", transform=f"rotate(-90 12 {height / 2})")
    return svg.render()


def spread_labels(places: Sequence[float], least: float) -> list[float]:
    """Return places in the same order, each at least ``least`` from the next, as close to the old ones as possible."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    groups: list[list[int]] = []
    for at in order:
        groups.append([at])
        while len(groups) > 1 and _group_start(groups[-1], places, least) < (
            _group_start(groups[-2], places, least) + least * len(groups[-2])
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    found = [0.0] * len(places)
    for group in groups:
        for number, at in enumerate(group):
            found[at] = _group_start(group, places, least) + number * least
    return found


def _group_start(group: Sequence[int], places: Sequence[float], least: float) -> float:
    """Return the place of the first member of a group that is centered on the mean of its members' places."""
    return sum(places[at] for at in group) / len(group) - least * (len(group) - 1) / 2


def pareto_front(points: Sequence[TradeOffPoint]) -> list[TradeOffPoint]:
    """Return the points that no other point dominates in cost and bias, cheapest first."""

    def is_dominated(point: TradeOffPoint) -> bool:
        return any(
            other.cost <= point.cost
            and other.bias <= point.bias
            and (other.cost, other.bias) != (point.cost, point.bias)
            for other in points
        )

    return sorted(
        (point for point in points if not is_dominated(point)), key=lambda point: (point.cost, point.bias)
    )


def place_texts(texts: Sequence[str], kind: str = "pca", seed: int = 0) -> NDArray[np.float64]:
    """Return a place between 0 and 1 for each text, (texts, 2); texts with the same words are close to each other."""
    import numpy as np

    if kind not in MAPS:
        raise AuditError(f"unknown kind of map {kind!r}; choose one of {', '.join(MAPS)}")
    if len(texts) < 3:
        return np.full((len(texts), 2), 0.5)
    vectors = _tfidf_vectors(texts)
    places = _umap(vectors, seed) if kind == "umap" else _pca(vectors)
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.where(high > low, high - low, 1))


def _tfidf_vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    split = [set(tokenize_news(text)) for text in texts]
    counts = Counter(word for words in split for word in sorted(words))
    known = [word for word, count in counts.most_common() if 2 <= count <= 0.7 * len(texts)][:_WORDS]
    place = {word: at for at, word in enumerate(known)}
    found = np.zeros((len(texts), max(1, len(known))))
    for at, words in enumerate(split):
        for word in words & place.keys():
            found[at, place[word]] = np.log(len(texts) / counts[word])
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def _pca(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    centered = vectors - vectors.mean(axis=0)
    values, axes = np.linalg.eigh(centered @ centered.T)  # (texts, texts) is smaller than (words, words)
    chosen = axes[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    # the sign of an axis is arbitrary: put the larger end on the same side everywhere
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), range(2)])
    return np.asarray(chosen * np.where(signs == 0, 1, signs))


def _umap(vectors: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    try:
        import umap
    except ModuleNotFoundError as error:
        raise MissingExtra("the map", "umap-learn", "umap") from error
    found: Any = umap.UMAP(random_state=seed, n_jobs=1).fit_transform(vectors)
    import numpy as np

    return np.asarray(found, dtype=np.float64)
