"""Annotation projects for Label Studio: labelling configurations, tasks, and a manifest of what the tasks hide."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import make_folder, read_json, write_text
from unslant.core.taxonomy import kind, kinds
from unslant.lab.annotation.guidelines import add_guidelines, guidelines_markdown
from unslant.lab.annotation.text_forms import NEEDED, TEXT_FORMS, TextForm, add_text_form, text_task
from unslant.lab.corpora.tables import CorpusError, DataProblem, TableRow, read_rows
from unslant.text.diff import EditedPair, edited_pairs

Form = Literal["edits", "kinds", "rewrites", "questionnaire"] | TextForm
FORMS: tuple[Form, ...] = ("edits", "kinds", "rewrites", "questionnaire", *TEXT_FORMS)

NOT_BIASED = "not biased"
"""The answer for an edited span that is not slanted."""

_COLOR = "#f0b429"


@dataclass(frozen=True, slots=True)
class RatingQuestion:
    """A question with a scale."""

    name: str
    title: str
    answers: tuple[tuple[int, str], ...]
    """Each value with the words that stand for it, in the order in which they are shown."""
    mirrored: bool = False
    """Whether the answer compares A with B, so that swapping them changes its sign."""

    @property
    def values(self) -> tuple[int, ...]:
        """The values that may be given."""
        return tuple(value for value, _ in self.answers)


def _comparison(word: str) -> tuple[tuple[int, str], ...]:
    return (
        (-2, f"A is much more {word}"),
        (-1, f"A is slightly more {word}"),
        (0, f"Both are equally {word}"),
        (1, f"B is slightly more {word}"),
        (2, f"B is much more {word}"),
    )


def _seven(low: str, high: str) -> tuple[tuple[int, str], ...]:
    return ((1, f"1 ({low})"), *((value, str(value)) for value in range(2, 7)), (7, f"7 ({high})"))


_MEANINGS = ("Identical", "Very similar", "Similar", "Slightly similar", "Totally different")
QUESTIONS: dict[Form, tuple[RatingQuestion, ...]] = {
    "rewrites": (
        RatingQuestion("meaning", "How similar are the meanings of A and B?", tuple(enumerate(_MEANINGS))),
        RatingQuestion("fluency", "Which text is more fluent?", _comparison("fluent"), mirrored=True),
        RatingQuestion("bias", "Which text is more biased?", _comparison("biased"), mirrored=True),
    ),
    "questionnaire": (
        RatingQuestion("bias", "How slanted is the text?", _seven("not at all", "very much")),
        RatingQuestion("readability", "How easy is it to read?", _seven("very hard", "very easy")),
        RatingQuestion("coherence", "How coherent is it?", _seven("not at all", "very well")),
    ),
}


PROMPTED = replace(QUESTIONS["questionnaire"][2], title="How well does the text follow from its beginning?")
"""The question about coherence for texts that continue a prompt, which is shown."""


def labelling_config(form: Form, *, prompted: bool = False) -> str:
    """Return the labelling configuration of a form as XML; ``prompted``: texts are shown with their beginning."""
    view = ET.Element("View")
    add_guidelines(view, form)
    if form == "edits":
        ET.SubElement(
            view,
            "Header",
            value="Mark every word or phrase that was changed, and link it to what it became. "
            "Words that were added or deleted stay without a link.",
        )
        relations = ET.SubElement(view, "Relations")
        ET.SubElement(relations, "Relation", value="becomes")
        _add_marked_text(view, "before", "source", "Before the edit")
        _add_marked_text(view, "after", "target", "After the edit")
    elif form == "kinds":
        ET.SubElement(view, "Header", value="Choose every marked span and say how it slants, if it does.")
        _add_marked_text(view, "before", "source", "Before the edit")
        _add_texts(view, (("target", "After the edit"), ("edits", "The edits")))
        choices = ET.SubElement(
            view,
            "Choices",
            name="kind",
            toName="source",
            perRegion="true",
            choice="single",
            required="true",
            requiredMessage="Please say how this span slants.",
        )
        for name in kinds():
            ET.SubElement(choices, "Choice", value=name, hint=kind(name).meaning)
        ET.SubElement(choices, "Choice", value=NOT_BIASED, hint="The words are neutral in this sentence.")
    elif form in TEXT_FORMS:
        add_text_form(view, form)
    elif form == "rewrites":
        _add_texts(view, (("a", "A"), ("b", "B")))
        _add_questions(view, QUESTIONS[form], "a")
    else:
        _add_texts(view, ((("prompt", "It was asked to continue this beginning"),) if prompted else ()))
        _add_texts(view, (("text", "Text"),))
        questions = QUESTIONS[form]
        _add_questions(view, (*questions[:2], PROMPTED) if prompted else questions, "text")
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def _add_texts(view: ET.Element, names: Sequence[tuple[str, str]]) -> None:
    for name, title in names:
        ET.SubElement(view, "Header", value=title, size="5")
        ET.SubElement(view, "Text", name=name, value=f"${name}")


def _add_marked_text(view: ET.Element, labels: str, text: str, title: str) -> None:
    ET.SubElement(view, "Header", value=title, size="5")
    choices = ET.SubElement(view, "Labels", name=labels, toName=text)
    ET.SubElement(choices, "Label", value="edited", background=_COLOR)
    ET.SubElement(view, "Text", name=text, value=f"${text}", granularity="word")


def _add_questions(view: ET.Element, questions: Sequence[RatingQuestion], text: str) -> None:
    for question in questions:
        ET.SubElement(view, "Header", value=question.title, size="5")
        choices = ET.SubElement(
            view, "Choices", name=question.name, toName=text, choice="single-radio", required="true"
        )
        for value, words in question.answers:
            ET.SubElement(choices, "Choice", value=words, alias=str(value))


SCHEMA = "unslant/annotation/1"
_NEEDED: Mapping[Form, tuple[str, ...]] = {
    "edits": ("source", "target"),
    "kinds": ("source", "target"),
    "rewrites": ("source", "rewrite"),
    "questionnaire": ("text",),
    **NEEDED,  # type: ignore[dict-item]
}


@dataclass(frozen=True, slots=True)
class Batching:
    """How items are assigned to annotators."""

    size: int = 200
    doubled: int = 40
    """Items of every batch that two annotators see, so that their agreement can be watched."""
    annotators: int = 2
    """1: everyone gets all items."""
    seed: int = 0
    """Decides the doubled items and every random order; kept in the manifest."""
    paragraphs: int | None = None
    """For a questionnaire: how many texts each annotator gets; None: everybody gets everything."""
    ratings: int | None = None
    """How many annotators get each item, as where labels are majorities; None: one, and two where it is doubled."""

    def __post_init__(self) -> None:
        if self.ratings is not None and self.ratings > self.annotators:
            raise ConfigError(
                f"--ratings {self.ratings}: there are only {self.annotators} annotators; set --annotators"
            )


@dataclass(frozen=True, slots=True)
class AnnotationProject:
    """The content of a project's folder; the manifest is read back with the results."""

    form: Form
    tasks: Sequence[Mapping[str, Any]]
    manifest: Mapping[str, Any]
    assignments: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """For each annotator, the places of their tasks; empty: everybody gets everything."""

    def write(self, folder: Path) -> list[Path]:
        """Write the configuration, the tasks (a file per annotator) and the manifest."""
        make_folder(folder)
        prompted = bool(self.manifest.get("prompted"))
        files = {
            "config.xml": labelling_config(self.form, prompted=prompted),
            "manifest.json": _json(self.manifest),
        }
        if guidelines := guidelines_markdown(self.form):
            files["guidelines.md"] = guidelines
        if self.assignments:
            for name, places in self.assignments.items():
                files[f"tasks-{name}.json"] = _json([self.tasks[place] for place in places])
        else:
            files["tasks.json"] = _json(self.tasks)
        for name, text in files.items():
            write_text(folder / name, text)
        return [folder / name for name in sorted(files)]


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def load_project(folder: Path) -> Mapping[str, Any]:
    """Read the manifest of a project."""
    path = folder / "manifest.json"
    if not path.exists():
        raise CorpusError(f"{folder} is not an annotation project: manifest.json is missing")
    try:
        manifest = read_json(path)
    except InputError as error:
        raise CorpusError(f"{error}; export the project again") from error
    if (
        not isinstance(manifest, dict)
        or manifest.get("schema") != SCHEMA
        or manifest.get("form") not in FORMS
    ):
        raise CorpusError(f"{path}: not a manifest of the form {SCHEMA}; export the project again")
    return manifest


def build_project(
    form: Form,
    items: Path,
    batching: Batching | None = None,
    *,
    qualification: Path | None = None,
    error_limit: float = 0.2,
) -> AnnotationProject:
    """Make a project out of a file of items.

    ``edits`` and ``kinds`` need the columns source and target; ``rewrites`` source and rewrite, and system where
    several are compared; the others need text, and :mod:`text_forms` says what else. An item may be named in a column
    item. Of the results of ``verify``, ``refine`` takes those that were found wrong.
    """
    batching = batching or Batching()
    rows = _rows(items, _NEEDED[form])
    generator = random.Random(batching.seed)  # noqa: S311 - an order, not a secret
    manifest: dict[str, Any] = {
        "schema": SCHEMA,
        "form": form,
        "seed": batching.seed,
        "batch_size": batching.size,
        "doubled_per_batch": batching.doubled,
        "items": {},
    }
    if form == "refine":
        rows = [row for row in rows if row.text("verdict") != "correct"]
    if form in TEXT_FORMS or form in ("edits", "kinds"):
        make = text_task if form in TEXT_FORMS else _pair_task
        names = _name_items(rows, items)
        tasks = [make(form, name, row) for name, row in zip(names, rows, strict=True)]
        assignments = _assign_items(tasks, manifest, batching, generator)
        for name, row in zip(names, rows, strict=True) if form == "categories" else ():
            manifest["items"][name]["system"] = row.text("system")
        return AnnotationProject(form, tasks, manifest, assignments)
    manifest["prompted"] = form == "questionnaire" and all(row.text("prompt").strip() for row in rows)
    tasks = _judged_tasks(form, rows, manifest, generator)
    if qualification is not None:
        manifest["error_limit"] = error_limit
        tests = _rows(qualification, (*_NEEDED[form], *(question.name for question in QUESTIONS[form])))
        # The test comes first: whoever fails it should not continue.
        tasks = [*_judged_tasks(form, tests, manifest, generator, gold=True), *tasks]
    assignments = {}
    if batching.paragraphs is not None:
        assignments = assign_texts(tasks, manifest, batching, generator)
    return AnnotationProject(form, tasks, manifest, assignments)


def _rows(path: Path, needed: Sequence[str]) -> list[TableRow]:
    from unslant.lab.annotation.reading import raise_problems

    if not path.is_file():
        raise CorpusError(f"{path}: no such file")
    rows, problems = [], []
    for row in read_rows(path, needed):
        if isinstance(row, DataProblem):
            problems.append(row)
        elif empty := [name for name in needed if not row.text(name).strip()]:
            problems.append(row.problem("empty", ", ".join(empty)))
        else:
            rows.append(row)
    raise_problems(problems)
    if not rows:
        raise CorpusError(f"{path}: no items in it")
    return rows


def _name_items(rows: Iterable[TableRow], path: Path) -> list[str]:
    first: dict[str, int] = {}
    for place, row in enumerate(rows, 1):
        name = row.text("item") or row.text("id") or str(place)
        if name in first:
            raise CorpusError(
                str(row.problem("duplicate id", f"{name}, as in row {first[name]} of {path.name}"))
            )
        first[name] = row.number
    return list(first)


def _pair_task(form: str, name: str, row: TableRow) -> dict[str, Any]:
    source, target = row.text("source"), row.text("target")
    pairs = _given(row, source, target) if row.values.get("edits") else edited_pairs(source, target)
    data = {"item": name, "source": source, "target": target}
    if form == "kinds":
        pairs = tuple(pair for pair in pairs if pair.source)
        shown = (
            (source[pair.source.start : pair.source.end] if pair.source else "(added)")
            + " → "
            + (target[pair.target.start : pair.target.end] if pair.target else "(deleted)")
            for pair in pairs
        )
        data["edits"] = "\n".join(shown) or "(none)"
    result: list[dict[str, Any]] = []
    for number, pair in enumerate(pairs):
        ends = (("before", "source", source, pair.source), ("after", "target", target, pair.target))
        for labels, to, text, span in ends:
            if span is not None and (form == "edits" or to == "source"):
                marked = {**span.to_dict(), "text": text[span.start : span.end], "labels": ["edited"]}
                where = {"id": f"{labels}{number}", "from_name": labels, "to_name": to}
                result.append({**where, "type": "labels", "value": marked})
        if form == "edits" and pair.source and pair.target:
            link = {"from_id": f"before{number}", "to_id": f"after{number}", "direction": "right"}
            result.append({**link, "type": "relation", "labels": ["becomes"]})
    origin = "annotators" if row.values.get("edits") else "word-diff"
    return {"data": data, "predictions": [{"model_version": origin, "result": result}]}


def _given(row: TableRow, source: str, target: str) -> tuple[EditedPair, ...]:
    try:
        pairs = tuple(EditedPair.from_dict(edit) for edit in row.values["edits"])
    except (TypeError, KeyError, AttributeError):
        raise CorpusError(
            str(row.problem("wrong columns", "edits is a list of source and target spans"))
        ) from None
    for pair in pairs:
        for span, text in ((pair.source, source), (pair.target, target)):
            if span and span.end > len(text):
                raise CorpusError(str(row.problem("span outside the text", f"{span.start} to {span.end}")))
    return pairs


def _assign_items(
    tasks: Sequence[Mapping[str, Any]], manifest: dict[str, Any], batching: Batching, generator: random.Random
) -> dict[str, list[int]]:
    assignments: dict[str, list[int]] = {str(name): [] for name in range(1, batching.annotators + 1)}
    if batching.ratings is not None:
        manifest["ratings"] = batching.ratings
    turn = 0
    for start in range(0, len(tasks), batching.size):
        places = range(start, min(start + batching.size, len(tasks)))
        doubled = (
            set() if batching.ratings else set(generator.sample(places, min(batching.doubled, len(places))))
        )
        for place in places:
            batch = start // batching.size + 1
            tasks[place]["data"]["batch"] = str(batch)
            manifest["items"][tasks[place]["data"]["item"]] = {"batch": batch, "doubled": place in doubled}
            if batching.ratings is not None:
                # to those who have the fewest, in a random order among equals, so that everybody meets everybody
                fewest = sorted(assignments, key=lambda name: (len(assignments[name]), generator.random()))
                for name in fewest[: batching.ratings]:
                    assignments[name].append(place)
                continue
            for step in range(2 if place in doubled else 1):
                assigned = assignments[str((turn + step) % batching.annotators + 1)]
                if place not in assigned[-1:]:
                    assigned.append(place)
            turn += 1
    return assignments if batching.annotators > 1 else {}


def _judged_tasks(
    form: Form,
    rows: Sequence[TableRow],
    manifest: dict[str, Any],
    generator: random.Random,
    *,
    gold: bool = False,
) -> list[dict[str, Any]]:
    tasks = []
    for row in rows:
        # The name must not reveal the system, which only the manifest records.
        name = f"{'q' if gold else 'r'}{len(manifest['items']) + 1:04d}"
        entry: dict[str, Any] = {"item": row.text("item") or row.text("id") or str(row.number - 1)}
        entry["system"] = row.text("system") or "rewrite"
        if form == "rewrites":
            swapped = generator.random() < 0.5
            entry["rewrite_is"] = "a" if swapped else "b"
            texts = [row.text("source"), row.text("rewrite")]
            first, second = reversed(texts) if swapped else texts
            data = {"item": name, "a": first, "b": second}
        else:
            data = {"item": name, "text": row.text("text")}
            if manifest["prompted"]:
                data["prompt"] = row.text("prompt")
        if gold:
            entry["gold"] = {question.name: _gold(row, question.name) for question in QUESTIONS[form]}
        manifest["items"][name] = entry
        tasks.append({"data": data})
    generator.shuffle(tasks)
    return tasks


def _gold(row: TableRow, name: str) -> list[int]:
    try:
        return [int(value) for value in row.text(name).split("|")]
    except ValueError:
        detail = f"{name} is {row.text(name)!r}; write the right values as whole numbers, such as 1|2"
        raise CorpusError(str(row.problem("unknown label", detail))) from None


def assign_texts(
    tasks: Sequence[Mapping[str, Any]],
    manifest: Mapping[str, Any],
    batching: Batching,
    generator: random.Random,
) -> dict[str, list[int]]:
    """Return the places of each annotator's tasks: the test, then as many items as make the wanted number of texts.

    An annotator gets an item by all methods, so that methods are compared on the same items by the same people; items
    go round, so that all are judged about as often.
    """
    entries = [manifest["items"][task["data"]["item"]] for task in tasks]
    tests = [place for place, entry in enumerate(entries) if "gold" in entry]
    systems = sorted({entry["system"] for entry in entries if "gold" not in entry})
    places: dict[str, dict[str, int]] = {}
    for place, entry in enumerate(entries):
        if "gold" not in entry:
            places.setdefault(entry["item"], {})[entry["system"]] = place
    whole = sorted(item for item, by in places.items() if len(by) == len(systems))
    wanted = (batching.paragraphs or 0) // len(systems)
    if (batching.paragraphs or 0) % len(systems) or not 0 < wanted <= len(whole):
        raise CorpusError(
            f"{batching.paragraphs} texts per annotator cannot be assigned: there are {len(whole)} items by all of "
            f"{len(systems)} methods; choose a multiple of {len(systems)}, at most {len(systems) * len(whole)}"
        )
    generator.shuffle(whole)
    assignments: dict[str, list[int]] = {}
    for number in range(batching.annotators):
        items = [whole[(number * wanted + step) % len(whole)] for step in range(wanted)]
        mine = [place for item in items for place in places[item].values()]
        generator.shuffle(mine)
        assignments[str(number + 1)] = [*tests, *mine]
    return assignments
