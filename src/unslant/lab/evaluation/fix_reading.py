"""Edits to read, drawn at random, and what readers found: whether an edit is good, only reading tells.

Edits are drawn from a part of the editors' corpus and from AllSides articles that are not in that corpus. Safe edits
are rare: if there are not enough, the draw goes on with articles in which the rules alone make one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unslant.core.errors import ConfigError
from unslant.core.files import parse_json, read_text
from unslant.core.types import Applicability
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, VERDICTS
from unslant.lab.evaluation.fixes import offered_edits
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import Metric
from unslant.rewrite import Fixer, Suggestion
from unslant.spec import TIERS
from unslant.text.reading import read

if TYPE_CHECKING:
    from unslant.core.types import Document
    from unslant.lab.evaluation.fixes import FixedPassage
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling
    from unslant.spec import Spec

__all__ = ["READINGS", "Draw", "Drawn", "draw_edits", "fix_articles", "measure_verdicts", "read_verdicts"]

READINGS = (*VERDICTS, "debatable")
"""What a reader may say about an edit; *debatable*: reasonable editors differ."""
_SAFE, _REVIEW = Applicability.SAFE, Applicability.REVIEW
_ARTICLES = "allsides"


@dataclass(frozen=True, slots=True)
class Draw:
    """How many edits to draw, and from how much text."""

    count: int
    """Of each verdict."""
    seed: int = 0
    articles: int = 0
    """AllSides articles to fix besides the editors' documents."""
    without: Collection[str] = ()
    """Articles to leave out, because they have been read."""


class Drawn(NamedTuple):
    """An edit and the name of its document."""

    document: str
    suggestion: Suggestion


def fix_articles(spec: Spec, setting: Setting, draw: Draw, enough: int) -> list[Drawn]:
    """Fix articles in random order; go on after ``draw.articles`` until there are ``enough`` safe edits."""
    known = {example.document for example in corpora.load(EDITOR, setting.data)} | set(draw.without)
    articles = [example for example in corpora.load(_ARTICLES, setting.data) if example.document not in known]
    random.Random(draw.seed).shuffle(articles)  # noqa: S311
    documents = [read(article.text, "text", article.id) for article in articles[: draw.articles]]
    found = _fix(documents, spec, setting.progress)
    rest = (read(article.text, "text", article.id) for article in articles[draw.articles :])
    safe = sum(drawn.suggestion.edit.applicability is _SAFE for drawn in found)
    if safe < enough:
        found += _more_safe(rest, spec, enough - safe, setting.progress)
    return found


def _fix(documents: Sequence[Document], spec: Spec, progress: Callable[[str, int, int], None]) -> list[Drawn]:
    found = []
    for number, fixed in enumerate(Fixer(spec).fix(documents), 1):
        found += [Drawn(fixed.document.id, each) for each in offered_edits(fixed)]
        progress("articles", number, len(documents))
    return found


def _more_safe(
    documents: Iterable[Document], spec: Spec, missing: int, progress: Callable[[str, int, int], None]
) -> list[Drawn]:
    """Return safe edits only: articles that are chosen for one say nothing about how often edits need review."""
    by_rules, whole = Fixer(replace(spec, analyzers=TIERS["rules"])), Fixer(spec)
    found: list[Drawn] = []
    for document in documents:
        (quick,) = by_rules.fix([document])
        if not quick.count(_SAFE):
            continue
        (fixed,) = whole.fix([document])
        found += [
            Drawn(document.id, each) for each in offered_edits(fixed) if each.edit.applicability is _SAFE
        ]
        progress("safe edits", min(len(found), missing), missing)
        if len(found) >= missing:
            break
    return found[:missing]


def draw_edits(
    fixed: Iterable[FixedPassage], draw: Draw, articles: Sequence[Drawn] = ()
) -> Iterator[dict[str, Any]]:
    """Yield edits to read, at most ``draw.count`` safe ones and as many to review, each with an empty verdict."""
    everything = [Drawn(item.passage.id, edit) for item in fixed for edit in item.edits] + [*articles]
    generator = random.Random(draw.seed)  # noqa: S311
    for verdict in (_SAFE, _REVIEW):
        some = [drawn for drawn in everything if drawn.suggestion.edit.applicability is verdict]
        chosen = generator.sample(some, min(draw.count, len(some)))
        for drawn in sorted(chosen, key=lambda each: (each.document, each.suggestion.edit.start)):
            yield _row(drawn, verdict)


def _row(drawn: Drawn, verdict: Applicability) -> dict[str, Any]:
    edit, suggestion = drawn.suggestion.edit, drawn.suggestion
    base = suggestion.sentence.start
    return {
        "document": drawn.document,
        "start": edit.start,
        "end": edit.end,
        "words": suggestion.before[edit.start - base : edit.end - base],
        "replacement": edit.replacement,
        "applicability": verdict.value,
        "origin": suggestion.origin,
        "before": suggestion.before,
        "after": suggestion.after,
        "verdict": "",
    }


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """Read edits with verdicts, one JSON object a line; a ``ConfigError`` names what cannot be used."""
    rows = []
    for number, line in enumerate(read_text(path, ConfigError).split("\n"), 1):
        if not line.strip():
            continue
        row = parse_json(line, f"{path}, line {number}:", ConfigError)
        try:
            known = row["verdict"] in READINGS and row["applicability"] in (_SAFE.value, _REVIEW.value)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{path}, line {number}: not an edit with a verdict ({error})") from None
        if not known:
            raise ConfigError(f"{path}, line {number}: give each edit a verdict: {', '.join(READINGS)}")
        rows.append(row)
    return rows


def measure_verdicts(rows: Sequence[dict[str, Any]], resampling: Resampling, model: str) -> Result:
    """Return how many edits are good and how many ungrammatical, by the verdicts of who read them."""
    import numpy as np

    sections = []
    for verdict in (_SAFE.value, _REVIEW.value):
        some = [row for row in rows if row["applicability"] == verdict]
        counts = np.array(
            [(1, row["verdict"] == "good", row["verdict"] == "ungrammatical") for row in some], dtype=float
        ).reshape(len(some), 3)
        measures = {
            "good": Metric(counts, lambda sums: sums[..., 1] / sums[..., 0]),
            "ungrammatical": Metric(counts, lambda sums: sums[..., 2] / sums[..., 0]),
        }
        grouped = {
            name: measure.group_items([row["document"] for row in some]) for name, measure in measures.items()
        }
        if some:
            found = figures("fixes", grouped, resampling, ("ungrammatical",))
            sections.append(Section(f"{len(some)} {verdict} edits, read", found, "read"))
    return Result("fixes", model, tuple(sections), ("verdicts by reading; intervals resample documents",))
