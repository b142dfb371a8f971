"""Results of annotation projects: what comes back from Label Studio, put beside what the manifest remembers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.taxonomy import kinds
from unslant.lab.corpora.annotation import NOTHING, Annotation
from unslant.lab.corpora.annotation_files import raise_for
from unslant.lab.corpora.forms import NOT_BIASED, QUESTIONS
from unslant.lab.corpora.label_studio import Completion, completions
from unslant.lab.corpora.problems import CorpusError, Problem
from unslant.lab.corpora.word_diff import EditedPair

__all__ = [
    "Judgement",
    "edit_rows",
    "edits_of",
    "example_rows",
    "flat",
    "judgements",
    "read_results",
    "result_rows",
]


def read_results(manifest: Mapping[str, Any], exports: Sequence[Path]) -> list[Completion]:
    """Read exports of a project; an item that is not in it, a second judgement or an unknown answer is an error."""
    found: list[Completion] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, str], str] = {}
    for path in exports:
        if not path.is_file():
            raise CorpusError(f"{path}: no such file")
        for one in completions(path):
            problem = one if isinstance(one, Problem) else _problem(one, manifest, path.name, seen)
            if problem is not None:
                problems.append(problem)
            elif isinstance(one, Completion):
                found.append(one)
    raise_for(problems)
    if not found:
        raise CorpusError(f"{', '.join(path.name for path in exports)}: nobody has annotated anything yet")
    return found


def _problem(
    one: Completion, manifest: Mapping[str, Any], file: str, seen: dict[tuple[str, str], str]
) -> Problem | None:
    if one.item not in manifest["items"]:
        return Problem(file, one.row, "unknown item", f"{one.item} is not in the manifest of the project")
    key = (one.item, one.annotator)
    if key in seen:
        detail = f"annotator {one.annotator} already judged the item {one.item}, {seen[key]}"
        return Problem(file, one.row, "duplicate judgement", detail)
    seen[key] = f"{file} row {one.row}"
    wrong = _unknown_answer(one, manifest["form"])
    return Problem(file, one.row, "unknown label", wrong) if wrong else None


def _unknown_answer(one: Completion, form: str) -> str | None:
    if form == "kinds":
        known = {*kinds(), NOT_BIASED}
        said = [answer for region in one.regions for answer in region.answers.values()]
        return next(
            (f"{answer!r}; known: {', '.join(sorted(known))}" for answer in said if answer not in known), None
        )
    for question in QUESTIONS.get(form, ()):  # type: ignore[call-overload]
        values = [str(value) for value in question.values]
        answer = one.answers.get(question.name)
        if answer is not None and answer not in values:
            return f"{question.name} is {answer!r}; known: {', '.join(values)}"
    return None


def edits_of(one: Completion) -> tuple[EditedPair, ...]:
    """Return what one annotator says was edited: linked spans, then those without a counterpart."""
    regions = {region.id: region for region in one.regions}
    linked: set[str] = set()
    pairs: list[EditedPair] = []
    for from_id, to_id in one.links:
        ends = {regions[id_].text: regions[id_].span for id_ in (from_id, to_id) if id_ in regions}
        if ends.keys() == {"source", "target"}:
            pairs.append(EditedPair(ends["source"], ends["target"]))
            linked |= {from_id, to_id}
    for region in one.regions:
        if region.id not in linked:
            pairs.append(
                EditedPair(region.span, None) if region.text == "source" else EditedPair(None, region.span)
            )
    return tuple(sorted(pairs, key=_position))


def _position(pair: EditedPair) -> tuple[int, int]:
    return (
        pair.source.start if pair.source else 1 << 30,
        pair.target.start if pair.target else 1 << 30,
    )


def edit_rows(done: Sequence[Completion]) -> Iterator[dict[str, Any]]:
    """Yield one row per item, ready for the second stage.

    Where annotators differ, ``agreed`` is false and the edits are the first annotator's: look at those before going on.
    """
    by: dict[str, list[Completion]] = defaultdict(list)
    for one in done:
        by[one.item].append(one)
    for item, group in by.items():
        group.sort(key=lambda one: one.annotator)
        edits = [edits_of(one) for one in group]
        yield {
            "item": item,
            "source": group[0].data["source"],
            "target": group[0].data["target"],
            "edits": [pair.to_dict() for pair in edits[0]],
            "annotators": [one.annotator for one in group],
            "agreed": all(other == edits[0] for other in edits[1:]) if len(group) > 1 else None,
        }


def example_rows(done: Sequence[Completion], source: str, licence: str) -> Iterator[dict[str, Any]]:
    """Yield one row per sentence with its spans and their kinds, as examples are written.

    A span's kind is the one most annotators chose, its share the part of them who found it slanted at all; with a tie
    the kind is left open. The sentence is slanted if more than half of its annotators find a slanted span.
    """
    by: dict[str, list[Completion]] = defaultdict(list)
    for one in done:
        by[one.item].append(one)
    for item, group in by.items():
        votes: dict[Any, Counter[str]] = defaultdict(Counter)
        slanted = 0
        for one in group:
            said = {region.span: region.answers.get("kind", NOT_BIASED) for region in one.regions}
            slanted += any(answer != NOT_BIASED for answer in said.values())
            for span, answer in said.items():
                votes[span][answer] += 1
        spans = [_span_row(span, votes[span], len(group)) for span in sorted(votes)]
        share = slanted / len(group)
        yield {
            "id": item,
            "text": group[0].data["source"],
            "label": None if share == 0.5 else share > 0.5,
            "share": share,
            "spans": [span for span in spans if span["share"] > 0],
            "source": source,
            "licence": licence,
        }


def _span_row(span: Any, votes: Counter[str], annotators: int) -> dict[str, Any]:
    biased = Counter({name: count for name, count in votes.items() if name != NOT_BIASED})
    ranked = biased.most_common(2)
    tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    name = ranked[0][0] if ranked and not tied else None
    return {**span.to_dict(), "kind": name, "share": biased.total() / annotators}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer, from the rewrite's point of view: a positive comparison says that the rewrite has more of it."""

    item: str
    """What was rewritten, so that systems are compared on the same items."""
    system: str
    annotator: str
    question: str
    value: int
    task: str
    """The name of the task in the project."""


def judgements(manifest: Mapping[str, Any], done: Sequence[Completion]) -> list[Judgement]:
    """Return all answers with the random order undone."""
    found = []
    for one in done:
        entry = manifest["items"][one.item]
        for question in QUESTIONS[manifest["form"]]:
            if question.name in one.answers:
                value = int(one.answers[question.name])
                turned = question.mirrored and entry.get("rewrite_is") == "a"
                signed = -value if turned else value
                found.append(
                    Judgement(entry["item"], entry["system"], one.annotator, question.name, signed, one.item)
                )
    return found


def flat(manifest: Mapping[str, Any], done: Sequence[Completion]) -> list[Annotation]:
    """Return everything as annotations, one per judgement, for ``unslant agree``."""
    form = manifest["form"]
    if form in QUESTIONS:
        return [
            Annotation(one.task, one.annotator, str(one.value), one.question)
            for one in judgements(manifest, done)
            if "gold" not in manifest["items"][one.task]
        ]
    found: list[Annotation] = []
    for one in done:
        batch = str(manifest["items"][one.item]["batch"])
        if form == "kinds":
            text = one.data["source"]
            for region in one.regions:
                name = f"{one.item}:{region.span.start}-{region.span.end}"
                words = text[region.span.start : region.span.end]
                answer = region.answers.get("kind")
                if answer is not None:
                    found.append(Annotation(name, one.annotator, answer, "kind", batch, words))
            continue
        for side in ("source", "target"):
            text = one.data[side]
            spans = [region.span for region in one.regions if region.text == side]
            found += [
                Annotation(one.item, one.annotator, "edited", side, batch, text, span) for span in spans
            ]
            if not spans:
                found.append(Annotation(one.item, one.annotator, NOTHING, side, batch, text))
    return found


def result_rows(
    manifest: Mapping[str, Any], done: Sequence[Completion], *, flatten: bool, source: str, licence: str
) -> Iterator[dict[str, Any]]:
    """Yield what a project found, in the form that fits it, or one row per judgement."""
    if flatten:
        for one in flat(manifest, done):
            yield _flat_row(one)
    elif manifest["form"] == "edits":
        yield from edit_rows(done)
    elif manifest["form"] == "kinds":
        yield from example_rows(done, source, licence)
    else:
        for judgement in judgements(manifest, done):
            yield {name: getattr(judgement, name) for name in Judgement.__slots__}


def _flat_row(one: Annotation) -> dict[str, Any]:
    row = {"item": one.item, "annotator": one.annotator, "label": one.label, "task": one.task}
    start, end = (one.span.start, one.span.end) if one.span else (None, None)
    return {**row, "batch": one.batch, "text": one.text, "start": start, "end": end}
