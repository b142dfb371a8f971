"""What holds for every text in every format."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unslant
from tests.marked import apply_one_by_one
from unslant.core.types import Applicability, Edit
from unslant.edits.combine import apart
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed
from unslant.lab import corpora
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.edits import apply_edits, inserted_spans

from .texts import MARKS, outside, texts

RULES = Spec(analyzers=("rules",))
PIPELINE = Pipeline(RULES)
FORMATS = sorted(MARKS)
often = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fixed(text: str, form: str, unsafe: bool = False) -> Fixed:
    return unslant.fix(text, format=form, unsafe=unsafe, spec=RULES)


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data(), unsafe=st.booleans())
def test_fixing_twice_is_fixing_once(form: str, data: st.DataObject, unsafe: bool) -> None:
    once = fixed(data.draw(texts(form)), form, unsafe)
    assert fixed(once.text, form, unsafe).text == once.text


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data())
def test_safe_edits_alone_are_those_that_fixing_applies(form: str, data: st.DataObject) -> None:
    text = data.draw(texts(form))
    document = unslant.read(text, form)
    assert Fixer(RULES, pipeline=PIPELINE).safe_edits(document) == fixed(text, form).applied


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data(), unsafe=st.booleans(), seed=st.integers(0, 99))
def test_some_of_the_edits_do_what_they_do_among_all(
    form: str, data: st.DataObject, unsafe: bool, seed: int
) -> None:
    text = data.draw(texts(form))
    usable = [
        each.edit
        for each in fixed(text, form, unsafe).edits
        if each.edit.applicability is not Applicability.DISPLAY
    ]
    generator = random.Random(seed)
    chosen = [edit for edit in usable if generator.random() < 0.5]
    together = apply_edits(text, usable)
    undone = [
        Edit(start, end, text[edit.start : edit.end])
        for edit, (start, end) in zip(usable, inserted_spans(usable), strict=True)
        if edit not in chosen
    ]
    some = apply_edits(text, chosen)
    assert apply_edits(together, undone) == some
    # one at a time, in any order, each moved by those before it
    generator.shuffle(chosen)
    assert apply_one_by_one(text, chosen) == some


def test_safe_edits_alone_are_those_that_fixing_applies_with_the_model() -> None:
    spec = Spec(analyzers=("rules", "model"))
    text = (
        "Unfortunately, the council met in May. Opponents *lambasted* the radical plan of the mayor.\n\n"
        "The acclaimed singer opened the hall on Monday. \u201cSadly, he failed\u201d, they said of the deal.\n"
    )
    result = unslant.fix(text, format="markdown", spec=spec)
    assert len(result.applied) >= 2
    assert Fixer(spec).safe_edits(unslant.read(text, "markdown")) == result.applied


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data(), unsafe=st.booleans())
def test_everything_outside_the_edits_stays(form: str, data: st.DataObject, unsafe: bool) -> None:
    result = fixed(data.draw(texts(form)), form, unsafe)
    before, after = outside(result)
    assert before == after


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _plain(text: str, form: str) -> str:
    return unslant.read(text, form).prose


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data())
def test_safe_edits_leave_facts_quotations_and_markup_alone(form: str, data: st.DataObject) -> None:
    source = data.draw(texts(form))
    result = fixed(source, form)
    assert _numbers(result.text) == _numbers(source)
    for word in (
        " not ",
        " will ",
        "Ana Ruiz Park",
        "dollars",
        "example.org/stunning",
        '"a stunning mess"',
        " May",
    ):
        assert result.text.count(word) == source.count(word)
    document = result.document
    for suggestion in result.edits:
        if suggestion.edit.applicability is not Applicability.SAFE:
            continue
        span = suggestion.edit.span
        assert document.source[span.start : span.end] == document.prose[span.start : span.end]
        assert not any(span.overlaps(quotation) for quotation in document.quotations)
    masked = [_markup(source, form), _markup(result.text, form)]
    assert masked[0] == masked[1]


def _markup(source: str, form: str) -> str:
    return "".join(own for own, shown in zip(source, _plain(source, form), strict=True) if own != shown)


@pytest.mark.parametrize("form", FORMATS)
@often
@given(data=st.data())
def test_no_word_comes_that_neither_the_text_nor_a_rule_has(form: str, data: st.DataObject) -> None:
    source = data.draw(texts(form))
    result = fixed(source, form)
    known = Counter(re.findall(r"\w+", source.lower()))
    offered = {
        word
        for finding in result.report.findings
        for edit in finding.edits
        for word in re.findall(r"\w+", edit.replacement.lower())
    }
    for word in re.findall(r"\w+", result.text.lower()):
        assert word in known or word in offered or word in ("a", "an")


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=15, deadline=None)
@given(text=st.text(max_size=80))
def test_no_text_at_all_is_too_odd(form: str, text: str) -> None:
    result = fixed(text, form, unsafe=True)
    before, after = outside(result)
    assert before == after


def test_an_edit_that_follows_from_another_is_reported_for_the_sentence_as_it_was() -> None:
    text = "A legendary brilliant incredibly singer slammed the singer.\n"
    result = fixed(text, "text", unsafe=True)
    assert result.text == "A singer criticized the singer.\n"
    for suggestion in result.edits:
        assert suggestion.before == text.rstrip()
        assert text[suggestion.sentence.start : suggestion.sentence.end] == suggestion.before


@often
@given(text=texts("text"))
def test_applied_edits_do_not_overlap_and_carry_their_sentence(text: str) -> None:
    result = fixed(text, "text", unsafe=True)
    made = [suggestion for suggestion in result.edits if suggestion.applied]
    for item, other in pairwise(made):
        assert item.edit.span.end <= other.edit.span.start
    for suggestion in result.edits:
        assert suggestion.before == text[suggestion.sentence.start : suggestion.sentence.end]
        assert suggestion.sentence.contains(suggestion.edit.span)
        assert suggestion.after != suggestion.before
        assert 0 <= (suggestion.edit.probability or 0.0) <= 1
        assert suggestion.applied <= (suggestion.edit.applicability is not Applicability.DISPLAY)


@pytest.mark.shared
@pytest.mark.parametrize("unsafe", [False, True])
def test_real_sentences_come_to_rest_with_the_model_too(shared_data: Path, unsafe: bool) -> None:
    examples = [example for example in corpora.load("wikibias", shared_data) if example.split == "dev"]
    sentences = [example.text for example in examples if example.side == "source"]
    fixer = Fixer(Spec(analyzers=("rules", "model")), unsafe=unsafe)
    if not unsafe:
        # few words may be changed without review: the first sentence of a document gets one of them
        opening = [text for text in sentences if text.startswith("The ")][:30]
        others = [text for text in sentences if text not in opening]
        sentences = [
            text
            for at, first in enumerate(opening)
            for text in (f"Unfortunately, the{first[3:]}", *others[3 * at : 3 * at + 3])
        ]
    assert len(sentences) >= 120
    documents = [unslant.read(" ".join(sentences[at : at + 4])) for at in range(0, 120, 4)]
    once = list(fixer.fix(documents))
    assert sum(item.changed for item in once) > len(documents) / 2
    for item in once:
        before, after = outside(item)
        assert before == after
    again = Fixer(Spec(analyzers=("rules", "model")), unsafe=unsafe)
    assert [item.text for item in again.fix(unslant.read(item.text) for item in once)] == [
        item.text for item in once
    ]


def test_edits_are_apart_only_with_a_word_between_them() -> None:
    text = "A loud, long day of rain."
    loud, long, rain = Edit(2, 6, "noisy"), Edit(8, 12, "short"), Edit(20, 24, "snow")
    assert apart(text, loud, rain)
    assert apart(text, rain, loud)
    assert not apart(text, loud, long)
    assert not apart(text, Edit(2, 12, "short"), long)
