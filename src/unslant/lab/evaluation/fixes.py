"""Measures 'unslant fix' on the editors' corpus: how many of the words that must change get an edit.

Whole documents are fixed with the settings that ship. A ``must`` *has a safe edit* if a safe edit changes some of its
words, and *has a review edit* if only an edit that needs review does. An edit *equals the fix* if it leaves the
sentence that the editor's fix leaves. *On marked words* are edits that change words which an
editor marked, ``must`` or ``may``. Intervals resample documents.

Only a reader can tell whether an edit is good. Edits to read are drawn at random from a part of the editors' corpus
and from AllSides articles that are not in that corpus. Safe edits are rare: if there are not enough, the draw continues
with articles in which the rules alone make one.

A model that took no part in the edits can judge whether they add slant. *More slanted* is the share of edits after
which its probability that the sentence is slanted is higher by more than 0.01; *clearly more slanted*, by
more than 0.1; *turned slanted*, the share that it calls neutral before and slanted after. 0 is best for all three.
*Mean change* is that of the probability; below 0, edits remove slant.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.core.files import parse_json, read_text
from unslant.core.types import Applicability, Edit
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed, Suggestion
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, VERDICTS, MarkedPassage, read_passages
from unslant.lab.evaluation.held_out import left_out_notes
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.evaluation.rewrite import MARGIN, judge_of
from unslant.lab.evaluation.rewrite_systems import open_system
from unslant.lab.stats.metrics import Metric, mean, ratios
from unslant.spec import TIERS
from unslant.text.edits import apply_edits
from unslant.text.reading import read
from unslant.text.tidy import tidy_edit

if TYPE_CHECKING:
    from unslant.core.types import Document
    from unslant.lab.evaluation.held_out import Lineage, Setting
    from unslant.lab.stats.bootstrap import Resampling
    from unslant.neural.decoder import Prediction
    from unslant.spec import Spec

_SAFE, _REVIEW = Applicability.SAFE, Applicability.REVIEW


@dataclass(frozen=True, slots=True)
class FixedPassage:
    """A passage and what the product does with it."""

    passage: MarkedPassage
    edits: tuple[Suggestion, ...]
    """Those that are made or offered."""

    def answer(self, marked: LabelledSpan) -> Suggestion | None:
        """Return the edit that changes some of the marked words; a safe one before one that needs review."""
        touching = [edit for edit in self.edits if edit.edit.span.overlaps(marked.span)]
        return min(touching, key=lambda each: each.edit.applicability is not _SAFE, default=None)

    def equals(self, suggestion: Suggestion, marked: LabelledSpan) -> bool:
        """Return whether an edit leaves the sentence that the editor's fix leaves."""
        if marked.fix is None or not suggestion.sentence.contains(marked.span):
            return False
        base = suggestion.sentence.start
        fix = Edit(marked.span.start - base, marked.span.end - base, marked.fix)
        fixed = apply_edits(suggestion.before, [tidy_edit(suggestion.before, fix)])
        return " ".join(fixed.split()) == " ".join(suggestion.after.split())

    def is_marked(self, suggestion: Suggestion) -> bool:
        """Return whether the editor marked some of the words that an edit changes."""
        return any(marked.span.overlaps(suggestion.edit.span) for marked in self.passage.marked)


def fix_passages(
    passages: Sequence[MarkedPassage], spec: Spec, progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[FixedPassage]:
    """Fix each passage as a user would."""
    documents = (read(passage.text, "text", passage.id) for passage in passages)
    found = []
    for number, (passage, fixed) in enumerate(zip(passages, Fixer(spec).fix(documents), strict=True), 1):
        found.append(FixedPassage(passage, offered_edits(fixed)))
        progress("documents", number, len(passages))
    return found


def offered_edits(fixed: Fixed) -> tuple[Suggestion, ...]:
    """Return the edits that are made or offered, without those that are only shown."""
    return tuple(edit for edit in fixed.edits if edit.edit.applicability in (_SAFE, _REVIEW))


def measure_fixes(fixed: Sequence[FixedPassage], resampling: Resampling, model: str) -> Result:
    """Return the figures about the words that must change, and about the edits."""
    rows = [_counts(item) for item in fixed]
    musts = {
        "has a safe edit": (1, 0),
        "has a review edit": (2, 0),
        "has no edit": (9, 0),
        "the edit equals the fix": (3, 10),
    }
    safe = {"on marked words": (5, 4), "edits per 1,000 words": (11, 8)}
    review = {"on marked words": (7, 6), "edits per 1,000 words": (12, 8)}
    sections = (
        Section("words that must change", figures("fixes", ratios(rows, musts), resampling)),
        Section("safe edits", figures("fixes", ratios(rows, safe), resampling), "edits"),
        Section("review edits", figures("fixes", ratios(rows, review), resampling), "edits"),
    )
    total = [sum(column) for column in zip(*rows, strict=True)] or [0] * 7
    notes = (
        f"{total[0]} words or phrases that must change; {total[4]} safe edits, {total[6]} to review",
        "an edit on marked words changes some that an editor marked, must or may",
        "intervals resample documents",
    )
    return Result("fixes", model, sections, notes)


def _counts(item: FixedPassage) -> tuple[int, ...]:
    """Return musts, with a safe and with a review edit, equal; edits safe, on marks, review, on marks; words.

    Then musts without an edit and with any, and 1,000 for each safe edit and each to review.
    """
    musts = [marked for marked in item.passage.marked if marked.grade == "must"]
    answers = [(marked, item.answer(marked)) for marked in musts]
    kinds = [answer.edit.applicability for _, answer in answers if answer is not None]
    equal = sum(answer is not None and item.equals(answer, marked) for marked, answer in answers)
    safe, review = (
        [edit for edit in item.edits if edit.edit.applicability is kind] for kind in (_SAFE, _REVIEW)
    )
    edits = (len(safe), sum(map(item.is_marked, safe)), len(review), sum(map(item.is_marked, review)))
    answered = (kinds.count(_SAFE), kinds.count(_REVIEW))
    more = (len(musts) - sum(answered), sum(answered), 1000 * len(safe), 1000 * len(review))
    return (len(musts), *answered, equal, *edits, item.passage.words, *more)


def fixes(
    spec: Spec, lineage: Lineage, setting: Setting, *, part: str, model: str
) -> tuple[Result, list[FixedPassage]]:
    """Fix one part of the editors' corpus with these settings; return the figures and the edits.

    Leaves out, and counts, texts that the model has learned from.
    """
    lineage.check_known(model)
    everything = list(read_passages(corpora.load(EDITOR, setting.data), part))
    passages = [passage for passage in everything if not lineage.has_seen(passage.text)]
    setting.left_out[EDITOR] += len(everything) - len(passages)
    fixed = fix_passages(passages, spec, setting.progress)
    result = measure_fixes(fixed, setting.resampling, model)
    noted = (f"{part} part, {len(passages)} documents", *left_out_notes(setting), *result.notes)
    return Result(result.task, result.model, result.sections, noted), fixed


READINGS = (*VERDICTS, "debatable")
"""The verdicts on an edit; *debatable* means that reasonable editors differ."""
_ARTICLES = "allsides"


@dataclass(frozen=True, slots=True)
class Draw:
    """How many edits to draw, and from how much text."""

    count: int
    """The number of edits for each applicability."""
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
    found: list[Drawn] = []
    for number, fixed in enumerate(Fixer(spec).fix(documents), 1):
        found += [Drawn(fixed.document.id, each) for each in offered_edits(fixed)]
        setting.progress("articles", number, len(documents))
    rest = (read(article.text, "text", article.id) for article in articles[draw.articles :])
    safe = sum(drawn.suggestion.edit.applicability is _SAFE for drawn in found)
    if safe < enough:
        found += _more_safe(rest, spec, enough - safe, setting.progress)
    return found


def _more_safe(
    documents: Iterable[Document], spec: Spec, missing: int, progress: Callable[[str, int, int], None]
) -> list[Drawn]:
    """Return safe edits only: articles selected for a safe edit say nothing about how often edits need review."""
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


def draw_from_all(
    fixed: Sequence[FixedPassage], spec: Spec, setting: Setting, draw: Draw
) -> list[dict[str, Any]]:
    """Return edits to read, drawn from documents that were fixed and from articles."""
    safe = sum(edit.edit.applicability is _SAFE for item in fixed for edit in item.edits)
    articles = fix_articles(spec, setting, draw, draw.count - safe) if draw.articles else []
    return list(draw_edits(fixed, draw, articles))


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
        "origin": suggestion.edit.source,
        "before": suggestion.before,
        "after": suggestion.after,
        "verdict": "",
    }


def _read_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the values of a file with one JSON object a line, each with its place."""
    for number, line in enumerate(read_text(path, ConfigError).split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}:"
            yield where, parse_json(line, where, ConfigError)


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """Read edits with verdicts, one JSON object a line; a ``ConfigError`` names what cannot be used."""
    rows = []
    for where, row in _read_lines(path):
        try:
            known = row["verdict"] in READINGS and row["applicability"] in (_SAFE.value, _REVIEW.value)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{where} not an edit with a verdict ({error})") from None
        if not known:
            raise ConfigError(f"{where} give each edit a verdict: {', '.join(READINGS)}")
        rows.append(row)
    return rows


def measure_verdicts(rows: Sequence[dict[str, Any]], resampling: Resampling, model: str) -> Result:
    """Return how many edits are good and how many ungrammatical, by the verdicts of reviewers."""
    sections = []
    for verdict in (_SAFE.value, _REVIEW.value):
        some = [row for row in rows if row["applicability"] == verdict]
        if not some:
            continue
        counts = [(1, row["verdict"] == "good", row["verdict"] == "ungrammatical") for row in some]
        found = figures(
            "fixes",
            ratios(counts, {"good": (1, 0), "ungrammatical": (2, 0)}),
            resampling,
            ("ungrammatical",),
            groups=[row["document"] for row in some],
        )
        sections.append(Section(f"{len(some)} {verdict} edits, read", found, "read"))
    return Result("fixes", model, tuple(sections), ("verdicts by reading; intervals resample documents",))


_CLEARLY = 0.1


def judge_edits(path: Path, judge: str, setting: Setting, model: str) -> Result:
    """Let a judge read the sentences of a file of drawn edits before and after each edit."""
    rows: list[dict[str, Any]] = []
    for where, row in _read_lines(path):
        if not isinstance(row, dict) or not {"document", "before", "after", "applicability"} <= row.keys():
            raise ConfigError(f"{where} not an edit as --show writes them, with its sentences")
        rows.append(row)
    asked = judge_of(judge, [open_system("edit")])
    if asked is None:
        raise ConfigError(f"--judge {judge}: no model that could judge")
    before = asked.ask([row["before"] for row in rows], setting)
    after = asked.ask([row["after"] for row in rows], setting)
    sections = []
    for verdict in (_SAFE.value, _REVIEW.value):
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
    """Return how edits change a judge's verdict on their sentences."""
    pairs = list(zip(before, after, strict=True))
    changes = [new.score - old.score for old, new in pairs]
    measures = {
        "more slanted": mean([float(change > MARGIN) for change in changes]),
        "clearly more slanted": mean([float(change > _CLEARLY) for change in changes]),
        "turned slanted": mean([float(new.slanted and not old.slanted) for old, new in pairs]),
        "mean change": mean(changes),
    }
    return {name: measure.group_items(documents) for name, measure in measures.items()}
