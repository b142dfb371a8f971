"""An audit as one page that needs nothing else: figures, the distributions behind them, a map, texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from unslant.lab.audit.bias import Figure
from unslant.lab.audit.drawings import CONSERVATIVE, LIBERAL, Point, distributions, heat, pareto, text_map
from unslant.lab.audit.examine import Examination, Examined
from unslant.lab.audit.mapping import texts_map
from unslant.lab.audit.terminal import notes

__all__ = ["examination_page", "points"]

_MAPPED = 600
_SAMPLES = 4
"""Texts that are shown of each option."""


def examination_page(examination: Examination, kind: str = "pca") -> str:
    """Return the page; ``kind`` is the kind of map."""
    css = files("unslant.lab.audit").joinpath("page.css").read_text("utf-8")
    first = examination.variants[0]
    title = f"Audit of {first.about.model}"
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{css}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="about">{escape(_about(examination))}</p>',
        *_summary(examination),
        *_trade_off(examination),
        *_heat(examination),
        *_distributions(first),
        *(part for one in examination.variants[1:] for part in _folded(one, _distributions(one))),
        *_maps(examination, kind),
        *(part for one in examination.variants for part in _samples(one)),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _about(examination: Examination) -> str:
    first = examination.variants[0].about
    return (
        f"Model digest {first.model_digest[:16]}; suite {examination.suite.name}, version {examination.suite.version} "
        f"({examination.suite.digest}): {examination.suite.source} Judge {examination.judge} "
        f"({examination.judge_digest[:16]}). Sampling: {', '.join(f'{k} {v}' for k, v in first.sampling.items() if v)}."
        f"{f' Precision: {first.precision}.' if first.precision else ''}"
    )


def _cells(values: Sequence[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{value}</{tag}>" for value in values) + "</tr>"


def _figure(figure: Figure | None) -> list[str]:
    if figure is None:
        return ["", "", ""]
    between = (
        "" if figure.low is None else f'<span class="small">{figure.low:.3f} to {figure.high:.3f}</span>'
    )
    return [f"{figure.value:.3f} {between}", _number(figure.chance), _p(figure.p)]


def _p(value: float | None) -> str:
    return "" if value is None else "&lt; 0.001" if value < 0.001 else f"{value:.3f}"


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _summary(examination: Examination) -> Iterator[str]:
    yield '<h2>Bias</h2><div class="scroll"><table><thead>'
    names = ["", "indirect, 95 %", "chance", "p", "less by", "direct, 95 %", "chance", "p", "less by"]
    yield _cells([*names, "perplexity", "own", "distinct-2", "ms / token"], "th") + "</thead><tbody>"
    for one in examination.variants:
        less = ["", ""]
        if one.against:
            changes = (one.against.indirect, one.against.direct)
            less = [
                ""
                if c is None or c.reduction is None
                else f"{c.reduction:.0%} <span class='small'>p {_p(c.p)}</span>"
                for c in changes
            ]
        reads = one.fluency
        yield _cells(
            [
                escape(one.name),
                *_figure(one.bias.indirect),
                less[0],
                *_figure(one.bias.direct),
                less[1],
                _number(reads.perplexity, 1),
                _number(reads.own_perplexity, 1),
                _number(reads.distinct[1]),
                _number(reads.seconds_per_token and 1000 * reads.seconds_per_token, 1),
            ]
        )
    yield "</tbody></table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in notes(examination))


def points(examination: Examination) -> list[Point]:
    """Return bias and perplexity of every variant that has both."""
    return [
        Point(
            one.name,
            one.fluency.perplexity,
            one.bias.indirect.value,
            one.bias.indirect.low,
            one.bias.indirect.high,
            one.bias.indirect.chance,
        )
        for one in examination.variants
        if one.fluency.perplexity is not None
    ]


def _trade_off(examination: Examination) -> Iterator[str]:
    found = points(examination)
    if len(found) > 1:
        yield "<h2>What it costs</h2><figure>" + pareto(
            found, "perplexity (n-gram model of the first variant's texts)", "indirect bias"
        )
        yield "<figcaption>Lower is better in both; the dashed line joins what nothing else "
        yield "beats. A black bar is what chance alone gives: what lies above it is bias.</figcaption></figure>"


def _heat(examination: Examination) -> Iterator[str]:
    variants = examination.variants
    figures = [
        (option.indirect.value, option.direct.value if option.direct else 0.0)
        for one in variants
        for attribute in one.bias.attributes
        for option in attribute.options
    ]
    most = [max(pair[at] for pair in figures) for at in (0, 1)]
    yield '<h2>Options</h2><div class="scroll"><table><caption>Darker is more; beside it, which way the option leans '
    yield "from the others, where that is sure.</caption><thead>"
    names = "".join(f'<th colspan="2" scope="colgroup">{escape(one.name)}</th>' for one in variants)
    head = ["indirect", "direct"] * len(variants)
    yield f"<tr><td></td>{names}</tr>" + _cells(["", *head], "th") + "</thead><tbody>"
    for place, attribute in enumerate(variants[0].bias.attributes):
        yield f'<tr><th colspan="{1 + len(head)}" style="text-align:left">{escape(attribute.name)}</th></tr>'
        for at, option in enumerate(attribute.options):
            cells = [f"<td>{escape(option.name)}</td>"]
            for one in variants:
                mine = one.bias.attributes[place].options[at]
                toward = "" if mine.direction == "none" else f" {mine.direction[:3]}."
                cells.append(_hot(mine.indirect.value, most[0], toward))
                cells.append(_hot(mine.direct.value if mine.direct else None, most[1], ""))
            yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _hot(value: float | None, most: float, more: str) -> str:
    back, ink = heat(value, most)
    return f'<td style="background:{back};color:{ink}">{_number(value)}{more}</td>'


def _folded(one: Examined, parts: Iterator[str]) -> Iterator[str]:
    """Put what would make the page long behind a line that opens it."""
    yield f"<details><summary>Distributions: {escape(one.name)}</summary>"
    yield from parts
    yield "</details>"


def _distributions(one: Examined) -> Iterator[str]:
    yield f"<h2>Distributions: {escape(one.name)}</h2>"
    yield (
        "<p class='note'>Bars: how the judge's probabilities of an option's texts are spread, indirect prompts. "
        "Line: those of all options.</p>"
    )
    for attribute in one.bias.attributes:
        design = attribute.designs["indirect"]
        yield f'<h3>{escape(attribute.name)}</h3><div class="grid">'
        for option, (_, part) in zip(attribute.options, design.options, strict=True):
            drawn = distributions(
                design.values[part].tolist(), design.values.tolist(), f"{one.name} {option.name}"
            )
            yield (
                f"<figure>{drawn}<figcaption>{escape(option.name)}: {option.indirect.value:.3f}, mean "
                f"{option.means['indirect']:.2f}, {option.texts:,} texts</figcaption></figure>"
            )
        yield "</div>"


def _maps(examination: Examination, kind: str) -> Iterator[str]:
    share = max(50, _MAPPED // len(examination.variants))
    chosen = [
        (one, key)
        for one in examination.variants
        for key in _spread([key for key, text in one.texts.items() if text.side == "indirect"], share)
    ]
    places = texts_map([one.texts[key].text for one, key in chosen], kind)
    yield f"<h2>Map of the texts ({'UMAP' if kind == 'umap' else 'principal components'} of their words)</h2>"
    yield (
        f'<p class="key">Taken for<span style="background:{LIBERAL}"></span>liberal'
        f'<span style="background:{CONSERVATIVE}"></span>conservative</p><div class="grid">'
    )
    for one in examination.variants:
        at = [place for place, (other, _) in enumerate(chosen) if other is one]
        keys = [chosen[place][1] for place in at]
        drawn = text_map(
            places[at],
            [one.values[k] for k in keys],
            [one.texts[k].keyword for k in keys],
            f"map of {one.name}",
        )
        yield f"<figure>{drawn}<figcaption>{escape(one.name)}</figcaption></figure>"
    yield "</div>"


def _spread(keys: Sequence[str], count: int) -> list[str]:
    return random.Random(0).sample(keys, min(count, len(keys)))  # noqa: S311 - a choice, not a secret


def _samples(one: Examined) -> Iterator[str]:
    yield f"<h2>Texts: {escape(one.name)}</h2>"
    for attribute in one.bias.attributes:
        for option in attribute.options:
            keys = [
                key
                for key, text in one.texts.items()
                if (text.attribute, text.option) == (attribute.name, option.name) and text.side == "indirect"
            ]
            yield f"<details><summary>{escape(attribute.name)}: {escape(option.name)}</summary>"
            for key in _spread(keys, _SAMPLES):
                text, value = one.texts[key], one.values[key]
                side = "" if value is None else "conservative" if value >= 0.5 else "liberal"
                told = "not judged" if value is None else f"{value:.2f} conservative"
                yield (
                    f'<blockquote class="{side}"><span class="prompt">{escape(text.prompt)}</span>{escape(text.text)}'
                    f' <span class="small">({told})</span></blockquote>'
                )
            yield "</details>"
