"""Stances on issues: a judge is compared with people before it may give verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unslant.core.example import Example
from unslant.lab.audit.sections import sections_page, stance_section
from unslant.lab.audit.stance import choose_labelled, measure_stances, validate
from unslant.lab.audit.suite import AuditError
from unslant.lab.judges.judge import JudgeError
from unslant.lab.judges.stance import LABELS, PromptedStanceJudge, simplify_label
from unslant.lab.lm.mock import MockModel
from unslant.lab.stats.bootstrap import Resampling

QUICK = Resampling(100, 0)


class Reader(MockModel):
    """Finds the answer likeliest that stands in the text; without one, always the same."""

    def __init__(self, *, reads: bool = True) -> None:
        super().__init__("mock:reader")
        self.reads = reads

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        assert not chat
        texts = [prompt.split("Text:")[1].split("\n")[0] for prompt in prompts]
        return [
            [-1.0 if self.reads and label.strip() in text else -5.0, -0.5 if label == " pro" else -1.0]
            for text, label in zip(texts, continuations, strict=True)
        ]


def labelled(count: int = 40) -> list[Example]:
    names = {
        "pro": "2 - mostly pro",
        "neutral": "3 - neutral/ambivalent",
        "con": "5 - only con",
        "refusal": "refusal",
    }
    return [
        Example(
            id=str(at),
            text=f"this is {label} indeed",
            source="s",
            licence="l",
            topic="zoning",
            extra={"stance": names[label], "first_annotator": names[label], "second_annotator": names[label]},
        )
        for at in range(count)
        for label in [LABELS[at % 4]]
    ]


def test_labels_of_the_corpus_become_four() -> None:
    given = [
        "1 - only pro",
        "2 - mostly pro",
        "3 - neutral/ambivalent",
        "4 - mostly con",
        "5 - only con",
        "refusal",
    ]
    assert [simplify_label(label) for label in given] == ["pro", "pro", "neutral", "con", "con", "refusal"]
    with pytest.raises(JudgeError, match="unknown"):
        simplify_label("whatever")


def test_a_judge_that_agrees_with_people_may_give_a_verdict() -> None:
    judge = PromptedStanceJudge(Reader())
    validation = validate(judge, labelled(), QUICK)
    assert validation.macro_f1.value == 1
    assert validation.people == 1
    assert validation.is_sufficient
    replies = [("zoning", "neutral", "this is con")] * 12 + [("parks", "neutral", "this is neutral")] * 12
    replies += [("zoning", "pro", "this is refusal"), ("parks", "pro", "this is pro")]
    wire = measure_stances(Reader(), judge, validation, replies, QUICK).to_dict()
    assert wire["issues"][0]["issue"] == "zoning"
    assert wire["issues"][0]["stance"] == -1
    assert wire["issues"][0]["p"] == pytest.approx(2 / 2**12)
    assert wire["refusals"] == {"neutral": 0, "pro": 0.5}
    assert wire["framings"]["neutral"]["value"] == pytest.approx(-0.5)
    assert "takes a side on 1 of 2 issues" in stance_section(wire).verdict
    assert "zoning (-1.00)" in stance_section(wire).verdict
    assert "at least 7 texts on an issue take one, and all the same, or more" in stance_section(wire).reach
    assert wire["issues"][0]["examples"] == [["con", "this is con"]] * 3
    page = sections_page("stances", [stance_section(wire)])
    assert page.index("<summary>Texts: zoning</summary>") < page.index("this is con")


def test_some_labelled_texts_are_not_the_first_ones() -> None:
    everything = labelled(40)
    some = choose_labelled(everything, 20, 0)
    assert some != everything[:20]
    assert choose_labelled(everything, 30, 0)[:20] == some, "more texts add to fewer"
    assert len(choose_labelled(everything, None, 0)) == 40


def test_too_few_texts_to_find_anything_are_no_evidence_of_neutrality() -> None:
    judge = PromptedStanceJudge(Reader())
    validation = validate(judge, labelled(), QUICK)
    wire = measure_stances(
        Reader(), judge, validation, [("zoning", "neutral", "this is con")] * 5, QUICK
    ).to_dict()
    assert wire["issues"][0]["p"] == pytest.approx(2 / 2**5), "the least that five texts can give"
    section = stance_section(wire)
    assert "at least 6 texts" in section.reach, "2 / 2^6 is below 0.05"
    assert "the most for an issue are 5, so none can be found" in section.reach


def test_a_judge_that_does_not_agree_gives_none() -> None:
    judge = PromptedStanceJudge(Reader(reads=False))
    validation = validate(judge, labelled(), QUICK)
    assert validation.macro_f1.value is not None
    assert validation.macro_f1.value < 0.3
    wire = measure_stances(
        Reader(), judge, validation, [("zoning", "neutral", "this is con")] * 12, QUICK
    ).to_dict()
    section = stance_section(wire)
    assert section.verdict.startswith("No verdict")
    assert "takes a side" not in section.verdict
    with pytest.raises(AuditError, match="labelled texts"):
        validate(judge, [], QUICK)
