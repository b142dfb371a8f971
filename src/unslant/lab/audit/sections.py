"""The results of each method: a verdict in one sentence, what the run could have detected, then tables.

A section is built from the JSON form of a result, so that the page of an audit can include results of other commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, log2
from pathlib import Path
from typing import Any

from unslant.core.files import read_json
from unslant.lab.audit.suite import AuditError
from unslant.lab.report.page import html_fold, html_page
from unslant.lab.report.table import (
    Row,
    escape_markdown,
    format_interval,
    format_number,
    format_p,
    html_table,
    markdown_table,
    text_table,
    wrap_note,
)
from unslant.report.svg import Svg

_SIGNIFICANCE = 0.05


def short_name(model: str) -> str:
    """Return a model's name for a sentence: the last part of a path, anything else as it is."""
    return model if "://" in model else model.rstrip("/").rpartition("/")[2]


def silent_verdict(model: str, why: str) -> str:
    """Return the verdict on a model whose texts do not tell whether it is slanted."""
    return f"Cannot tell whether {short_name(model)} is slanted: {why}."


@dataclass(frozen=True, slots=True)
class AuditSection:
    """What a reader should know, in the order of reading."""

    title: str
    verdict: str
    """One sentence: what was found, or that nothing was."""
    reach: str
    """What would have been found."""
    tables: tuple[Sequence[Row], ...] = ()
    notes: tuple[str, ...] = ()
    drawings: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    """What a reader of the page can open."""

    @property
    def anchor(self) -> str:
        """The name by which a page links to it: a title may name what somebody else has written."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def section_text(section: AuditSection) -> str:
    """Return a section for a terminal."""
    parts = [wrap_note(section.verdict), wrap_note(section.reach)]
    parts += [text_table(table, drop_empty=True) for table in section.tables]
    parts.append("\n".join(wrap_note(note) for note in section.notes))
    return "\n\n".join(part for part in parts if part)


def section_markdown(section: AuditSection) -> str:
    """Return a section for a page in Markdown; what a reader can open stays HTML, which Markdown takes on one line."""
    notes = "\n".join(f"- {escape_markdown(note)}" for note in section.notes)
    parts = [f"## {section.title}"]
    parts += [f"**{escape_markdown(section.verdict)}**"] if section.verdict else []
    parts += [escape_markdown(section.reach), *map(markdown_table, section.tables), notes]
    parts += [" ".join(fold.split()) for fold in section.folds]
    return "\n\n".join(part for part in parts if part)


def section_html(section: AuditSection) -> Iterator[str]:
    """Yield a section for a page."""
    yield f'<h2 id="{section.anchor}">{escape(section.title)}</h2>\n'
    yield from verdict_html(section.verdict, section.reach)
    yield from section.drawings
    yield from (html_table(table, drop_empty=True) for table in section.tables)
    yield from (f'<p class="soft">{escape(note)}</p>\n' for note in section.notes)
    yield from section.folds


def verdict_html(verdict: str, reach: str) -> Iterator[str]:
    """Yield the sentences that a page or a section begins with."""
    yield from ([f'<p class="verdict">{escape(verdict)}</p>\n'] if verdict else [])
    yield from ([f'<p class="reach">{escape(reach)}</p>\n'] if reach else [])


def linked_verdict(section: AuditSection) -> str:
    """Return the verdict of a section that stands farther down on the page."""
    link = f'<a href="#{section.anchor}">{escape(section.title)}</a>'
    return f'<p class="verdict">{link}: {escape(section.verdict)}</p>\n'


def sections_page(title: str, sections: Iterable[AuditSection], intro: str = "") -> str:
    """Return a page of sections."""
    return html_page(title, (part for section in sections for part in section_html(section)), intro=intro)


def stored_sections(folder: Path) -> list[AuditSection]:
    """Return the sections of the results in a folder, without those of ``audit run``."""
    # a module above this one
    from unslant.lab.audit.spread import spread_section

    return [
        part
        for name, (wire, section) in stored_results(folder).items()
        if name != "run"
        for part in (section, spread_section(wire))
        if part is not None
    ]


def stored_results(folder: Path) -> dict[str, tuple[Mapping[str, Any], AuditSection]]:
    """Return the results that are stored in a folder, by the name of the audit, with their sections."""
    # modules above this one
    from unslant.lab.audit.charged import charged_section
    from unslant.lab.audit.consistency import consistency_section
    from unslant.lab.audit.coverage import coverage_section
    from unslant.lab.audit.figures import figures_of, model_of
    from unslant.lab.audit.spread import spread_section

    makers = {
        "run": _run_section,
        "likelihood": likelihood_section,
        "paired": paired_section,
        "stance": stance_section,
        "coverage": coverage_section,
        "charged": charged_section,
        "consistency": consistency_section,
    }
    found = {}
    for name, make in makers.items():
        path = folder / f"{'report' if name == 'run' else name}.json"
        if path.exists():
            try:
                wire = read_json(path, error=AuditError)
                found[name] = wire, make(wire)
                figures_of(wire), model_of(wire), spread_section(wire)  # what pages read as well
            except (KeyError, TypeError, ValueError, AttributeError):
                raise AuditError(f"{path}: not a result of 'unslant audit {name}'; remove it") from None
    return found


def _run_section(wire: Mapping[str, Any]) -> AuditSection:
    """Return what a result of ``audit run`` says; its own page has the rest."""
    if not wire["variants"]:
        return AuditSection("Texts", silent_verdict(str(wire["model"]), str(wire["cannot_tell"])), "")
    return AuditSection("Texts", str(wire["verdict"]), str(wire["reach"]))


def likelihood_section(wire: Mapping[str, Any]) -> AuditSection:
    """Describe a result of ``audit likelihood``."""
    contexts = wire["contexts"]
    first = next(iter(contexts.values()))[0]
    lead, p, model = first["lead"], first["p"], short_name(wire["model"]["name"])
    counts = f"{first['pairs']:,} matched pairs"
    if p is None:
        verdict = f"{model}: the liberal wording leads by {lead['value']:+.2f} nats over {counts}; no test was made."
    elif p <= _SIGNIFICANCE:
        side = "liberal" if lead["value"] > 0 else "conservative"
        verdict = (
            f"{model} finds the {side} wording more likely, by {abs(lead['value']):.2f} nats on average over "
            f"{counts} (p {format_p(p)})."
        )
    else:
        verdict = (
            f"{model} finds neither side's wording more likely over {counts}: the lead is {lead['value']:+.2f} nats "
            f"(p {format_p(p)})."
        )
    rows: list[Row] = [["", "lead (nats)", "95 %", "share liberal", "95 %", "p", "pairs", "issues"]]
    for name, leads in contexts.items():
        for at, item in enumerate(leads):
            rows.append([_context_name(name, item["name"], at, len(contexts)), *_lead_cells(item)])
    if wire["difference"]:
        rows.append([wire["difference"]["name"], *_lead_cells(wire["difference"])])
    notes = (
        "Lead: log P(liberal wording) - log P(conservative wording), averaged over pairs with the words exchanged. 0 "
        "is no slant; above 0 is liberal. Share: the share of pairs whose liberal wording is more likely; 0.5 "
        "is no slant. Intervals and p are over issues.",
    )
    return AuditSection("Likelihood", verdict, _lead_reach(lead), (rows,), notes)


def _context_name(context: str, name: str, at: int, contexts: int) -> str:
    if contexts == 1:
        return name if at == 0 else f"  {name}"
    return f"{context}: {name}" if at == 0 else f"  {name}"


def _lead_cells(result: Mapping[str, Any]) -> list[object]:
    lead, share = result["lead"], result["share"]
    return [
        f"{lead['value']:+.3f}",
        format_interval(lead["low"], lead["high"]),
        format_number(share["value"]),
        format_interval(share["low"], share["high"]),
        format_p(result["p"]),
        f"{result['pairs']:,}",
        f"{result['units']:,}",
    ]


def _lead_reach(lead: Mapping[str, Any]) -> str:
    least = least_found(lead)
    if least is None:
        return ""
    return f"With these pairs, a lead of {least:.2f} nats or more would be found in 80 % of cases."


def least_found(value: Mapping[str, Any]) -> float | None:
    """Return the smallest value that would be found in 80 % of cases, by its interval; None without a width."""
    if value["low"] is None or value["high"] is None or value["low"] == value["high"]:
        return None
    # 2.8 standard errors are found in 80 % of cases; a 95 % interval is 3.92 standard errors wide
    return float(2.8 * (value["high"] - value["low"]) / 3.92)


def paired_section(wire: Mapping[str, Any]) -> AuditSection:
    """Describe a result of ``audit paired``."""
    measured = wire["asymmetries"]
    level = _SIGNIFICANCE / max(1, len(measured))
    rows: list[Row] = [["", "liberal", "conservative", "difference", "95 %", "chance", "p", "detectable"]]
    rows += [_asymmetry_cells(asymmetry) for asymmetry in measured]
    reach = ", ".join(
        f"{item['detectable']:.2f} in {item['measure']}" for item in measured if item["detectable"]
    )
    notes = (
        "Difference: liberal minus conservative, averaged over pairs. Chance: its mean size if sides are exchanged at "
        "random within pairs. Detectable: what this number of pairs would find in 80 % of cases. Five properties are "
        f"tested, so a difference counts from p {level:.2f} on.",
        f"Units: {'; '.join('{measure}, {unit}'.format(**item) for item in measured)}.",
    )
    return AuditSection(
        "Paired requests",
        _paired_verdict(wire, level),
        f"With these pairs, the following differences would be found in 80 % of cases: {reach}."
        if reach
        else "",
        (rows,),
        notes,
        folds=tuple(_example_folds(wire.get("examples", ()))),
    )


def _asymmetry_cells(asymmetry: Mapping[str, Any]) -> list[object]:
    gap = asymmetry["difference"]
    return [
        asymmetry["measure"],
        format_number(asymmetry["liberal"]),
        format_number(asymmetry["conservative"]),
        f"{gap['value']:+.3f}",
        format_interval(gap["low"], gap["high"]),
        format_number(asymmetry["chance"]),
        format_p(asymmetry["p"]),
        format_number(asymmetry["detectable"]),
    ]


def _paired_verdict(wire: Mapping[str, Any], level: float) -> str:
    pairs, model = wire["pairs"], short_name(wire["model"]["name"])
    found = [
        f"{item['measure']} (more for the {'liberal' if item['difference']['value'] > 0 else 'conservative'} side, "
        f"p {format_p(item['p'])})"
        for item in wire["asymmetries"]
        if item["p"] is not None and item["p"] <= level
    ]
    if found:
        return f"{model} answers the two sides differently in {', '.join(found)}, over {pairs:,} pairs of requests."
    if wire.get("cannot_tell"):
        return f"Cannot tell whether {model} answers both sides alike: {wire['cannot_tell']}."
    return f"{model} answers both sides alike in all five respects, as far as {pairs:,} pairs can tell."


def _example_folds(examples: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for example in examples:
        parts = (
            f'<blockquote class="{side}"><span class="prompt">{escape(example[side]["request"])}</span> '
            f"{escape(example[side]['reply'])}</blockquote>\n"
            for side in ("liberal", "conservative")
        )
        kind = f"{example['measure']}: " if "measure" in example else ""
        yield html_fold(f"Replies, {kind}{example['liberal']['request']}", parts)


def stance_section(wire: Mapping[str, Any]) -> AuditSection:
    """Describe a result of ``audit stance``; a judge that people disagree with gives no verdict."""
    rows: list[Row] = [["framing", "mean stance", "95 %", "refusals"]]
    rows += [
        [
            name,
            format_number(value["value"], 2),
            format_interval(value["low"], value["high"], 2),
            f"{wire['refusals'].get(name, 0):.0%}",
        ]
        for name, value in wire["framings"].items()
    ]
    issues: list[Row] = [["issue", "texts", "stance", "p"]]
    issues += [
        [issue["issue"], issue["texts"], f"{issue['stance']:+.2f}", format_p(issue["p"])]
        for issue in wire["issues"][:20]
    ]
    level = _SIGNIFICANCE / max(1, len(wire["issues"]))
    notes = (
        "Stance: from -1 (only con) over 0 to 1 (only pro), without refusals. Issues are tested under neutral framing, "
        f"by a sign test of pro against con; with {len(wire['issues'])} issues, one counts from p {level:.4f} on.",
    )
    reach = f"{_stance_reach(wire, level)} {_agreement(wire)}".strip()
    folds = tuple(_text_fold(issue) for issue in wire["issues"][:20] if issue.get("examples"))
    return AuditSection(
        "Stance on issues", _stance_verdict(wire, level), reach, (rows, issues), notes, folds=folds
    )


def _text_fold(issue: Mapping[str, Any]) -> str:
    texts = (
        f'<blockquote>{escape(text)} <span class="small">({label})</span></blockquote>\n'
        for label, text in issue["examples"]
    )
    return html_fold(f"Texts: {issue['issue']}", texts)


def _stance_verdict(wire: Mapping[str, Any], level: float) -> str:
    model, judge, f1 = (
        short_name(wire["model"]["name"]),
        short_name(wire["judge"]),
        wire["validation"]["macro_f1"],
    )
    if not wire["validation"]["sufficient"]:
        return (
            f"No verdict: the judge {judge} agrees too little with people (macro-F1 {f1['value']:.2f}, 0.60 is the "
            "least), so the figures below are only about this judge."
        )
    sided, count = [issue for issue in wire["issues"] if issue["p"] <= level], len(wire["issues"])
    if not sided and wire.get("cannot_tell"):
        return f"Cannot tell whether {model} takes a side: {wire['cannot_tell']}."
    most = max((issue["texts"] for issue in wire["issues"]), default=0)
    if not sided and most < _needed(level):
        return f"Cannot tell whether {model} takes a side: the most texts on an issue are {most}."
    if not sided:
        return f"{model} takes no side on any of {count} issues, as far as these texts can tell."
    which = ", ".join(f"{issue['issue']} ({issue['stance']:+.2f})" for issue in sided[:3])
    more = "such as" if len(sided) > 3 else "namely"
    return f"{model} takes a side on {len(sided)} of {count} issues without being asked to, {more} {which}."


def _needed(level: float) -> int:
    """Return how many texts on an issue must take the same side for a sign test to count at this level."""
    return ceil(1 - log2(level))


def _stance_reach(wire: Mapping[str, Any], level: float) -> str:
    """Return how many texts of one issue must agree for a stance to be found."""
    needed = _needed(level)
    most = max((issue["texts"] for issue in wire["issues"]), default=0)
    told = f"A side is found only if at least {needed} texts on an issue take one, and all the same"
    if most < needed:
        return f"{told}; the most for an issue are {most}, so none can be found. Use more --templates."
    return f"{told}, or more with exceptions; there are up to {most} texts per issue."


def _agreement(wire: Mapping[str, Any]) -> str:
    validation = wire["validation"]
    f1 = validation["macro_f1"]
    how = ", each judged without having learned from texts on its issue" if validation.get("learned") else ""
    return (
        f"The judge {short_name(wire['judge'])} reaches a macro-F1 of {f1['value']:.2f} "
        f"({format_interval(f1['low'], f1['high'], 2)}) on {validation['texts']:,} texts that people labelled{how}; "
        f"two people agree on {validation['people']:.0%} of them."
    )


_DOSES = {0.0: "0", 0.5: "0.5", 1.0: "1"}
_DASHES = (None, "7 3", "2 3")
"""Combined with five colours, these tell fifteen lines apart, even for readers who see no colours."""


def draw_doses(
    series: Mapping[str, Sequence[tuple[float, float, float | None, float | None]]],
    up: str,
    along: str = "dose",
    ticks: Mapping[float, str] = _DOSES,
) -> str:
    """Plot measured values against doses, or something else from 0 to 1, with intervals: (dose, value, low, high).

    Each series has its own colour and dashes, and a line in the legend.
    """
    height, margin, beside = 300, 56, max(190, 70 + 7 * max(map(len, series)))
    width = 530 + beside
    points_of = [point for points in series.values() for point in points]
    top = max(0.0, *(value if high is None else high for _, value, _, high in points_of)) * 1.05
    bottom = min(0.0, *(value if low is None else low for _, value, low, _ in points_of))
    top = top if top > bottom else bottom + 1.0

    def place(dose: float, value: float) -> tuple[float, float]:
        across = margin + dose * (width - margin - beside)
        return across, height - margin + 12 - (value - bottom) / (top - bottom) * (height - margin - 4)

    svg = Svg(width, height, f"{up} over {along}")
    svg.line(*place(0, 0), *place(1, 0), css="grid")
    svg.line(*place(0, bottom), *place(0, top), css="grid")
    for number, (name, points) in enumerate(series.items()):
        css, dashes = f"c{number % 5}", _DASHES[number % len(_DASHES)]
        line = f"mark {css}"
        svg.polyline([place(dose, value) for dose, value, _, _ in points], css=line, stroke_dasharray=dashes)
        for dose, value, low, high in points:
            if low is not None and high is not None:
                svg.line(*place(dose, low), *place(dose, high), css=line, stroke_opacity=0.4)
            svg.circle(
                *place(dose, value),
                4.5,
                title=f"{name}, {along} {ticks.get(dose, f'{dose:g}')}: {value:.3f}",
                css=css,
            )
        key, row = width - beside + 18, 20 + 18 * number
        svg.line(key, row, key + 28, row, css=line, stroke_dasharray=dashes)
        svg.circle(key + 14, row, 4.5, title=name, css=css)
        svg.text(key + 36, row + 4, name)
    for at, tick in ticks.items():
        x, y = place(at, bottom)
        svg.text(x, y + 16, tick, text_anchor="middle", css="tick")
    for level_at in dict.fromkeys([bottom, 0.0, top / 2, top]):
        left, level = place(0, level_at)
        svg.text(left - 6, level + 4, f"{level_at:.2f}", text_anchor="end", css="tick")
    svg.text((margin + width - beside) / 2, height - 6, along, text_anchor="middle")
    svg.text(12, height / 2, up, text_anchor="middle", transform=f"rotate(-90 12 {height / 2})")
    return svg.render()
