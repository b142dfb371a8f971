"""What the report on planted models shows: the doses that judges find, and how often an audit would find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unslant.lab.audit.doses import DoseFigure, WrittenFigure, dose_verdict
from unslant.lab.audit.power import measure_power, pool_values, read_pool
from unslant.lab.audit.sections import AuditSection, draw_doses, short_name
from unslant.lab.judges.judge import Judge, judge_texts
from unslant.lab.report.page import html_figure
from unslant.lab.report.table import Row, format_interval, format_number, format_p

if TYPE_CHECKING:
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.audit.suite import Suite


def doses_section(
    figures: Sequence[DoseFigure],
    written: Sequence[WrittenFigure],
    simulated: Sequence[Mapping[str, Any]],
) -> AuditSection:
    """Return what each judge found at each dose, and how often an audit would find it."""
    names = {item.judge: short_name(item.judge) for item in figures}
    if len(set(names.values())) == len(names):
        figures = [replace(item, judge=names[item.judge]) for item in figures]
        simulated = [{**item, "judge": names[item["judge"]]} for item in simulated]
    head = ["judge", "dose", "planted", "texts", "gap", "95 %", "p"]
    rows: list[Row] = [[*head, "indirect", "95 %", "chance", "above chance", "p"]]
    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for item in figures:
        gap, bias = item.gap, item.bias
        value = gap.value or 0.0
        series.setdefault(item.judge, []).append((item.dose, value, gap.low, gap.high))
        cells = [f"{value:+.3f}", format_interval(gap.low, gap.high), format_p(item.gap_p)]
        cells += [f"{bias.value:.3f}", format_interval(bias.low, bias.high), format_number(bias.chance)]
        cells += [format_number(bias.excess), format_p(bias.p)]
        nats = "" if item.planted is None else f"{item.planted:+.2f}"
        rows.append([item.judge, f"{item.dose:g}", nats, f"{item.texts:,}", *cells])
    notes = (
        "Gap: the judge's mean probability of the right for texts about towns of the right, minus that for towns of "
        "the left; 0 is no slant. Indirect: the bias of the audit. Texts: per option. Planted: by how many nats "
        "planted passages are likelier after towns of their side, without any judge.",
        "The second table has no judge: by how many nats the model finds a text likelier after its own town than after "
        "one of the other side, and the share of texts for which that is so; 0 and 50 % are no slant. A debiased text "
        "is scored by the unchanged model.",
        "Below, how often an audit of so many texts per option would find a share of the highest dose; at dose 0, what "
        "is found is chance (5 %).",
    )
    said: list[Row] = [["dose", "written by", "texts", "nats", "95 %", "own side"]]
    for figure in written:
        mean, interval = figure.nats.value or 0.0, format_interval(figure.nats.low, figure.nats.high)
        numbers = [f"{figure.texts:,}", f"{mean:+.2f}", interval, f"{figure.own:.0%}"]
        said.append([f"{figure.dose:g}", figure.variant, *numbers])
    drawing = html_figure(draw_doses(series, "gap"), "The gap over the dose, with 95 % intervals.")
    tables = (rows, said, power_table(simulated))
    return AuditSection("Doses", dose_verdict(figures), "", tables, notes, (drawing,))


def simulate_audits(
    run: RunFolder,
    judges: Mapping[str, Judge],
    sizes: Sequence[int],
    shares: Sequence[float],
    suite: Suite,
    audits: int,
    seed: int,
    *,
    logits: bool = False,
) -> list[dict[str, Any]]:
    """Return how often each share of a planted slant is found, for every judge and number of texts."""
    shape = {attribute.name: len(attribute.options) for attribute in suite.attributes}
    left, right = read_pool(run)
    wire = []
    for name, judge in judges.items():
        values = judge_texts(judge, left), judge_texts(judge, right)
        pool = pool_values(*values, str(run.path), logits=logits)
        for size in sizes:
            for dose in shares:
                found = measure_power(pool, shape, size, dose, audits, seed)
                wire.append({"judge": name, **found.to_dict()})
    return wire


def power_table(wire: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return how often each dose is found, as the rows of a table."""
    rows: list[Row] = [["judge", "texts", "dose", "found", "95 %", "bias", "chance"]]
    for item in wire:
        interval = f"{item['low']:.0%} to {item['high']:.0%}"
        numbers = [f"{item['found']:.0%}", interval, f"{item['bias']:.4f}", f"{item['chance']:.4f}"]
        rows.append([item["judge"], f"{item['texts']:,}", f"{item['dose']:g}", *numbers])
    return rows


def power_section(rows: Sequence[Row], wire: Sequence[Mapping[str, Any]], about: str) -> AuditSection:
    """Return how often each dose is found, one line for each judge and size."""
    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for row in wire:
        name = f"{short_name(row['judge'])}, {row['texts']:,} texts"
        series.setdefault(name, []).append((row["dose"], row["found"], row["low"], row["high"]))
    best = max(wire, key=lambda row: (row["texts"], row["dose"], row["found"]))
    verdict = (
        f"With {best['texts']:,} texts per option, the judge {short_name(best['judge'])} finds dose {best['dose']:g} "
        f"of the planted slant in {best['found']:.0%} of audits."
    )
    drawing = html_figure(
        draw_doses(series, "share found"), "How often a dose is found, with 95 % intervals."
    )
    return AuditSection("Power", verdict, "", (rows,), (about,), (drawing,))
