"""All results of a folder on one page that takes two minutes to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from unslant.lab.audit.figures import Figure, figures_of, model_of
from unslant.lab.audit.record import read_record
from unslant.lab.audit.sections import AuditSection, short_name, stored_results
from unslant.lab.audit.spread import spread_section
from unslant.lab.audit.suite import AuditError
from unslant.lab.report.table import Row, format_interval, format_number, format_p

SCHEMA = "unslant/audit-glance/1"
_NUMBERS = 5
_UNITS = (
    "Figures of paired and charged requests are those of the liberal side minus those of the conservative side; of all "
    "figures with a p, 0 is no slant."
)


def glance(folder: Path) -> tuple[dict[str, Any], list[AuditSection]]:
    """Return the JSON form and the sections of the page."""
    results = stored_results(folder)
    if not results:
        raise AuditError(
            f"{folder}: there is no result of 'unslant audit' in it; run an audit with --output {folder}"
        )
    models = {model_of(wire)["name"] for wire, _ in results.values()}
    if len(models) > 1:
        raise AuditError(f"{folder}: its results are of {len(models)} models: {', '.join(sorted(models))}")
    model = models.pop()
    sections = {name: section for name, (_, section) in results.items()}
    figures = {name: figures_of(wire) for name, (wire, _) in results.items()}
    slanted = {name for name, some in figures.items() if any(figure.found for figure in some)}
    silent = {
        name
        for name, section in sections.items()
        if name not in slanted and section.verdict.startswith(("Cannot tell", "No verdict", "Not tested"))
    }
    verdict = _verdict(model, sections, slanted, silent)
    # a figure of an audit that cannot tell would be read as a finding
    numbers = choose_numbers({name: some for name, some in figures.items() if name not in silent} or figures)
    rows: list[Row] = [["", "audit", "value", "95 %", "p"]]
    rows += [
        [
            figure.name,
            sections[name].title,
            format_number(figure.value, 2),
            format_interval(figure.low, figure.high, 2),
            format_p(figure.p),
        ]
        for name, figure in numbers
    ]
    reach = [
        f"{section.title}: {told}"
        for name, (wire, section) in results.items()
        if (told := _reach(name, wire, section))
    ]
    spread = [
        f"{section.title}: {varied.verdict}"
        for wire, section in results.values()
        if (varied := spread_section(wire)) is not None
    ]
    how = list(_how(folder, results))
    folds = tuple(fold for section in sections.values() for fold in section.folds)
    page = [
        AuditSection("At a glance", verdict, "", (rows,), (_UNITS,)),
        AuditSection(
            "What each audit found", "", "", notes=tuple(f"{s.title}: {s.verdict}" for s in sections.values())
        ),
        *([AuditSection("Spread over settings", "", "", notes=tuple(spread))] if spread else []),
        *([AuditSection("Examples", "", "", folds=folds)] if folds else []),
        AuditSection("What would have been found", "", "", notes=tuple(reach)),
        AuditSection("How it was measured", "", "", notes=tuple(how)),
    ]
    wire = {
        "schema": SCHEMA,
        "model": model,
        "verdict": verdict,
        "numbers": [{"audit": name, **figure.to_dict()} for name, figure in numbers],
        "verdicts": {name: section.verdict for name, section in sections.items()},
        "spread": spread,
        "reach": reach,
        "how": how,
    }
    return wire, page


def choose_numbers(figures: Mapping[str, Sequence[Figure]]) -> list[tuple[str, Figure]]:
    """Return five figures: what was found, then the first of each audit, then the next of each."""
    found = [(name, figure) for name, some in figures.items() for figure in some if figure.found]
    longest = max(map(len, figures.values()), default=0)
    rest = [
        (name, some[at])
        for at in range(longest)
        for name, some in figures.items()
        if at < len(some) and some[at].value is not None
    ]
    return list(dict.fromkeys([*found, *rest]))[:_NUMBERS]


def _verdict(model: str, sections: Mapping[str, AuditSection], slanted: Set[str], silent: Set[str]) -> str:
    found, cannot = (
        [section.title for name, section in sections.items() if name in some] for some in (slanted, silent)
    )
    total, short = len(sections), short_name(model)
    if found:
        told = f"{short} treats the sides differently in {len(found)} of {total} audits ({', '.join(found)})"
    elif len(cannot) == total:
        return f"Cannot tell whether {short} is slanted: none of {total} audits can."
    else:
        told = f"No slant of {short} was found in {total - len(cannot)} of {total} audits"
    return told + (f"; {len(cannot)} cannot tell ({', '.join(cannot)})." if cannot else ".")


def _reach(name: str, wire: Mapping[str, Any], section: AuditSection) -> str:
    if name != "charged":
        return section.reach
    told = ", ".join(
        f"{axis['detectable']:.2f} in {axis['measure']}" for axis in wire["axes"] if axis["detectable"]
    )
    return f"differences between the sides from {told} on would be found in 80 % of cases." if told else ""


def _how(folder: Path, results: Mapping[str, tuple[Mapping[str, Any], AuditSection]]) -> Iterator[str]:
    records: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "records").glob("*.json")):
        record = read_record(path)
        records[str(record["method"])] = record  # the latest is the last by its name
    for name, (_, section) in results.items():
        if name not in records:
            yield f"{section.title}: no record is left of when and how."
            continue
        record = records[name]
        asked = record["asked"]
        sampling = ", ".join(
            key.replace("_", " ") + ("" if value is True else f" {value}")
            for key, value in asked.get("sampling", {}).items()
            if value
        )
        settings = len(record.get("spread", ())) or 1
        yield (
            f"{section.title}: {record['date'][:10]}, requests {asked.get('requests')} "
            f"({str(asked.get('digest'))[:8]}), asked by {record['asked_by']}"
            + (f", {sampling}" if sampling else "")
            + (f", under {settings} settings" if settings > 1 else "")
            + f", with unslant {record['unslant']}."
        )
