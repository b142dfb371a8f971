"""Labelling configurations for Label Studio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree import ElementTree as ET

from unslant.core.taxonomy import kind, kinds

__all__ = ["FORMS", "NOT_BIASED", "PROMPTED", "QUESTIONS", "Form", "RatingQuestion", "labelling_config"]

Form = Literal["edits", "kinds", "rewrites", "questionnaire"]
FORMS: tuple[Form, ...] = ("edits", "kinds", "rewrites", "questionnaire")

NOT_BIASED = "not biased"
"""The answer of an annotator who finds that an edited span does not slant."""

_COLOR = "#f0b429"


@dataclass(frozen=True, slots=True)
class RatingQuestion:
    """A question with a scale."""

    name: str
    title: str
    answers: tuple[tuple[int, str], ...]
    """Each value with the words that stand for it, in the order in which they are shown."""
    mirrored: bool = False
    """The answer compares A with B, so its sign turns when the two change places."""

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


QUESTIONS: dict[Form, tuple[RatingQuestion, ...]] = {
    "rewrites": (
        RatingQuestion(
            "meaning",
            "How similar are the meanings of A and B?",
            (
                (0, "Identical"),
                (1, "Very similar"),
                (2, "Similar"),
                (3, "Slightly similar"),
                (4, "Totally different"),
            ),
        ),
        RatingQuestion("fluency", "Which text is more fluent?", _comparison("fluent"), mirrored=True),
        RatingQuestion("bias", "Which text is more biased?", _comparison("biased"), mirrored=True),
    ),
    "questionnaire": (
        RatingQuestion("bias", "How slanted is the text?", _seven("not at all", "very much")),
        RatingQuestion("readability", "How easy is it to read?", _seven("very hard", "very easy")),
        RatingQuestion("coherence", "How well does it hang together?", _seven("not at all", "very well")),
    ),
}


PROMPTED = replace(QUESTIONS["questionnaire"][2], title="How well does the text go on from its beginning?")
"""The question of coherence where texts go on from a prompt that is shown."""


def labelling_config(form: Form, *, prompted: bool = False) -> str:
    """Return the labelling configuration of a form as XML; ``prompted``: texts are shown with their beginning."""
    view = ET.Element("View")
    if form == "edits":
        _add_edits(view)
    elif form == "kinds":
        _add_kinds(view)
    elif form == "rewrites":
        _add_texts(view, (("a", "A"), ("b", "B")))
        _add_questions(view, QUESTIONS[form], "a")
    else:
        _add_texts(view, ((("prompt", "It was asked to go on from this beginning"),) if prompted else ()))
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


def _add_edits(view: ET.Element) -> None:
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


def _add_kinds(view: ET.Element) -> None:
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


def _add_questions(view: ET.Element, questions: Sequence[RatingQuestion], text: str) -> None:
    for question in questions:
        ET.SubElement(view, "Header", value=question.title, size="5")
        choices = ET.SubElement(
            view, "Choices", name=question.name, toName=text, choice="single-radio", required="true"
        )
        for value, words in question.answers:
            ET.SubElement(choices, "Choice", value=words, alias=str(value))
