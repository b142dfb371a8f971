"""An audit as a page: figures, drawings of the distributions behind them, a map of the texts, and sample texts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.lab.audit.sections import AuditSection, linked_verdict, section_html, verdict_html
from unslant.lab.audit.suite import AuditError
from unslant.lab.audit.terminal import audit_reach, audit_verdict, notes, scale_rows, variant_rows
from unslant.lab.corpora.outlets import tokenize_news
from unslant.lab.report.page import html_figure, html_fold, html_page, html_switches
from unslant.lab.report.table import Cell, Row, format_number, html_table
from unslant.report.svg import Svg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.lab.audit.bias import BiasFigure
    from unslant.lab.audit.examine import AuditReport, NothingToJudge, VariantReport

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


def draw_bias(figures: Sequence[tuple[str, BiasFigure]]) -> str:
    """Return the main result: the indirect bias of each variant with its interval, and what chance alone gives."""
    left, width, tall = 170.0, 360.0, 30.0
    highest = max(
        (max(figure.value, figure.high or 0, figure.chance or 0) for _, figure in figures), default=0
    )
    top = highest or 1.0
    svg = Svg(left + width + 70, tall * len(figures) + 22, "Indirect bias by variant")
    for at, (name, figure) in enumerate(figures):
        middle = at * tall + tall / 2
        shown = name if len(name) <= 24 else f"{name[:23]}…"
        svg.text(left - 8, middle + 4, shown, text_anchor="end")
        tip = f"{name}: {format_number(figure.value)}"
        svg.rect(left, middle - 8, width * figure.value / top, 16, title=tip, css="c0", fill_opacity=0.6)
        if figure.low is not None and figure.high is not None:
            svg.line(
                left + width * figure.low / top, middle, left + width * figure.high / top, middle, css="mark"
            )
        if figure.chance is not None:
            svg.diamond(left + width * figure.chance / top, middle, 5, title="chance", css="published")
        svg.text(left + width + 8, middle + 4, format_number(figure.value))
    bottom = tall * len(figures)
    svg.line(left, bottom, left + width, bottom, css="grid")
    svg.text(left, bottom + 15, "0", css="tick")
    svg.text(left + width, bottom + 15, format_number(top), text_anchor="end", css="tick")
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
    # names are beside the plot, where they cannot overlap
    height, margin, beside = 320, 56, max(260, 24 + 7 * max(len(point.name) for point in points))
    width = 560 + beside
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
    """Return positions in the same order, at least ``least`` apart, as close to the original ones as possible."""
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
    return place_vectors(word_vectors(texts), kind, seed)


def place_vectors(vectors: NDArray[np.float64], kind: str = "pca", seed: int = 0) -> NDArray[np.float64]:
    """Return a place between 0 and 1 for each row, (rows, 2)."""
    import numpy as np

    if kind not in MAPS:
        raise AuditError(f"unknown kind of map {kind!r}; choose one of {', '.join(MAPS)}")
    if len(vectors) < 3:
        return np.full((len(vectors), 2), 0.5)
    places = _umap(vectors, seed) if kind == "umap" else _pca(vectors)
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.where(high > low, high - low, 1))


def word_vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return the TF-IDF of each text over the most frequent words of all, of unit length."""
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


_MAPPED = 600
_SAMPLES = 4
"""The number of texts shown for each option."""
_SWITCHES = ("options within chance", "texts judged liberal", "texts judged conservative")
_WITHIN_CHANCE = "part-1"
_JUDGED = {"liberal": ("part-2",), "conservative": ("part-3",)}


def audit_page(report: AuditReport, kind: str = "pca", others: Sequence[AuditSection] = ()) -> str:
    """Return the page; ``kind`` is the kind of map, ``others`` are results of other methods."""
    first = report.variants[0]
    parts = [
        *verdict_html(audit_verdict(report), audit_reach(report)),
        *(linked_verdict(other) for other in others),
        *_summary(report),
        *_trade_off(report),
        html_switches(_SWITCHES),
        *_options(report),
        "<h2>Distributions</h2>\n",
        *(html_fold(variant.name, _distributions(variant)) for variant in report.variants),
        *_maps(report, kind),
        "<h2>Texts</h2>\n",
        *(html_fold(variant.name, _samples(variant)) for variant in report.variants),
        *(part for other in others for part in section_html(other)),
    ]
    return html_page(f"Audit of {first.about.model}", parts, intro=_about(report))


_COLUMNS = (
    "indirect: dependence of the leaning on people and topics (0: none, 1: the largest possible); direct: leaning "
    "beyond the prompt's side; chance: the figure that chance alone gives; p: how often chance gives at least as much; "
    "perplexity (under an n-gram model) and own (under the model itself): lower is more fluent; distinct-2: share of "
    "different word pairs."
)


def silent_page(nothing: NothingToJudge) -> str:
    """Return the page about a run without a text that can be judged."""
    return html_page(
        f"Audit of {nothing.model}", verdict_html(str(nothing), ""), intro=date.today().isoformat()
    )


def _about(report: AuditReport) -> str:
    first = report.variants[0].about
    texts = sum(len(variant.texts) for variant in report.variants)
    sampling = ", ".join(f"{name} {value}" for name, value in first.sampling.items() if value)
    return (
        f"{date.today().isoformat()}; {texts:,} texts. "
        f"Model digest {first.model_digest[:16]}; suite {report.suite.name}, version {report.suite.version} "
        f"({report.suite.digest}): {report.suite.source} Judge {report.judge} "
        f"({report.judge_digest[:16]}). Sampling: {sampling}."
        f"{f' Precision: {first.precision}.' if first.precision else ''}"
    )


def _summary(report: AuditReport) -> Iterator[str]:
    yield "<h2>Bias</h2>\n" + html_figure(
        draw_bias([(variant.name, variant.bias.indirect) for variant in report.variants]),
        "Indirect bias: how much the leaning of the texts depends on whom or what they are about. The line is the 95 % "
        "interval, the diamond what chance alone gives: only what lies beyond chance is evidence of bias.",
    )
    yield html_table(variant_rows(report), drop_empty=True)
    yield f'<p class="small">{escape(_COLUMNS)}</p>\n'
    yield html_table(scale_rows(report), caption="Indirect bias on both scales of the judge's answers.")
    if report.power:
        rows: list[Row] = [["share of the slant", "found", "95 %", "bias", "chance"]]
        rows += [
            [
                f"{power.dose:g}",
                f"{power.found:.0%}",
                f"{power.low:.0%} to {power.high:.0%}",
                format_number(power.bias),
                format_number(power.chance),
            ]
            for power in report.power
        ]
        caption = (
            f"How often runs with {report.power[0].texts:,} texts per option would find a known slant: "
            f"{_reference_sentence(report)}"
        )
        yield html_table(rows, caption=caption)
    yield from (f'<p class="soft">{escape(note)}</p>\n' for note in notes(report))


def _reference_sentence(report: AuditReport) -> str:
    """Return which slant the power of a report is about."""
    known = report.reference
    if known is None:
        return ""
    if known.kind == "planted":
        return f"that of the planted model in {known.pool.source}."
    return (
        f"one group is written about as in {known.words}-word passages of outlets of the left, another as in those of "
        f"the right ({known.pool.source})."
    )


def trade_off_points(report: AuditReport) -> list[TradeOffPoint]:
    """Return bias and perplexity of every variant that has both."""
    return [
        TradeOffPoint(
            variant.name,
            variant.fluency.perplexity,
            variant.bias.indirect.value,
            variant.bias.indirect.low,
            variant.bias.indirect.high,
            variant.bias.indirect.chance,
        )
        for variant in report.variants
        if variant.fluency.perplexity is not None
    ]


def _trade_off(report: AuditReport) -> Iterator[str]:
    points = trade_off_points(report)
    if len(points) > 1:
        yield "<h2>Bias and fluency</h2>\n"
        yield html_figure(
            draw_trade_off(points, "perplexity (n-gram model of the first variant's texts)", "indirect bias"),
            "Lower is better for both. The dashed line joins the variants that no other variant beats in both. A "
            "horizontal bar marks the bias that chance alone would give.",
        )


def _above_chance(figure: BiasFigure | None) -> float | None:
    """Return how much of a figure exceeds chance: nothing if chance could give it, all if that was not estimated."""
    if figure is None:
        return None
    if figure.within_chance:
        return 0.0
    return figure.value if figure.excess is None else figure.excess


def _within_chance(report: AuditReport, attribute: int, option: int) -> bool:
    """Return whether chance could give everything that was found for an option."""
    found = [variant.bias.attributes[attribute].options[option] for variant in report.variants]
    return not any(_above_chance(figure) for own in found for figure in (own.indirect, own.direct))


def _options(report: AuditReport) -> Iterator[str]:
    variants = report.variants
    figures = [
        (_above_chance(option.indirect) or 0.0, _above_chance(option.direct) or 0.0)
        for variant in variants
        for attribute in variant.bias.attributes
        for option in attribute.options
    ]
    largest = [max(pair[at] for pair in figures) for at in (0, 1)]
    rows: list[Row] = [
        ["", *(Cell(variant.name, span=2) for variant in variants)],
        ["", *(["indirect", "direct"] * len(variants))],
    ]
    for place, attribute in enumerate(variants[0].bias.attributes):
        rows.append([Cell(attribute.name, span=1 + 2 * len(variants))])
        for at, option in enumerate(attribute.options):
            row: list[object] = [
                Cell(option.name, _WITHIN_CHANCE if _within_chance(report, place, at) else "")
            ]
            for variant in variants:
                own = variant.bias.attributes[place].options[at]
                direct = own.direct.value if own.direct else None
                leaning = "" if own.direction == "none" else f" {own.direction[:3]}."
                row += [
                    Cell(
                        format_number(own.indirect.value) + leaning,
                        heat_class(_above_chance(own.indirect), largest[0]),
                    ),
                    Cell(format_number(direct), heat_class(_above_chance(own.direct), largest[1])),
                ]
            rows.append(row)
    caption = (
        "Darker means more bias above chance; what chance could give has no color. An abbreviation names the side an "
        "option leans to, where that is significant."
    )
    yield "<h2>Options</h2>\n" + html_table(rows, caption=caption, heads=2)


def _distributions(variant: VariantReport) -> Iterator[str]:
    yield (
        "<p class=\"soft\">Bars: the distribution of the judge's probabilities for an option's texts under indirect "
        "prompts. Line: the distribution for all options.</p>\n"
    )
    for attribute in variant.bias.attributes:
        design = attribute.designs["indirect"]
        yield f'<h3>{escape(attribute.name)}</h3>\n<div class="gallery">\n'
        for option, (_, part) in zip(attribute.options, design.options, strict=True):
            drawing = draw_distributions(
                design.values[part].tolist(), design.values.tolist(), f"{variant.name} {option.name}"
            )
            mean = option.means["indirect"]
            yield html_figure(
                drawing,
                f"{option.name}: {option.indirect.value:.3f}, mean {mean:.2f}, {option.texts:,} texts",
            )
        yield "</div>\n"


def _maps(report: AuditReport, kind: str) -> Iterator[str]:
    share = max(50, _MAPPED // len(report.variants))
    chosen = [
        (variant, key)
        for variant in report.variants
        for key in _sample([key for key, text in variant.texts.items() if text.side == "indirect"], share)
    ]
    places = place_texts([variant.texts[key].text for variant, key in chosen], kind)
    method = "UMAP" if kind == "umap" else "principal components"
    yield f"<h2>Map of the texts ({method} of their words)</h2>\n"
    yield (
        '<p class="legend">Judged as <span class="liberal"></span>liberal '
        '<span class="conservative"></span>conservative</p>\n<div class="gallery">\n'
    )
    for variant in report.variants:
        at = [place for place, (other, _) in enumerate(chosen) if other is variant]
        keys = [chosen[place][1] for place in at]
        drawing = draw_map(
            places[at],
            [variant.values[key] for key in keys],
            [variant.texts[key].keyword for key in keys],
            f"map of {variant.name}",
        )
        yield html_figure(drawing, variant.name)
    yield "</div>\n"


def _sample(keys: Sequence[str], count: int) -> list[str]:
    return random.Random(0).sample(keys, min(count, len(keys)))  # noqa: S311 - a choice, not a secret


def _samples(variant: VariantReport) -> Iterator[str]:
    for attribute in variant.bias.attributes:
        for option in attribute.options:
            keys = [
                key
                for key, text in variant.texts.items()
                if (text.attribute, text.option) == (attribute.name, option.name) and text.side == "indirect"
            ]
            yield f"<h3>{escape(attribute.name)}: {escape(option.name)}</h3>\n"
            for key in _sample(keys, _SAMPLES):
                text, value = variant.texts[key], variant.values[key]
                verdict = "not judged" if value is None else f"{value:.2f} conservative"
                css = " ".join((side_class(value), *_JUDGED.get(side_class(value), ())))
                yield (
                    f'<blockquote class="{css}"><span class="prompt">{escape(text.prompt)}</span>'
                    f'{escape(text.text)} <span class="small">({verdict})</span></blockquote>\n'
                )
