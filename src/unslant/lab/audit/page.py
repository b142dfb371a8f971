"""An audit as a page: figures, the distributions behind them, a map of the texts, and sample texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from html import escape

from unslant.lab.audit.bias import BiasFigure
from unslant.lab.audit.drawings import (
    TradeOffPoint,
    draw_distributions,
    draw_map,
    draw_trade_off,
    heat_class,
    place_texts,
    side_class,
)
from unslant.lab.audit.examine import AuditReport, VariantReport
from unslant.lab.audit.sections import AuditSection, section_html, verdict_html
from unslant.lab.audit.terminal import audit_reach, audit_verdict, notes, scale_rows, variant_rows
from unslant.lab.report.page import html_figure, html_page
from unslant.lab.report.table import Cell, Row, format_number, html_table

__all__ = ["audit_page", "trade_off_points"]

_MAPPED = 600
_SAMPLES = 4
"""The number of texts shown for each option."""


def audit_page(report: AuditReport, kind: str = "pca", others: Sequence[AuditSection] = ()) -> str:
    """Return the page; ``kind`` is the kind of map, ``others`` are results of other methods."""
    first = report.variants[0]
    parts = [
        *verdict_html(audit_verdict(report), audit_reach(report)),
        *(part for other in others for part in verdict_html(other.verdict, "")),
        *_summary(report),
        *(part for other in others for part in section_html(other)),
        *_trade_off(report),
        *_options(report),
        *_distributions(first),
        *(part for variant in report.variants[1:] for part in _folded_distributions(variant)),
        *_maps(report, kind),
        *(part for variant in report.variants for part in _samples(variant)),
    ]
    return html_page(f"Audit of {first.about.model}", parts, intro=_about(report))


def _about(report: AuditReport) -> str:
    first = report.variants[0].about
    sampling = ", ".join(f"{name} {value}" for name, value in first.sampling.items() if value)
    return (
        f"Model digest {first.model_digest[:16]}; suite {report.suite.name}, version {report.suite.version} "
        f"({report.suite.digest}): {report.suite.source} Judge {report.judge} "
        f"({report.judge_digest[:16]}). Sampling: {sampling}."
        f"{f' Precision: {first.precision}.' if first.precision else ''}"
    )


def _summary(report: AuditReport) -> Iterator[str]:
    yield "<h2>Bias</h2>\n" + html_table(variant_rows(report), drop_empty=True)
    yield html_table(scale_rows(report), caption="Indirect bias on both scales of the judge's answers.")
    if report.power:
        rows: list[Row] = [["share of the planted slant", "found", "95 %", "bias", "chance"]]
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
            f"How often runs with {report.power[0].texts:,} texts per option would find a planted slant."
        )
        yield html_table(rows, caption=caption)
    yield from (f'<p class="soft">{escape(note)}</p>\n' for note in notes(report))


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
    """Return how much of a figure exceeds chance; all of it if chance was not estimated."""
    if figure is None:
        return None
    return figure.value if figure.excess is None else figure.excess


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
            row: list[object] = [option.name]
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


def _folded_distributions(variant: VariantReport) -> Iterator[str]:
    yield f"<details><summary>Distributions: {escape(variant.name)}</summary>\n"
    yield from _distributions(variant)
    yield "</details>\n"


def _distributions(variant: VariantReport) -> Iterator[str]:
    yield f"<h2>Distributions: {escape(variant.name)}</h2>\n"
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
    yield f"<h2>Texts: {escape(variant.name)}</h2>\n"
    for attribute in variant.bias.attributes:
        for option in attribute.options:
            keys = [
                key
                for key, text in variant.texts.items()
                if (text.attribute, text.option) == (attribute.name, option.name) and text.side == "indirect"
            ]
            yield f"<details><summary>{escape(attribute.name)}: {escape(option.name)}</summary>\n"
            for key in _sample(keys, _SAMPLES):
                text, value = variant.texts[key], variant.values[key]
                verdict = "not judged" if value is None else f"{value:.2f} conservative"
                yield (
                    f'<blockquote class="{side_class(value)}"><span class="prompt">{escape(text.prompt)}</span>'
                    f'{escape(text.text)} <span class="small">({verdict})</span></blockquote>\n'
                )
            yield "</details>\n"
