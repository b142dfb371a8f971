"""Whether edits make sentences more slanted, by a model that had no part in them.

*More slanted* is the share of edits after which the judge's probability that the sentence is slanted is higher by more
than 0.01; *clearly more slanted*, by more than 0.1; *turned slanted*, the share that the judge calls neutral before and
slanted after. 0 is best for all three. *Mean change* is that of the probability; below 0, edits take slant away.
Intervals resample documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError
from unslant.core.files import parse_json, read_text
from unslant.core.types import Applicability
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import Prediction
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.evaluation.rewrite import MARGIN, judge_of
from unslant.lab.evaluation.rewrite_systems import open_system
from unslant.lab.stats.metrics import Metric, mean

__all__ = ["judge_edits", "measure_slant"]

_CLEARLY = 0.1


def judge_edits(path: Path, judge: str, setting: Setting, model: str) -> Result:
    """Let a judge read the sentences of a file of drawn edits before and after each edit."""
    rows = _read(path)
    asked = judge_of(judge, [open_system("edit")])
    if asked is None:
        raise ConfigError(f"--judge {judge}: no model that could judge")
    before = asked.ask([row["before"] for row in rows], setting)
    after = asked.ask([row["after"] for row in rows], setting)
    sections = []
    for verdict in (Applicability.SAFE.value, Applicability.REVIEW.value):
        places = [at for at, row in enumerate(rows) if row["applicability"] == verdict]
        if places:
            documents = [str(rows[at]["document"]) for at in places]
            measures = measure_slant([before[at] for at in places], [after[at] for at in places], documents)
            found = figures("fixes", measures, setting.resampling, tuple(measures))
            sections.append(
                Section(f"{len(places)} {verdict} edits, judged by {asked.model.name}", found, "edits")
            )
    return Result(
        "fixes", model, tuple(sections), ("more slanted: by more than 0.01; clearly: by more than 0.1",)
    )


def measure_slant(
    before: Sequence[Prediction], after: Sequence[Prediction], documents: Sequence[str]
) -> Mapping[str, Metric]:
    """Return how a judge's opinion of each sentence changes by its edit."""
    pairs = list(zip(before, after, strict=True))
    changes = [new.score - old.score for old, new in pairs]
    measures = {
        "more slanted": mean([float(change > MARGIN) for change in changes]),
        "clearly more slanted": mean([float(change > _CLEARLY) for change in changes]),
        "turned slanted": mean([float(new.slanted and not old.slanted) for old, new in pairs]),
        "mean change": mean(changes),
    }
    return {name: measure.group_items(documents) for name, measure in measures.items()}


def _read(path: Path) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(read_text(path, ConfigError).split("\n"), 1):
        if line.strip():
            row = parse_json(line, f"{path}, line {number}:", ConfigError)
            if (
                not isinstance(row, dict)
                or not {"document", "before", "after", "applicability"} <= row.keys()
            ):
                raise ConfigError(
                    f"{path}, line {number}: not an edit as --show writes them, with its sentences"
                )
            rows.append(row)
    return rows
