"""Compare systems on the same pairs: a table, the published figures, and which differences are significant."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.encoding import encode
from unslant.core.errors import ConfigError
from unslant.lab.evaluation.held_out import Setting, check_left, left_out_notes
from unslant.lab.evaluation.models import SentenceModel
from unslant.lab.evaluation.result import Section, published
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
from unslant.lab.evaluation.rewrite_systems import FunctionSystem, Output, RewriteSystem
from unslant.lab.report.table import format_p, text_table, wrap_note
from unslant.lab.stats.bootstrap import Difference, Estimate, compare_paired

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
_PUBLISHED = ("BLEU", "exact match", "called neutral")
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
                    "sections": encode((rewritten.everything, rewritten.biased)),
                    "details": rewritten.details,
                }
                for rewritten in self.systems
            ],
            "editors": self.editors.to_dict(),
            "against": self.against,
            "differences": encode(self.differences),
            "published": {name: encode(published("rewrite", name)) for name in _PUBLISHED},
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
    limited = len(items) if limit is not None or part != "test" else None
    targets = iter(items)
    editors = FunctionSystem(
        "the editors", lambda: lambda texts: [Output(next(targets).target) for _ in texts]
    )
    report = RewriteReport(
        found,
        measure(editors, sentences, setting).everything,
        judged.model.name if judged else None,
        against.name if against else None,
        differences,
        (*_notes(found, judged, limited), *left_out_notes(setting)),
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


def rewrite_rows(
    report: RewriteReport, items: Sequence[Item], sample: int | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """Return rewrites as rows that 'annotate export rewrites' reads.

    ``sample`` is how many pairs to choose by the seed, the same for every system.
    """
    places = list(range(len(items)))
    if sample is not None and sample < len(places):
        places = sorted(random.Random(seed).sample(places, sample))  # noqa: S311
    return [
        {
            "item": items[at].pair,
            "system": rewritten.system,
            "source": items[at].source,
            "rewrite": rewritten.outputs[at].text,
            "target": items[at].target,
            "biased": items[at].biased,
            "edits": encode(rewritten.outputs[at].edits),
        }
        for rewritten in report.systems
        for at in places
    ]


def report_text(report: RewriteReport) -> str:
    """Return a report as text: one row per system, figures in percent, intervals below."""
    first = report.systems[0]
    every = {each.system: each.everything for each in report.systems}
    names = [name for name in _COLUMNS if any(_values(section).get(name) for section in every.values())]
    biased = {each.system: _values(each.biased) for each in report.systems}
    values = {name: _values(section) for name, section in (every | {"the editors": report.editors}).items()}
    intervals = [
        (system, name, _shown(name, found[name].low, found[name].high) if found[name].low is not None else "")
        for system, found in ((each, values[each]) for each in every)
        for name in found
        if name in _COMPARED
    ]
    parts = [
        f"rewrite: {first.everything.title}, judged by {report.judge or 'nobody'}",
        _table(names, values),
        first.biased.title,
        _table(names, biased),
        "95 % intervals, all pairs\n" + text_table(intervals),
    ]
    if report.differences:
        lines = [("", "", "difference", "95 %", "p")]
        for system, found in report.differences.items():
            for name, each in found.items():
                reach = _shown(name, each.low, each.high)
                lines.append((system, name, _shown(name, each.value), reach, format_p(each.p)))
        parts.append(f"compared with {report.against}, paired bootstrap\n{text_table(lines)}")
    parts.append(f"published (Zhong et al. 2021, Table 8)\n{_table(_PUBLISHED, _papers())}")
    parts.append("\n".join(wrap_note(f"{note}.") for note in (first.details["signature"], *report.notes)))
    return "\n\n".join(parts)


def _papers() -> dict[str, dict[str, Estimate]]:
    found: dict[str, dict[str, Estimate]] = {}
    for name in _PUBLISHED:
        for entry in published("rewrite", name):
            found.setdefault(entry.system, {})[name] = Estimate(entry.value)
    return found


def _values(section: Section) -> dict[str, Estimate]:
    return {figure.name: figure.estimate for figure in section.figures}


def _shown(name: str, *values: float | None) -> str:
    """Return a figure, or the ends of an interval: a count as it is, a share in percent."""
    factor = 1 if name in _COUNTS else 100
    return " to ".join("undefined" if value is None else f"{factor * value:.2f}" for value in values)


def _table(names: Sequence[str], systems: Mapping[str, Mapping[str, Estimate]]) -> str:
    rows = [["", *names]]
    for system, found in systems.items():
        rows.append([system, *(_shown(name, found[name].value) if name in found else "" for name in names)])
    return text_table(rows)
