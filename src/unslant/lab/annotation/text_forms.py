"""Forms about one text: judging a sentence as in BABE, and collecting neutral rephrasings as Bauer et al. 2023 do.

``sentences`` asks three things, in the order of BABE: mark the words that carry bias, say whether the sentence is
biased, and whether it is opinion or fact. ``collect``, ``verify`` and ``refine`` are the stages of a collection of
rephrasings, each by other people: write one; say whether it is right and, if not, what is wrong; write a better one.
``categories`` sorts the rephrasings of a model into those of the paper's Table 10.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree as ET

from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.text.diff import word_spans

if TYPE_CHECKING:
    from unslant.core.types import Span
    from unslant.lab.annotation.label_studio import Completion
    from unslant.lab.corpora.tables import TableRow

TextForm = Literal["sentences", "collect", "verify", "refine", "categories"]
TEXT_FORMS: tuple[TextForm, ...] = ("sentences", "collect", "verify", "refine", "categories")
NEEDED: Mapping[str, tuple[str, ...]] = {
    "sentences": ("text",),
    "collect": ("text",),
    "verify": ("text", "rephrase"),
    "refine": ("text", "rephrase"),
    "categories": ("text", "rephrase"),
}
"""The columns that a form needs."""
_MORE = {"refine": ("feedback", "context"), "collect": ("context",), "verify": ("context",)}
"""Columns that are shown if present."""
_NOT_GIVEN = "(not given)"

CATEGORIES = {
    "correct": "a neutral rephrasing of the text",
    "keeps the bias": "a paraphrase that is still biased",
    "only a word": "a biased word was replaced, what is said is still biased",
    "another text": "unbiased, but no rephrasing of this text",
    "an example of its own": "an invented text, task or answer instead of a rephrasing",
}
"""The categories of Bauer et al. 2023, Table 10, with what they mean."""

CHOICES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "sentences": {
        "bias": {"Biased": "", "Non-biased": ""},
        "opinion": {
            "Expresses writer\u2019s opinion": "",
            "Somewhat factual but also opinionated": "",
            "Entirely factual": "",
        },
    },
    "verify": {
        "verdict": {
            "correct": "neutral, complete and fluent, with the facts of the text",
            "incorrect": "still biased, or something is lost, added or wrong",
        }
    },
    "categories": {"category": CATEGORIES},
}
"""The questions of each form with their answers; what an answer means is shown with it."""

_TITLES = {
    "bias": "Is the sentence biased?",
    "opinion": "Is it opinion or fact?",
    "verdict": "Is the rephrasing right?",
    "category": "What is the model's output?",
}
_INTRO = {
    "sentences": "First mark every word or phrase that carries bias. Then judge the sentence as a whole.",
    "collect": "Rewrite the marked text so that the bias against the group is gone. Replace biased words or slurs with "
    "neutral ones; if bias remains, remove or rewrite what links the group with something bad. Keep facts, but not "
    "an intent that is assumed of everyone in the group. Assume nothing about who wrote the text.",
    "verify": "Somebody rephrased the text so that the bias against the group is gone. Say whether it is right; if "
    "not, write what should change.",
    "refine": "Somebody found a mistake in this rephrasing. Write a better one.",
    "categories": "A model was asked to rephrase the text without bias. Say what it wrote.",
}
_WRITTEN = {"collect": "rephrase", "verify": "feedback", "refine": "rephrase"}
"""The free-text fields of a form."""
_SHOWN = {
    "text": "Text",
    "context": "The passage that contains it",
    "rephrase": "Rephrasing",
    "feedback": "What is wrong",
}
_COLOR = "#f0b429"


def add_text_form(view: ET.Element, form: str) -> None:
    """Add the controls of a form to a labelling configuration."""
    ET.SubElement(view, "Header", value=_INTRO[form])
    if form == "sentences":
        labels = ET.SubElement(view, "Labels", name="words", toName="text")
        ET.SubElement(labels, "Label", value="biased", background=_COLOR)
        ET.SubElement(view, "Text", name="text", value="$text", granularity="word")
    else:
        for name in (*NEEDED[form], *_MORE.get(form, ())):
            ET.SubElement(view, "Header", value=_SHOWN[name], size="5")
            ET.SubElement(
                view, "Text", name=f"shown_{name}" if name in _WRITTEN.values() else name, value=f"${name}"
            )
    for name, answers in CHOICES.get(form, {}).items():
        ET.SubElement(view, "Header", value=_TITLES[name], size="5")
        choices = ET.SubElement(
            view, "Choices", name=name, toName="text", choice="single-radio", required="true"
        )
        for answer, meaning in answers.items():
            ET.SubElement(
                choices, "Choice", {"value": answer, "hint": meaning} if meaning else {"value": answer}
            )
    if form in _WRITTEN:
        name = _WRITTEN[form]
        required = "false" if form == "verify" else "true"
        ET.SubElement(
            view, "TextArea", name=name, toName="text", maxSubmissions="1", rows="4", required=required
        )


def text_task(form: str, name: str, row: TableRow) -> dict[str, Any]:
    """Return the task of an item."""
    data = {"item": name, **{column: row.text(column) for column in NEEDED[form]}}
    data |= {column: row.text(column).strip() or _NOT_GIVEN for column in _MORE.get(form, ())}
    return {"data": data}


def text_problem(completion: Completion, form: str) -> str | None:
    """Return what is wrong with the answers of a task; None: nothing."""
    for name, known in CHOICES.get(form, {}).items():
        answer = completion.answers.get(name)
        if answer is not None and answer not in known:
            return f"{name} is {answer!r}; known: {', '.join(known)}"
    return None


def text_annotations(form: str, completion: Completion, batch: str) -> list[Annotation]:
    """Return one annotation per judgement; for marked words, one per span."""
    who, text = completion.annotator, completion.data["text"]
    answers = [
        (completion.answers[name], name) for name in CHOICES.get(form, {}) if name in completion.answers
    ]
    found = [Annotation(completion.item, who, answer, name, batch, text) for answer, name in answers]
    if form == "sentences":
        spans = [region.span for region in completion.regions]
        found += [Annotation(completion.item, who, "biased", "spans", batch, text, span) for span in spans]
        if not spans:
            found.append(Annotation(completion.item, who, NOTHING, "spans", batch, text))
        words = [text[span.start : span.end] for span in spans]
        found += [Annotation(completion.item, who, word, "words", batch, text) for word in words]
    return found


def text_rows(
    form: str, manifest: Mapping[str, Any], done: Sequence[Completion], source: str, licence: str
) -> Iterator[dict[str, Any]]:
    """Yield what a project found: examples, rephrasings for the next stage, or one category per output."""
    groups: dict[str, list[Completion]] = defaultdict(list)
    for completion in done:
        groups[completion.item].append(completion)
    for item, group in groups.items():
        if form == "sentences":
            yield _sentence_row(item, group) | {"source": source, "licence": licence}
        elif form == "categories":
            votes = _votes(group, "category")
            system = manifest["items"][item].get("system", "")
            row = {"system": system, "category": _most(votes), "votes": dict(votes)}
            yield _text_row(item, group[0]) | row
        elif form == "verify":
            yield _verified_row(item, group)
        else:
            for judgement in group:
                # an annotator who wrote nothing gave no rephrasing
                if words := judgement.answers.get("rephrase", "").strip():
                    yield _text_row(item, judgement) | {"rephrase": words, "annotator": judgement.annotator}


def _text_row(item: str, completion: Completion) -> dict[str, Any]:
    row = {
        "item": item,
        **{name: completion.data[name] for name in ("text", "rephrase") if name in completion.data},
    }
    context = completion.data.get("context", "")
    return {**row, "context": "" if context == _NOT_GIVEN else context}


def _verified_row(item: str, group: Sequence[Completion]) -> dict[str, Any]:
    """Return a rephrasing with its verdict; it is right if most say so, and what the others say is the feedback."""
    votes = _votes(group, "verdict")
    said = [judgement.answers.get("feedback", "").strip() for judgement in group]
    return _text_row(item, group[0]) | {
        "verdict": "correct" if votes["correct"] > votes["incorrect"] else "incorrect",
        "feedback": " / ".join(filter(None, said)),
    }


def _votes(group: Sequence[Completion], question: str) -> Counter[str]:
    return Counter(done.answers[question] for done in group if question in done.answers)


def _most(votes: Counter[str]) -> str | None:
    ranked = votes.most_common(2)
    return None if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]) else ranked[0][0]


def _sentence_row(item: str, group: Sequence[Completion]) -> dict[str, Any]:
    """Return an example: the majority's verdicts, and the words that enough annotators marked."""
    votes = _votes(group, "bias")
    bias = _most(votes)
    text = group[0].data["text"]
    return {
        "id": item,
        "text": text,
        "label": None if bias is None else bias == "Biased",
        "share": votes["Biased"] / votes.total() if votes else None,
        "opinion": _most(_votes(group, "opinion")),
        "spans": marked_words(text, [[region.span for region in judgement.regions] for judgement in group]),
    }


def marked_words(text: str, marks: Sequence[Sequence[Span]]) -> list[dict[str, Any]]:
    """Return the words that more than a third of the annotators marked, neighbours as one span.

    That is 2 of 5 and 3 of 8, as in BABE. The share of a span is that of its most marked word.
    """
    least = len(marks) // 3 + 1
    found: list[dict[str, Any]] = []
    before = False
    for word in word_spans(text):
        votes = sum(any(span.overlaps(word) for span in spans) for spans in marks)
        if votes >= least:
            share = votes / len(marks)
            if before:
                found[-1] |= {"end": word.end, "share": max(share, found[-1]["share"])}
            else:
                found.append({"start": word.start, "end": word.end, "share": share})
        before = votes >= least
    return found
