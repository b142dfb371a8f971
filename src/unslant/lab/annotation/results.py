"""Results of annotation projects: exports of Label Studio joined with the manifest, and a project's progress."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unslant.core.encoding import encode_fields
from unslant.core.errors import UnknownName
from unslant.core.taxonomy import kinds
from unslant.lab.annotation.agreement import (
    AgreementReport,
    AgreementSettings,
    PrecisionRecallF1,
    alignment_agreement,
    measure_agreement,
)
from unslant.lab.annotation.label_studio import Completion, read_completions
from unslant.lab.annotation.project import NOT_BIASED, QUESTIONS
from unslant.lab.annotation.reading import raise_problems
from unslant.lab.annotation.text_forms import TEXT_FORMS, text_annotations, text_problem, text_rows
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.corpora.tables import CorpusError, DataProblem
from unslant.lab.stats.bootstrap import Resampling
from unslant.text.diff import EditedPair, word_spans


def read_results(manifest: Mapping[str, Any], exports: Sequence[Path]) -> list[Completion]:
    """Read exports of a project; an item that is not in it, a second judgement or an unknown answer is an error."""
    found: list[Completion] = []
    problems: list[DataProblem] = []
    seen: dict[tuple[str, str], str] = {}
    for path in exports:
        if not path.is_file():
            raise CorpusError(f"{path}: no such file")
        for completion in read_completions(path):
            if isinstance(completion, DataProblem):
                problems.append(completion)
            elif problem := _problem(completion, manifest, path.name, seen):
                problems.append(problem)
            else:
                found.append(completion)
    raise_problems(problems)
    if not found:
        raise CorpusError(f"{', '.join(path.name for path in exports)}: no annotations yet")
    return found


def _problem(
    completion: Completion, manifest: Mapping[str, Any], file: str, seen: dict[tuple[str, str], str]
) -> DataProblem | None:
    item, who = completion.item, completion.annotator
    if item not in manifest["items"]:
        what, detail = "unknown item", f"{item} is not in the manifest of the project"
    elif (item, who) in seen:
        what = "duplicate judgement"
        detail = f"annotator {who} already judged the item {item}, {seen[item, who]}"
    else:
        seen[item, who] = f"{file} row {completion.row}"
        what = "unknown label"
        detail = _unknown_answer(completion, manifest["form"]) or ""
    return DataProblem(file, completion.row, what, detail) if detail else None


def _unknown_answer(completion: Completion, form: str) -> str | None:
    if form == "kinds":
        known = sorted({*kinds(), NOT_BIASED})
        for given in (given for region in completion.regions for given in region.answers.values()):
            if given not in known:
                return f"{given!r}; known: {', '.join(known)}"
        return None
    if form in TEXT_FORMS:
        return text_problem(completion, form)
    for question in QUESTIONS.get(form, ()):  # type: ignore[call-overload]
        values = [str(value) for value in question.values]
        answer = completion.answers.get(question.name)
        if answer is not None and answer not in values:
            return f"{question.name} is {answer!r}; known: {', '.join(values)}"
    return None


def completed_edits(completion: Completion) -> tuple[EditedPair, ...]:
    """Return the edits that one annotator marked: linked spans, then those without a counterpart."""
    regions = {region.id: region for region in completion.regions}
    linked: set[str] = set()
    pairs: list[EditedPair] = []
    for from_id, to_id in completion.links:
        ends = {regions[id_].text: regions[id_].span for id_ in (from_id, to_id) if id_ in regions}
        if ends.keys() == {"source", "target"}:
            pairs.append(EditedPair(ends["source"], ends["target"]))
            linked |= {from_id, to_id}
    for region in completion.regions:
        if region.id not in linked:
            pairs.append(
                EditedPair(region.span, None) if region.text == "source" else EditedPair(None, region.span)
            )
    last = 1 << 30
    return tuple(
        sorted(
            pairs,
            key=lambda pair: tuple(span.start if span else last for span in (pair.source, pair.target)),
        )
    )


def by_item(done: Sequence[Completion]) -> dict[str, list[Completion]]:
    """Return what was done with each item."""
    found: dict[str, list[Completion]] = defaultdict(list)
    for completion in done:
        found[completion.item].append(completion)
    return found


def edit_rows(done: Sequence[Completion]) -> Iterator[dict[str, Any]]:
    """Yield one row per item, ready for the second stage.

    If annotators disagree, ``agreed`` is false and the edits are the first annotator's: resolve these first.
    """
    for item, group in by_item(done).items():
        group.sort(key=lambda completion: completion.annotator)
        edits = [completed_edits(completion) for completion in group]
        yield {
            "item": item,
            "source": group[0].data["source"],
            "target": group[0].data["target"],
            "edits": [pair.to_dict() for pair in edits[0]],
            "annotators": [completion.annotator for completion in group],
            "agreed": all(other == edits[0] for other in edits[1:]) if len(group) > 1 else None,
        }


def example_rows(done: Sequence[Completion], source: str, licence: str) -> Iterator[dict[str, Any]]:
    """Yield one row per sentence with its spans and their kinds, as examples are written.

    A span's kind is the one most annotators chose, its share the part of them who found it slanted at all; with a tie
    the kind is left open. The sentence is slanted if more than half of its annotators find a slanted span.
    """
    for item, group in by_item(done).items():
        votes: dict[Any, Counter[str]] = defaultdict(Counter)
        slanted = 0
        for completion in group:
            chosen = {region.span: region.answers.get("kind", NOT_BIASED) for region in completion.regions}
            slanted += any(answer != NOT_BIASED for answer in chosen.values())
            for span, answer in chosen.items():
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
class HumanJudgement:
    """One answer, from the rewrite's point of view: a positive comparison says that the rewrite has more of it."""

    item: str
    """The item that was rewritten, so that systems are compared on the same items."""
    system: str
    annotator: str
    question: str
    value: int
    task: str
    """The name of the task in the project."""


def collect_judgements(manifest: Mapping[str, Any], done: Sequence[Completion]) -> list[HumanJudgement]:
    """Return all answers with the random order undone."""
    found = []
    for completion in done:
        entry = manifest["items"][completion.item]
        for question in QUESTIONS[manifest["form"]]:
            if question.name in completion.answers:
                value = int(completion.answers[question.name])
                turned = question.mirrored and entry.get("rewrite_is") == "a"
                judged = (completion.annotator, question.name, -value if turned else value, completion.item)
                found.append(HumanJudgement(entry["item"], entry["system"], *judged))
    return found


def flatten_results(manifest: Mapping[str, Any], done: Sequence[Completion]) -> list[Annotation]:
    """Return everything as annotations, one per judgement, for ``unslant agree``."""
    form = manifest["form"]
    if form in QUESTIONS:
        return [
            Annotation(judgement.task, judgement.annotator, str(judgement.value), judgement.question)
            for judgement in collect_judgements(manifest, done)
            if "gold" not in manifest["items"][judgement.task]
        ]
    found: list[Annotation] = []
    for completion in done:
        who, batch = completion.annotator, str(manifest["items"][completion.item]["batch"])
        if form in TEXT_FORMS:
            found += text_annotations(form, completion, batch)
        elif form == "kinds":
            text = completion.data["source"]
            for region in completion.regions:
                if (answer := region.answers.get("kind")) is not None:
                    name = f"{completion.item}:{region.span.start}-{region.span.end}"
                    words = text[region.span.start : region.span.end]
                    found.append(Annotation(name, who, answer, "kind", batch, words))
        else:
            for side in ("source", "target"):
                text = completion.data[side]
                spans = [region.span for region in completion.regions if region.text == side]
                found += [
                    Annotation(completion.item, who, "edited", side, batch, text, span) for span in spans
                ]
                if not spans:
                    found.append(Annotation(completion.item, who, NOTHING, side, batch, text))
    return found


def result_rows(
    manifest: Mapping[str, Any], done: Sequence[Completion], *, flatten: bool, source: str, licence: str
) -> Iterator[dict[str, Any]]:
    """Yield what a project found, in the form that fits it, or one row per judgement."""
    if flatten:
        for annotation in flatten_results(manifest, done):
            start, end = (annotation.span.start, annotation.span.end) if annotation.span else (None, None)
            row = {name: getattr(annotation, name) for name in _FLAT}
            yield {**row, "start": start, "end": end}
    elif manifest["form"] == "edits":
        yield from edit_rows(done)
    elif manifest["form"] == "kinds":
        yield from example_rows(done, source, licence)
    elif manifest["form"] in TEXT_FORMS:
        yield from text_rows(manifest["form"], manifest, done, source, licence)
    else:
        for judgement in collect_judgements(manifest, done):
            yield {name: getattr(judgement, name) for name in HumanJudgement.__slots__}


_FLAT = ("item", "annotator", "label", "task", "batch", "text")


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """The state of a project of the form ``edits`` or ``kinds``."""

    annotated: int
    """Items with at least one annotation."""
    items: int
    """Items in the project."""
    doubled: int
    """Items with two or more annotators."""
    agreement: Sequence[AgreementReport]
    alignment: Mapping[str, Mapping[str, PrecisionRecallF1]] = field(default_factory=dict)
    """For edits: each annotator's links against the reference's, by word and by phrase."""
    reference: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return encode_fields(self, "annotated", "items", "doubled", "reference", "agreement", "alignment")


def report_project(
    manifest: Mapping[str, Any],
    done: Sequence[Completion],
    resampling: Resampling | None = None,
    reference: str | None = None,
) -> ProjectReport:
    """Report on a project; ``reference`` is the annotator who is taken as right, by default the first."""
    who: dict[str, set[str]] = defaultdict(set)
    for completion in done:
        who[completion.item].add(completion.annotator)
    twice = [completion for completion in done if len(who[completion.item]) > 1]
    found = flatten_results(manifest, twice)
    if manifest["form"] == "kinds":
        found += [
            replace(each, task="biased", label=NOT_BIASED if each.label == NOT_BIASED else "biased")
            for each in found
        ]
    resampling = resampling or Resampling()
    settings = AgreementSettings(resampling=resampling, by=frozenset({"batch", "label"}))
    reports = [
        measure_agreement(found, task, settings)
        # marked words are compared as spans
        for task in dict.fromkeys(annotation.task for annotation in found if annotation.task != "words")
    ]
    annotators = sorted({completion.annotator for completion in done})
    if reference is not None and reference not in annotators:
        raise UnknownName("annotator", reference, annotators)
    reference = reference or annotators[0]
    aligned = _align_edits(twice, reference, resampling) if manifest["form"] == "edits" else {}
    doubled = sum(len(names) > 1 for names in who.values())
    return ProjectReport(len(who), len(manifest["items"]), doubled, reports, aligned, reference)


def _align_edits(
    done: Sequence[Completion], reference: str, resampling: Resampling
) -> dict[str, dict[str, PrecisionRecallF1]]:
    words: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    phrases: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    for completion in done:
        pairs = completed_edits(completion)
        phrases[completion.annotator][completion.item] = set(pairs)
        words[completion.annotator][completion.item] = {
            link for pair in pairs for link in _word_links(pair, completion.data)
        }
    return {
        name: {
            "word": alignment_agreement(words[reference], words[name], resampling),
            "phrase": alignment_agreement(phrases[reference], phrases[name], resampling),
        }
        for name in sorted(words)
        if name != reference and reference in words
    }


def _word_links(pair: EditedPair, data: Mapping[str, Any]) -> set[Hashable]:
    """Return the links between words; a missing side is one empty word, to which all others are linked."""
    before, after = (
        [None] if span is None else [word for word in word_spans(data[side]) if word.overlaps(span)]
        for side, span in (("source", pair.source), ("target", pair.target))
    )
    return {(old, new) for old in before for new in after}
