"""Reports of probing results: tables in the form of the publication for the terminal and Markdown, and an HTML page.

The page holds bars by dimension or class and a dot for every wording. It has no scripts and loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.categories import REPHRASING_CATEGORIES
from unslant.lab.probing.results import MAIN_METRIC, METRICS, MetricSummary, ProbeCell, ProbeResult, published
from unslant.lab.report.page import html_fold, html_page, html_switches
from unslant.lab.report.table import Report, Table, escape_markdown, format_deviation
from unslant.report.svg import Svg

_PUBLISHED = "GPT-Neo"
_FACTORS = {"wording": "the wording", "seed": "the seed", "text": "the text", "rest": "their interaction"}


def _report(result: ProbeResult) -> Report:
    tables = _identification(result) if result.task == "identification" else []
    tables.append(_by_shots(result))
    if any(cell.categories for cell in result.cells):
        tables.append(_by_category(result))
    return Report(f"{result.task}: {result.model}, {result.title}", tables, list(list_remarks(result)))


def render_text(result: ProbeResult) -> str:
    """Return the report on one task for the terminal."""
    return _report(result).text()


def render_markdown(result: ProbeResult) -> str:
    """Return the report on one task as Markdown."""
    about = escape_markdown(f"{result.model}, {result.title}.")
    return f"### {result.task.capitalize()}\n\n{about}\n\n{_report(result).markdown()}"


def _published(result: ProbeResult) -> Mapping[str, Any]:
    setting = result.setting
    return published(
        result.task, str(setting.get("sampling", "random")), str(setting.get("decoding", "span"))
    )


def _shots(result: ProbeResult) -> list[int]:
    return list(dict.fromkeys(cell.shots for cell in result.cells))


def _examples(shots: int) -> str:
    return f"{shots} examples" if shots else "no example"


def _by_shots(result: ProbeResult) -> Table:
    """Return classes and metrics as rows, numbers of examples as columns, as in Tables 4 to 8."""
    known = _published(result) if result.task != "identification" else {}
    references = known if {cell.family for cell in result.cells} & set(known) else {}
    given = {shots for metrics in references.values() for row in metrics.values() for shots in row}
    shots = _shots(result)
    shown = [number for number in shots if str(number) in given]
    head = [""]
    for number in shots:
        head += [_examples(number), *([_PUBLISHED] if number in shown else [])]
    rows = [head]
    for family in dict.fromkeys(cell.family for cell in result.cells):
        cells = {cell.shots: cell for cell in result.cells if cell.family == family}
        for metric in METRICS[result.task]:
            row = [f"{family.capitalize()}: {metric.title}"]
            for number in shots:
                row.append(_value(cells[number].metrics[metric.name]))
                if number in shown:
                    row.append(_reference(references.get(family, {}).get(metric.name, {}), number))
            rows.append(row)
    return Table([*rows, *_baselines(result, len(head), references)])


def _baselines(result: ProbeResult, width: int, references: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, values in result.baselines.items():
        for metric in METRICS[result.task]:
            row = [f"{name.capitalize()}: {metric.title}", format_deviation(values[metric.name], None)]
            if name in references and width > 2:
                row.append(_reference(references[name].get(metric.name, {}), 0))
            yield row + [""] * (width - len(row))


def _by_category(result: ProbeResult) -> Table:
    """Return the categories of rephrasings as rows, classes as columns, as in Table 10."""
    cells = [cell for cell in result.cells if cell.categories]
    many = len({cell.shots for cell in cells}) > 1
    rows = [["", *(f"{cell.family}, {cell.shots}" if many else cell.family for cell in cells), "rule"]]
    for name, rule in REPHRASING_CATEGORIES.items():
        values = (format_deviation(cell.categories[name].mean, None) for cell in cells)
        rows.append([name, *values, rule])
    return Table(rows, "Rephrasings by category, in percent")


def _identification(result: ProbeResult) -> list[Table]:
    """Return a table of dimensions and classes per number of examples, as in Tables 9, A7 and A8."""
    references = _published(result)
    tables = []
    for shots in _shots(result):
        cells = [cell for cell in result.cells if cell.shots == shots]
        rows = [[""], *([name] for name in dimensions())]
        for cell in cells:
            beside = cell.family in references
            rows[0] += [cell.family.capitalize(), *([_PUBLISHED] if beside else [])]
            for row in rows[1:]:
                summary = cell.by_dimension.get(row[0])
                row.append(_value(summary) if summary else "no text")
                if beside:
                    row.append(_reference(references[cell.family].get(row[0], {}), shots))
        tables.append(Table(rows, f"Exact match by dimension, {_examples(shots)}"))
    return tables


def _value(summary: MetricSummary) -> str:
    return format_deviation(summary.mean, summary.deviation)


def _reference(row: Mapping[str, Sequence[float]], shots: int) -> str:
    values = row.get(str(shots))
    return format_deviation(values[0], values[1] if len(values) > 1 else None) if values else ""


def list_remarks(result: ProbeResult) -> Iterator[str]:
    """Yield what the tables do not show: intervals, the effect of the wording, calibration, invalid answers."""
    main = MAIN_METRIC[result.task]
    for cell in result.cells:
        name = f"{cell.family}, {_examples(cell.shots)}"
        summary = cell.metrics[main.name]
        if summary.low is not None and summary.high is not None:
            yield f"{name}: {main.title} 95 % interval over texts {summary.low:.1f} to {summary.high:.1f}"
        yield from _wording_remarks(name, cell, result, main.title)
        if cell.calibration and cell.calibration["ece"] is not None:
            mean, brier = cell.calibration["mean"], cell.calibration["brier"]
            yield (
                f"{name}: mean probability of yes {mean:.2f}; calibration error {cell.calibration['ece']:.3f}, "
                f"Brier score {brier:.3f}"
            )
        if cell.invalid:
            yield f"{name}: {cell.invalid:,} of {cell.answers:,} answers were invalid and are excluded"
    yield from result.notes


def _wording_remarks(name: str, cell: ProbeCell, result: ProbeResult, title: str) -> Iterator[str]:
    if cell.variance:
        factors = {name: share for name, share in cell.variance.items() if name != "seed" or cell.seeds > 1}
        shares = ", ".join(f"{share:.1%} {_FACTORS[factor]}" for factor, share in factors.items())
        yield f"{name}: of the variance of single answers, {shares}"
    if cell.wordings > 1 and cell.each:
        (best, high), (worst, low) = cell.each[0], cell.each[-1]
        good, bad = _one_line(result.texts[best]), _one_line(result.texts[worst])
        yield f"{name}: best wording {high:.1f}, “{good}”; worst {low:.1f}, “{bad}”"
    for slot, variants in cell.words.items():
        if len(variants) > 1:
            values = ", ".join(f"{variant} {value:.1f}" for variant, value in variants.items())
            yield f"{name}: {title} by {slot}: {values}"


def _one_line(text: str) -> str:
    return text.replace("{targeting}", "").replace("\n", " / ")


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


def _scale_end(values: Sequence[float]) -> float:
    """Return a round upper end of the scale."""
    return next(end for end in (20.0, 40.0, 60.0, 80.0, 100.0) if max([*values, 1.0]) <= end or end == 100.0)


_Group = list[tuple[int, str, MetricSummary, float | None]]
"""The bars of one dimension or class: the number and name of the class, its figure and the published one."""


def _groups(result: ProbeResult, cells: Sequence[ProbeCell]) -> list[tuple[str, _Group]]:
    references, main = _published(result), MAIN_METRIC[result.task]
    groups: dict[str, _Group] = {}
    for at, cell in enumerate(cells):
        # published extraction results are not split by dimension
        known = {} if cell.by_dimension and result.task == "extraction" else references
        for name, summary in (cell.by_dimension or {cell.family: cell.metrics[main.name]}).items():
            reference = _reference_value(known, cell, name if cell.by_dimension else main.name)
            groups.setdefault(name, []).append((at, cell.family, summary, reference))
    # dimensions in the order of the taxonomy, classes as they come
    order = {name: at for at, name in enumerate(dimensions())}
    return sorted(groups.items(), key=lambda row: order.get(row[0], 0))


def draw_bars(result: ProbeResult, shots: int) -> str:
    """Return an SVG with bars by dimension and class, or by class alone if there are no dimensions."""
    rows = _groups(result, [cell for cell in result.cells if cell.shots == shots])
    main = MAIN_METRIC[result.task]
    highest = [
        value
        for _, group in rows
        for *_, summary, reference in group
        for value in ((summary.mean or 0) + (summary.deviation or 0), summary.high or 0, reference or 0)
    ]
    chart = _Chart(f"{main.title}, {shots} examples", _scale_end(highest))
    for name, group in rows:
        chart.label(name, chart.y + _ROW * len(group) / 2 + 4)
        for at, family, summary, reference in group:
            _draw_bar(chart, at, family, summary)
            if reference is not None:
                chart.published(reference, chart.y + _ROW / 2, f"{family}, as published")
            chart.y += _ROW
        chart.y += 8
    return chart.render()


def _draw_bar(chart: _Chart, at: int, family: str, summary: MetricSummary) -> None:
    label = f"{family}: {format_deviation(summary.mean, None)}"
    interval = summary.low is not None and summary.high is not None
    if interval:
        label += f", 95 % interval {summary.low:.1f} to {summary.high:.1f}"
    width = max(chart.x(summary.mean or 0.0) - _LEFT, 1)
    chart.svg.rect(_LEFT, chart.y + 1, width, _ROW - 3, title=label, css=f"c{at % _COLOURS}")
    if summary.low is not None and summary.high is not None:
        chart.whisker(summary.low, summary.high, chart.y + _ROW / 2 - 0.5)


def _reference_value(references: Mapping[str, Any], cell: ProbeCell, name: str) -> float | None:
    values = references.get(cell.family, {}).get(name, {}).get(str(cell.shots))
    return float(values[0]) if values else None


def draw_dots(result: ProbeResult) -> str:
    """Return an SVG with a dot for each wording, a line at the mean and a diamond at the published value."""
    main = MAIN_METRIC[result.task]
    references = _published(result)
    values = [value for cell in result.cells for _, value in cell.each]
    known = (_reference_value(references, cell, main.name) for cell in result.cells)
    values += [value for value in known if value is not None]
    chart = _Chart(f"{main.title} of each wording", _scale_end(values))
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    for cell in result.cells:
        middle = chart.y + 14
        chart.label(f"{cell.family}, {_examples(cell.shots)}", middle + 4)
        colour = families.index(cell.family) % _COLOURS
        for place, (name, value) in enumerate(cell.each):
            # neighbours have different heights, so that equal values remain visible
            offset = ((place * 7) % 11 - 5) * 1.7 if len(cell.each) > 1 else 0
            label = f"{value:.1f}: {result.texts.get(name, '')}".replace("{targeting}", "")
            chart.svg.circle(chart.x(value), middle + offset, 4, title=label, css=f"dot c{colour}")
        mean = cell.metrics[main.name].mean
        if mean is not None:
            chart.svg.line(chart.x(mean), middle - 12, chart.x(mean), middle + 12, css="mark")
        if (reference := _reference_value(references, cell, main.name)) is not None:
            chart.published(reference, middle, f"{cell.family}, as published")
        chart.y += 32
    return chart.render()


def render_html(results: Sequence[ProbeResult]) -> str:
    """Return one HTML page for several tasks."""
    models = " and ".join(dict.fromkeys(result.model for result in results))
    return html_page(
        f"How {models} handles slant",
        [
            html_switches([result.task for result in results]),
            *(part for number, result in enumerate(results, 1) for part in _render_task(result, number)),
        ],
        intro="All values in percent. Bars and lines are means over wordings and seeds, whiskers 95 % intervals over "
        "texts; a diamond marks the result of Bauer et al. (2023) for GPT-Neo 1.3B on CAD.",
    )


def _render_task(result: ProbeResult, number: int) -> Iterator[str]:
    main = MAIN_METRIC[result.task]
    yield f'<section class="part-{number}">\n'
    yield f"<h2>{escape(result.task.capitalize())}</h2>\n"
    yield f'<p class="soft">{escape(result.title)}</p>\n'
    yield from _legend(result)
    for shots in _shots(result):
        by_dimension = any(cell.by_dimension for cell in result.cells)
        yield f"<h3>{escape(main.title)}{' by dimension' if by_dimension else ''}, {shots or 'no'} examples</h3>\n"
        yield draw_bars(result, shots)
    if any(cell.wordings > 1 for cell in result.cells):
        yield f"<h3>How much the wording matters: {escape(main.title)} of each wording</h3>\n{draw_dots(result)}"
    report = _report(result)
    for table in report.tables:
        if isinstance(table, Table):
            yield html_fold(table.title or "All metrics", [table.html()])
    remarks = [f"<li>{escape(line)}</li>\n" for line in report.notes]
    yield html_fold(f"Remarks: {len(remarks)}", ["<ul>\n", *remarks, "</ul>\n"])
    yield "</section>\n"


def _legend(result: ProbeResult) -> Iterator[str]:
    families = list(dict.fromkeys(cell.family for cell in result.cells))
    if len(families) > 1:
        marks = ""
        for at, name in enumerate(families):
            svg = Svg(len(name) * 8 + 40, 24, name)
            svg.rect(8, 6, 12, 12, css=f"c{at % _COLOURS}")
            svg.text(26, 16, name)
            marks += svg.render()
        yield f'<p class="legend">{marks}</p>\n'
