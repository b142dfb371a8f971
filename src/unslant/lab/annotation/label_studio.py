"""Label Studio exports (JSON and JSON-MIN) as annotations.

Positions are checked against the words that Label Studio quotes. Releases since 2022 count code points, older ones
UTF-16 units: both are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import InputError
from unslant.core.files import read_json
from unslant.core.types import Span
from unslant.lab.annotation.formats import SeenJudgements, parse_span
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.corpora.tables import DataProblem

if TYPE_CHECKING:
    from unslant.lab.annotation.formats import AnnotationOptions

_SPANS = ("labels", "hypertextlabels")
_FIELDS = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "taxonomy": "taxonomy",
}


@dataclass(frozen=True, slots=True)
class LabelledRegion:
    """A marked span in one of the texts of a task."""

    id: str
    field: str
    """The name of the labels in the configuration."""
    text: str
    """The name of the text that contains it."""
    source: str
    """That text."""
    span: Span
    label: str
    answers: Mapping[str, str]
    """The answers about this region, by question."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What one annotator did with one task."""

    row: int
    """The place of the task in the file, from 1."""
    item: str
    annotator: str
    data: Mapping[str, Any]
    regions: tuple[LabelledRegion, ...]
    answers: Mapping[str, str]
    """The answers about the task as a whole, by question."""
    links: tuple[tuple[str, str], ...] = ()
    """Pairs of regions, by their ids, that were related to each other."""


def read_label_studio(path: Path, _: AnnotationOptions) -> Iterator[Annotation | DataProblem]:
    """Yield every judgement in an export: answers, marked spans, and answers about spans.

    An answer about a span becomes an item of its own, named after the span, so that annotators are compared where
    they judged the same words.
    """
    done = list(read_completions(path))
    judged = [completion for completion in done if isinstance(completion, Completion)]
    spans = sorted({region.field for completion in judged for region in completion.regions})
    seen = SeenJudgements()
    for completion in done:
        if isinstance(completion, DataProblem):
            yield completion
            continue
        for judgement in _judgements(completion, spans):
            yield seen.check(judgement, path.name, completion.row) or judgement


def _judgements(completion: Completion, spans: Sequence[str]) -> Iterator[Annotation]:
    batch = str(completion.data["batch"]) if completion.data.get("batch") is not None else None
    text = next((value for value in completion.data.values() if isinstance(value, str)), "")
    for task, label in completion.answers.items():
        yield Annotation(completion.item, completion.annotator, label, task, batch, text)
    for region in completion.regions:
        marked = (batch, region.source, region.span)
        yield Annotation(completion.item, completion.annotator, region.label, region.field, *marked)
        name = f"{completion.item}:{region.text}:{region.span.start}-{region.span.end}"
        words = region.source[region.span.start : region.span.end]
        for task, label in region.answers.items():
            yield Annotation(name, completion.annotator, label, task, batch, words)
    for task in spans:
        if all(region.field != task for region in completion.regions):
            yield Annotation(completion.item, completion.annotator, NOTHING, task, batch, text)


_MAX_BYTES = 1 << 30


def read_completions(path: Path) -> Iterator[Completion | DataProblem]:
    """Yield what each annotator did with each task; cancelled ones are no judgement and yield nothing."""
    try:
        tasks = read_json(path, max_bytes=_MAX_BYTES)
    except InputError as error:
        cause, row, what, detail = error.__cause__, None, "cannot be read", str(error)
        if isinstance(cause, UnicodeDecodeError):
            what, detail = "mixed encodings", f"{cause.reason}; export it again"
        elif isinstance(cause, json.JSONDecodeError):
            row, what, detail = cause.lineno, "not JSON", f"{cause}; export it again"
        yield DataProblem(path.name, row, what, detail, fatal=True)
        return
    if not isinstance(tasks, list):
        yield DataProblem(
            path.name, None, "not a Label Studio export", "it should be a list of tasks", fatal=True
        )
        return
    for row, task in enumerate(tasks, 1):
        if not isinstance(task, dict) or not ("annotations" in task or "annotator" in task):
            detail = "a task has annotations (JSON) or an annotator (JSON-MIN)"
            yield DataProblem(path.name, row, "wrong columns", detail)
            continue
        try:
            short = "annotator" in task
            data, results = _expand_min(task) if short else (task.get("data", {}), task["annotations"])
            item = str(data.get("item") or task.get("id") or row)
            for result in results:
                if not result.get("was_cancelled"):
                    yield _completion(result, data, _TaskPlace(path.name, row, item))
        except (AttributeError, KeyError, TypeError) as error:
            # A part that is not shaped as Label Studio writes it, however deep it sits.
            yield DataProblem(path.name, row, "not a Label Studio export", f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class _TaskPlace:
    file: str
    row: int
    item: str


def _completion(
    result: Mapping[str, Any], data: Mapping[str, Any], place: _TaskPlace
) -> Completion | DataProblem:
    marked: dict[str, LabelledRegion] = {}
    answers: dict[str, str] = {}
    about: list[tuple[str, str, str]] = []
    links: list[tuple[str, str]] = []
    for number, part in enumerate(result.get("result") or ()):
        kind, value = part.get("type"), part.get("value") or {}
        if kind == "relation":
            links.append((str(part["from_id"]), str(part["to_id"])))
        elif kind in _SPANS:
            region = _region(part, data, str(part.get("id", number)))
            if isinstance(region, str):
                return DataProblem(place.file, place.row, "span outside the text", region)
            marked[region.id] = region
        elif kind in _FIELDS:
            about.append((str(part.get("id")), str(part.get("from_name")), _answer(value.get(_FIELDS[kind]))))
    for id_, question, answer in about:
        if id_ in marked:
            marked[id_] = replace(marked[id_], answers={**marked[id_].answers, question: answer})
        else:
            answers[question] = answer
    who = result.get("completed_by", result.get("annotator", ""))
    annotator = str(who.get("email") or who.get("id")) if isinstance(who, dict) else str(who)
    regions = tuple(sorted(marked.values(), key=lambda region: (region.text, region.span, region.field)))
    return Completion(place.row, place.item, annotator, data, regions, answers, tuple(links))


def _region(part: Mapping[str, Any], data: Mapping[str, Any], id_: str) -> LabelledRegion | str:
    value = part["value"]
    offsets = value.get("globalOffsets") or value
    where, quote = str(part.get("to_name")), value.get("text")
    bounds = offsets.get("start"), offsets.get("end")
    span = parse_span(None, *bounds)
    if isinstance(span, str):
        return span
    # The short form does not say which text is meant: it is the one that has the quoted words in that place.
    texts = (
        [data[where]]
        if isinstance(data.get(where), str)
        else [text for text in data.values() if isinstance(text, str)]
    )
    label = "+".join(sorted(map(str, value.get(str(part["type"])) or ())))
    for text in texts:
        exact = _exact(text, span, quote)
        if exact is not None:
            return LabelledRegion(id_, str(part.get("from_name")), where, text, exact, label, {})
    return f"{span.start} to {span.end} of {where!r}, where the quoted words do not stand"


def _exact(text: str, span: Span, quote: str | None) -> Span | None:
    """Return the span in code points, whichever way it was counted; None where it fits neither."""
    if span.end <= len(text) and quote in (None, text[span.start : span.end]):
        return span
    units = text.encode("utf-16-le")
    start, end = span.start * 2, span.end * 2
    if quote is None or end > len(units):
        return None
    try:
        before, inside = units[:start].decode("utf-16-le"), units[start:end].decode("utf-16-le")
    except UnicodeDecodeError:
        return None
    return Span(len(before), len(before) + len(inside)) if inside == quote else None


def _answer(value: Any) -> str:
    if isinstance(value, list):
        flat = [part if isinstance(part, str) else "/".join(map(str, part)) for part in value]
        return "+".join(sorted(flat))
    return str(value)


def _expand_min(task: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Unfold a row of JSON-MIN, where answers stand between the task's id and the annotator, after its data."""
    names = list(task)
    start = names.index("id") if "id" in names else -1
    end = names.index("annotator")
    data = {name: task[name] for name in names[: max(start, 0)]}
    results: list[dict[str, Any]] = []
    for name in names[start + 1 : end]:
        value = task[name]
        for part in value if isinstance(value, list) else [value]:
            part = part if isinstance(part, dict) else {"choices": part}
            kind = next((kind for kind in (*_SPANS, *_FIELDS) if _FIELDS.get(kind, kind) in part), "choices")
            # The short form leaves out ids; what is said of a region repeats where it stands.
            place = f"{part['start']}-{part['end']}-{part.get('text')}" if "start" in part else name
            results.append({"id": place, "type": kind, "from_name": name, "value": part})
    return data, [{"result": results, "completed_by": task["annotator"]}]
