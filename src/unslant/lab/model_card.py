"""The figures of the model card (``docs/model-card.md``): what is measured, and the tables that show it.

Every row names the command that prints its figures. The tables stand in the page between two comments each, so that
they can be put there again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError
from unslant.lab.evaluation.findings import findings
from unslant.lab.evaluation.held_out import Setting, read_lineage
from unslant.lab.evaluation.models import open_models
from unslant.lab.evaluation.result import Result
from unslant.lab.evaluation.tasks import Heads, run
from unslant.lab.stats.bootstrap import Resampling
from unslant.spec import TIERS, Spec

_HEADS = " --heads corpus"
_NONE = "\N{EN DASH}"
_NAMES = "names that no list has, in real sentences"
_LEFT, _CENTRE, _RIGHT = "news, left", "news, center", "news, right"
_APART = "news, right minus left"


@dataclass(frozen=True, slots=True)
class CardRow:
    """A figure of the card."""

    label: str
    task: str
    sections: tuple[str, ...]
    """How the titles of the sections begin that lead to it, in order; none: the first section."""
    figure: str
    digits: int = 3
    both: bool = False
    """Whether it is also measured with the heads that were trained on the corpus."""
    published: str = "none"


_FINDINGS = tuple(
    CardRow(label, "findings", (section,), figure, digits)
    for label, section, figure, digits in (
        ("findings accepted", "all findings", "accepted", 3),
        ("recall of what must change", "all findings", "recall of must", 3),
        ("wrong findings per 1,000 words", "all findings", "wrong findings per 1,000 words", 1),
        ("the same, news of centre outlets", _CENTRE, "wrong findings per 1,000 words", 1),
        ("the same, documentation", "documentation", "wrong findings per 1,000 words", 1),
        ("warnings accepted", "warnings", "accepted", 3),
        ("wrong warnings per 1,000 words", "warnings", "wrong findings per 1,000 words", 1),
        ("accepted, news of left outlets", _LEFT, "accepted", 3),
        ("accepted, news of right outlets", _RIGHT, "accepted", 3),
        ("accepted, right minus left", _APART, "accepted", 3),
        ("recall of must, news of left outlets", _LEFT, "recall of must", 3),
        ("recall of must, news of right outlets", _RIGHT, "recall of must", 3),
        ("recall of must, right minus left", _APART, "recall of must", 3),
        ("calibration error of findings", "all findings", "calibration error", 3),
        (
            "calibration error of sentences (one with only a *may* does not count)",
            "sentences",
            "calibration error",
            3,
        ),
    )
)
_PUBLISHED = (
    CardRow("WIKIBIAS, calibration error", "calibration", ("wikibias",), "ECE", both=True),
    CardRow("WIKIBIAS tagging, exact F1", "tagging", (), "exact F1", both=True, published="0.396"),
    CardRow("WIKIBIAS tagging, overlap F1", "tagging", (), "overlap F1", both=True, published="0.636"),
    CardRow("WIKIBIAS, source above its target", "pairwise", (), "source above its target", both=True),
    CardRow(
        "WIKIBIAS kinds, macro-F1, sentences with a label",
        "fine-grained",
        ("test sentences with a label",),
        "macro-F1",
        published="0.410",
    ),
    CardRow(
        "WIKIBIAS kinds, macro-F1, biased sources alone",
        "fine-grained",
        ("biased sources alone",),
        "macro-F1",
        published="0.410",
    ),
    CardRow(
        "CAD diagnosis, balanced, accuracy",
        "diagnosis",
        (),
        "accuracy, even odds",
        both=True,
        published="0.530 (prompting)",
    ),
    CardRow("dimensions, macro-F1 over eight, stand-ins", "dimensions", ("together",), "macro-F1"),
    CardRow(
        "RedditBias phrases, token F1",
        "phrases",
        (),
        "token F1, mean of texts",
        both=True,
        published="0.516 (prompting, CAD)",
    ),
)
_EVEN = (
    CardRow(
        "listed words exchanged, mean change", "even-handed", ("exchanges in real sentences",), "mean change"
    ),
    CardRow(
        "listed words exchanged, verdicts turned",
        "even-handed",
        ("exchanges in real sentences",),
        "verdicts flipped",
    ),
    CardRow(
        "listed words exchanged, worst change",
        "even-handed",
        ("exchanges in real sentences",),
        "worst change",
    ),
    CardRow("names in no list, mean change", "even-handed", (_NAMES,), "mean change"),
    CardRow("names in no list, verdicts turned", "even-handed", (_NAMES,), "verdicts flipped"),
    *(
        CardRow(f"names in no list, mean change, {name}", "even-handed", (_NAMES, "mean change"), name)
        for name in ("politicians", "parties", "religions", "genders", "nationalities")
    ),
)

TASKS = tuple(
    dict.fromkeys(
        name
        for row in (*_FINDINGS, *_PUBLISHED, *_EVEN)
        for name in ((row.task, row.task + _HEADS) if row.both else (row.task,))
    )
)
"""What is measured: a task of ``unslant evaluate``, and the heads if they are not the product's."""
QUICK_TASKS = ("findings", "pairwise", "pairwise" + _HEADS)
"""Tasks for trying it on a few texts."""
CORPORA = (
    *(
        "babe",
        "cad",
        "crows_pairs",
        "editor",
        "hatexplain",
        "headlines",
        "reddit_bias",
        "stereoset",
        "wikibias",
    ),
)
"""The corpora that are measured on."""


def measure_task(
    task: str,
    package: Path,
    data: Path | None,
    progress: Callable[[str, int, int], None],
    *,
    quick: bool = False,
) -> Result:
    """Measure the detector of a package on a task, as ``unslant evaluate`` does; ``quick`` gives no intervals."""
    setting = Setting(data, Resampling(0 if quick else 1000), progress)
    if task == "findings":
        spec = Spec(analyzers=TIERS["all"], model=str(package))
        return findings(spec, read_lineage(package), setting, part="test", model="default")
    heads: Heads = "corpus" if task.endswith(_HEADS) else "product"
    return run(task.removesuffix(_HEADS), open_models(str(package), heads), setting)


def card_blocks(results: Mapping[str, Mapping[str, Any]], made: str) -> dict[str, str]:
    """Return the tables of the page by name, from results by task; rows whose task was not measured are left out.

    ``made`` says which network and code they hold for.
    """
    return {
        "digests": f"Printed by `unslant release` for these SHA-256 digests: {made}.\n",
        "findings": _table(("figure", "product", "command"), (_plain(row, results) for row in _FINDINGS)),
        "tasks": _table(
            ("figure", "product", "corpus heads", "published", "command"),
            (_with_heads(row, results) for row in _PUBLISHED),
        ),
        "even-handed": _table(("figure", "product", "command"), (_plain(row, results) for row in _EVEN)),
    }


def put_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """Return the page with these tables in place of those that it has."""
    for name, block in blocks.items():
        begin, end = f"<!-- figures: {name} -->\n", "<!-- end of figures -->"
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ConfigError(
                f"the model card has no place for its figures: {begin.strip()} to {end} is missing"
            )
        page = f"{before}{begin}{block}{end}{after}"
    return page


def changed_figures(page: str, blocks: Mapping[str, str]) -> list[str]:
    """Return the lines of the tables that the page does not have; digests of code change more often than figures."""
    known = set(page.splitlines())
    tables = (block for name, block in blocks.items() if name != "digests")
    return [line for table in tables for line in table.splitlines() if line not in known]


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...] | None]) -> str:
    marks = ("---", *("--:" for _ in heads[1:-1]), "---")
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(marks)}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows if row is not None]
    return "\n".join(lines) + "\n"


def _plain(row: CardRow, results: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...] | None:
    if row.task not in results:
        return None
    return row.label, _cell(row, results[row.task]), f"`unslant evaluate {row.task}`"


def _with_heads(row: CardRow, results: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...] | None:
    if row.task not in results:
        return None
    corpus = _cell(row, results[row.task + _HEADS]) if row.both else _NONE
    label, product, command = row.label, _cell(row, results[row.task]), f"`unslant evaluate {row.task}`"
    return label, product, corpus, row.published, command


def _cell(row: CardRow, result: Mapping[str, Any]) -> str:
    """Return a figure with its interval; a dash where the result does not have it."""
    sections = iter(result["sections"])
    section = None
    for title in row.sections or ("",):
        section = next(
            (each for each in sections if re.sub(r" \(.*", "", each["title"]).startswith(title)), None
        )
    for figure in section["figures"] if section else ():
        if figure["name"] == row.figure and figure["value"] is not None:
            numbers = [figure["value"], figure.get("low"), figure.get("high")]
            value, low, high = (None if each is None else f"{each:.{row.digits}f}" for each in numbers)
            return f"{value} ({low} to {high})" if low is not None and high is not None else str(value)
    return _NONE
