"""Compare systems on the same pairs: a table, the published figures, and which differences are significant."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError
from unslant.core.files import write_text
from unslant.lab.evaluation.held_out import Setting, check_left, left_out_notes
from unslant.lab.evaluation.models import SentenceModel
from unslant.lab.evaluation.result import Figure, Section, published
from unslant.lab.evaluation.rewrite import (
    CORPUS,
    DetectorJudge,
    Item,
    Rewritten,
    Sentences,
    judge_of,
    measure,
    pairs_to_rewrite,
)
from unslant.lab.evaluation.rewrite_systems import RewriteSystem
from unslant.lab.report.table import format_p, text_table, wrap_note
from unslant.lab.stats.bootstrap import Difference, compare_paired

_COLUMNS = (
    "BLEU",
    "exact match",
    "called neutral",
    "unchanged",
    "more slanted",
    "turned slanted",
    "words changed",
    "facts changed",
    "safe edits that change facts",
)
_COUNTS = ("words changed", "words changed by editors")
"""Figures that are counts, not shares."""
_COMPARED = ("BLEU", "exact match", "called neutral", "more slanted", "words changed")
_NOTES = (
    "figures are over all test pairs, biased or not, as in the publication (1,052 there, three of which are not in "
    "this copy); those with a biased source are shown apart",
    "quotation marks and brackets of a treebank, which this copy has in some targets only, are put into plain form on "
    "both sides; exact match compares words and marks, however they are spaced",
    "source copy has a BLEU of 80.11 over the tokens of the corpus and of 80.02 over the detokenized text,  "
    "which is what is measured here, both by sacrebleu's tokenizer 13a; the publication has 80.10, and names "
    "no tokenizer",
    "the publication trained on 210,888 pairs that are not public; what is called neutral depends on the judge, and "
    "theirs was another",
    "p: the share of resamples in which the system that is better on all pairs is not better (Koehn 2004)",
)


@dataclass(frozen=True, slots=True)
class RewriteReport:
    """The result of a comparison."""

    systems: Sequence[Rewritten]
    editors: Section
    """The figures of the editors' own targets."""
    judge: str | None
    against: str | None
    differences: Mapping[str, Mapping[str, Difference]]
    """By system and figure: how much higher the figure is than for the system compared with."""
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "task": "rewrite",
            "judge": self.judge,
            "systems": [
                {
                    "system": rewritten.system,
                    "sections": [rewritten.everything.to_dict(), rewritten.biased.to_dict()],
                    "details": rewritten.details,
                }
                for rewritten in self.systems
            ],
            "editors": self.editors.to_dict(),
            "against": self.against,
            "differences": {
                system: {
                    name: {
                        "value": difference.value,
                        "low": difference.low,
                        "high": difference.high,
                        "p": difference.p,
                    }
                    for name, difference in found.items()
                }
                for system, found in self.differences.items()
            },
            "published": {
                name: [entry.to_dict() for entry in published("rewrite", name)]
                for name in ("BLEU", "exact match", "called neutral")
            },
            "notes": list(self.notes),
        }


def compare_systems(
    systems: Sequence[RewriteSystem],
    setting: Setting,
    *,
    against: RewriteSystem | None = None,
    judge: str | None = None,
    limit: int | None = None,
    part: str = "test",
) -> tuple[RewriteReport, list[Item]]:
    """Measure systems on the same pairs, and compare each with ``against`` by a paired bootstrap."""
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise ConfigError(f"--system: {max(names, key=names.count)!r} is named twice; name each system once")
    everyone = [*systems, *([against] if against is not None and against.name not in names else [])]
    for system in everyone:
        # before any system runs
        system.lineage.check(system.name, "wikibias")
    judged = judge_of(judge, everyone)
    models: list[RewriteSystem | SentenceModel] = [*everyone, *([judged.model] if judged else [])]
    items = _unseen(pairs_to_rewrite(setting, limit, part), models, setting)
    sentences = Sentences(items, judged, part)
    found = [measure(system, sentences, setting) for system in everyone]
    differences = {}
    if against is not None and setting.resampling.resamples:
        other = next(rewritten for rewritten in found if rewritten.system == against.name)
        differences = {
            rewritten.system: dict(_differences(rewritten, other, setting))
            for rewritten in found
            if rewritten is not other
        }
    report = RewriteReport(
        found,
        measure(_Editors(items), sentences, setting).everything,
        judged.model.name if judged else None,
        against.name if against else None,
        differences,
        (
            *_notes(found, judged, len(items) if limit is not None or part != "test" else None),
            *left_out_notes(setting),
        ),
    )
    return report, items


def _unseen(
    items: list[Item], models: Sequence[RewriteSystem | SentenceModel], setting: Setting
) -> list[Item]:
    """Return the pairs that none of the models has learned from, and count the others."""
    for model in models:
        model.lineage.check_known(model.name)
        unseen = [item for item in items if not any(map(model.lineage.has_seen, (item.source, item.target)))]
        check_left(model.name, CORPUS, len(items), len(unseen))
        setting.left_out[CORPUS] += len(items) - len(unseen)
        items = unseen
    return items


def _notes(found: Sequence[Rewritten], judge: DetectorJudge | None, limited: int | None) -> Iterator[str]:
    yield from _NOTES
    yield from dict.fromkeys(note for rewritten in found for note in rewritten.notes)
    if judge is None:
        yield (
            "no judge: every detector that comes with unslant took part in the rewrites of one of the systems; name "
            "the folder of another model with --judge"
        )
    else:
        yield from judge.model.lineage.notes("wikibias")
    if limited is not None:
        yield f"measured on {limited:,} other pairs than in the publication, so not comparable with it"


class _Editors:
    """The editors' targets as a system, to compare the others with."""

    name = "the editors"
    ranked_by: frozenset[str] = frozenset()

    def __init__(self, items: Sequence[Item]) -> None:
        from unslant.lab.evaluation.held_out import Lineage

        self.lineage = Lineage()
        self._items = items

    def rewrite(self, texts: Sequence[str]) -> Iterator[Any]:
        from unslant.lab.evaluation.rewrite_systems import Output

        return (Output(item.target) for item, _ in zip(self._items, texts, strict=True))


def _differences(
    rewritten: Rewritten, other: Rewritten, setting: Setting
) -> Iterator[tuple[str, Difference]]:
    theirs = {figure.name: figure for figure in other.everything.figures}
    for figure in rewritten.everything.figures:
        second = theirs.get(figure.name)
        if figure.name not in _COMPARED or second is None:
            continue
        if figure.measure is not None and second.measure is not None:
            yield figure.name, compare_paired(figure.measure, second.measure, setting.resampling)


def write_rewrites(
    report: RewriteReport, items: Sequence[Item], path: Path, sample: int | None = None, seed: int = 0
) -> int:
    """Write rewrites as JSON lines that 'annotate export rewrites' reads; return how many.

    ``sample`` is how many pairs to choose by the seed, the same for every system.
    """
    places = list(range(len(items)))
    if sample is not None and sample < len(places):
        places = sorted(random.Random(seed).sample(places, sample))  # noqa: S311
    rows = [
        {
            "item": items[at].pair,
            "system": rewritten.system,
            "source": items[at].source,
            "rewrite": rewritten.outputs[at].text,
            "target": items[at].target,
            "biased": items[at].biased,
            "edits": None
            if rewritten.outputs[at].edits is None
            else [edit.to_dict() for edit in rewritten.outputs[at].edits or ()],
        }
        for rewritten in report.systems
        for at in places
    ]
    write_text(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return len(rows)


def report_text(report: RewriteReport) -> str:
    """Return a report as text: one row per system, figures in percent, intervals below."""
    parts = [f"rewrite: {report.systems[0].everything.title}, judged by {report.judge or 'nobody'}"]
    parts.append(
        _table([(rewritten.system, rewritten.everything) for rewritten in report.systems], report.editors)
    )
    parts.append(report.systems[0].biased.title)
    parts.append(_table([(rewritten.system, rewritten.biased) for rewritten in report.systems], None))
    parts.append("95 % intervals, all pairs\n" + _intervals(report.systems))
    if report.differences:
        parts.append(f"compared with {report.against}, paired bootstrap\n{_differences_text(report)}")
    parts.append(f"published (Zhong et al. 2021, Table 8)\n{_published_text()}")
    parts.append(
        "\n".join(wrap_note(f"{note}.") for note in (report.systems[0].details["signature"], *report.notes))
    )
    return "\n\n".join(parts)


def _format_figure(name: str, value: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.2f}" if name in _COUNTS else f"{100 * value:.2f}"


def _table(rows: Sequence[tuple[str, Section]], editors: Section | None) -> str:
    every = [*rows, *([("the editors", editors)] if editors is not None else [])]
    names = [
        name for name in _COLUMNS if any(name == figure.name for _, some in rows for figure in some.figures)
    ]
    lines = [["", *names]]
    for system, section in every:
        values = {figure.name: figure.estimate.value for figure in section.figures}
        lines.append(
            [system, *(_format_figure(name, values[name]) if name in values else "" for name in names)]
        )
    return text_table(lines)


def _intervals(systems: Sequence[Rewritten]) -> str:
    lines = []
    for rewritten in systems:
        for figure in rewritten.everything.figures:
            if figure.name in ("BLEU", "exact match", "called neutral", "more slanted", "words changed"):
                lines.append([rewritten.system, figure.name, _interval(figure)])
    return text_table(lines)


def _interval(figure: Figure) -> str:
    low, high = figure.estimate.low, figure.estimate.high
    return (
        ""
        if low is None or high is None
        else f"{_format_figure(figure.name, low)} to {_format_figure(figure.name, high)}"
    )


def _differences_text(report: RewriteReport) -> str:
    lines = [["", "", "difference", "95 %", "p"]]
    for system, found in report.differences.items():
        for name, difference in found.items():
            reach = f"{_format_figure(name, difference.low)} to {_format_figure(name, difference.high)}"
            lines.append(
                [system, name, _format_figure(name, difference.value), reach, format_p(difference.p)]
            )
    return text_table(lines)


def _published_text() -> str:
    names = ("BLEU", "exact match", "called neutral")
    systems: dict[str, dict[str, float]] = {}
    for name in names:
        for entry in published("rewrite", name):
            systems.setdefault(entry.system, {})[name] = entry.value
    lines = [["", *names]]
    lines += [
        [system, *(_format_figure(name, found.get(name)) if name in found else "" for name in names)]
        for system, found in systems.items()
    ]
    return text_table(lines)
