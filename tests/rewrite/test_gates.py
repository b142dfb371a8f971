"""What may be changed without a look, what after one, and what not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import unslant
from unslant import registry
from unslant.core.types import Analysis, Applicability, Edit, Finding, Sentence, Span
from unslant.rewrite import Fixer, Suggestion
from unslant.rewrite.breaks import find_break
from unslant.rewrite.facts import changed_fact
from unslant.rewrite.gates import GATES, allowance
from unslant.rewrite.grammar import problems
from unslant.rewrite.meaning import lost_meaning
from unslant.spec import Spec

pytestmark = pytest.mark.usefixtures("trusting")

RULES = Spec(analyzers=("rules",))


class Says:
    """A rewriter that gives the wordings it was told."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:
        assert len(sentences) == len(analyses)
        return [[sentence.reword(text, 0.9) for text in self._texts] for sentence in sentences]


def rewritten(text: str, *new: str, form: str = "text", spec: Spec = RULES) -> tuple[Suggestion, ...]:
    fixer = Fixer(spec)
    fixer.planner._rewriter = Says(*new)
    fixer.planner._name = "says"
    (fixed,) = fixer.fix([unslant.read(text, form)])
    return tuple(
        suggestion
        for suggestion in fixed.edits
        if "says" in suggestion.origin or suggestion.edit.applicability is not Applicability.SAFE
    )


SLANTED = "The legendary Ana Ruiz said in May 1993 that 40 percent of the town must not pay the tax."


@pytest.mark.parametrize(
    ("gate", "new"),
    [
        ("name", SLANTED.replace("Ruiz", "Smith")),
        ("number", SLANTED.replace("40", "50")),
        ("number", SLANTED.replace("1993", "1994")),
        ("date", SLANTED.replace("May", "May Sunday")),
        ("unit", SLANTED.replace(" percent", "")),
        ("negation", SLANTED.replace(" not", "")),
        ("modality", SLANTED.replace("must", "may")),
        ("quotation", SLANTED.replace("tax", '"tax"')),
    ],
)
def test_a_model_cannot_change_facts(gate: str, new: str) -> None:
    edits = rewritten(SLANTED, new)
    refused = [suggestion for suggestion in edits if suggestion.gate.name == gate]
    assert refused, [(suggestion.gate.name, suggestion.edit) for suggestion in edits]
    assert all(item.edit.applicability is Applicability.DISPLAY for item in refused)
    assert not any(item.applied for item in refused)


def test_a_models_word_needs_review_and_its_deletion_may_not() -> None:
    (edit,) = (
        item for item in rewritten(SLANTED, SLANTED.replace("pay", "fund")) if item.edit.replacement == "fund"
    )
    assert (edit.edit.applicability, edit.gate.name) == (Applicability.REVIEW, "slant")
    fixer = Fixer(RULES)
    (fixed,) = fixer.fix([unslant.read(SLANTED)])
    assert fixed.text == SLANTED.replace("legendary ", "")


def test_a_rewrite_of_no_use_is_reported_and_nothing_is_lost() -> None:
    for new, said in (("", "offered no wording"), ("Alles ist anders geworden im Jahr.", "another language")):
        fixer = Fixer(RULES)
        fixer.planner._rewriter = Says(new)
        fixer.planner._name = "says"
        (fixed,) = fixer.fix([unslant.read(SLANTED)])
        assert any(said in note.message for note in fixed.notes)
        assert fixed.text == SLANTED.replace("legendary ", "")


def test_the_same_text_is_no_edit() -> None:
    assert rewritten(SLANTED, SLANTED) == ()


def test_a_quotation_is_left_alone_even_when_it_is_checked() -> None:
    text = 'She said "the legendary singer came to the iconic hall for us" and left the town.'
    fixed = unslant.fix(text, spec=Spec(analyzers=("rules",), quotations=True), unsafe=True)
    assert fixed.text == text
    assert {suggestion.gate.name for suggestion in fixed.edits} == {"quotation"}


def test_an_edit_at_the_edge_of_a_quotation_keeps_the_marks() -> None:
    text = 'The legendary "Night Owl" opened in the old town, and people came to see the new hall.'
    assert unslant.fix(text, spec=RULES).text == text.replace("legendary ", "")


@pytest.mark.parametrize(
    ("form", "text", "gate"),
    [
        ("markdown", "It was a **legendary** day for the people of the town and their guests.", "markup"),
        ("markdown", "It was a le**gend**ary day for the people of the town and their guests.", "markup"),
        ("html", "<p>It was a <b>legendary</b> day for the people of the town and guests.</p>", "markup"),
        ("wikitext", "The '''legendary''' singer came to see the people of the old town.", "markup"),
        ("wikitext", "The [[legendary singer]] came to see the people of the old town.", "link"),
        ("markdown", "The [legendary singer] came to see the people of the old town.", "link"),
    ],
)
def test_markup_and_links_are_not_touched(form: str, text: str, gate: str) -> None:
    fixed = unslant.fix(text, format=form, spec=RULES, unsafe=True)
    assert fixed.text == text
    assert all(suggestion.gate.name == gate for suggestion in fixed.edits)


def test_words_inside_markup_may_change() -> None:
    text = "Opponents **slammed** the plan, and the [legendary singer](https://a.example) left the old town."
    assert unslant.fix(text, format="markdown", spec=RULES).text == (
        "Opponents **criticized** the plan, and the [singer](https://a.example) left the old town."
    )


def test_new_wording_cannot_bring_markup() -> None:
    text = "The legendary singer came to see the people of the old town in the north."
    fixer = Fixer(RULES, unsafe=True)
    fixer.planner._rewriter = Says(text.replace("legendary", "*old*"), text.replace("legendary", "ol\x1bd"))
    fixer.planner._name = "says"
    (fixed,) = fixer.fix([unslant.read(text, "markdown")])
    assert fixed.text == text.replace("legendary ", "")
    offered = [other for edit in fixed.edits for other in edit.alternatives if other.origin == "says"]
    assert {other.gate.name for other in offered} == {"markup"}
    assert all(other.edit.applicability is Applicability.DISPLAY for other in offered)


def test_the_budget_is_a_share_of_the_sentence_and_at_least_a_word() -> None:
    assert [allowance("word " * count, 0.2) for count in (1, 5, 6, 10, 11)] == [1, 1, 2, 2, 3]
    text = "The elderly were not consulted."
    (edit,) = unslant.fix(text, spec=RULES).edits
    assert (edit.gate.name, edit.applied) == ("budget", False)
    wide = Spec(analyzers=("rules",), budget=0.5)
    assert unslant.fix(text, spec=wide).text == "Older people were not consulted."


def test_every_gate_that_speaks_is_a_known_one() -> None:
    samples = [SLANTED, "Critics say the so-called plan failed.", "He allegedly slammed a very iconic actor."]
    for text in samples:
        for suggestion in unslant.fix(text, spec=RULES).edits:
            assert suggestion.gate.name in (*GATES, "all")
            assert suggestion.gate.reason.endswith(".")


def test_doubt_that_carries_a_fact_is_never_left_out() -> None:
    text = "The man allegedly took the money from the till of the shop on Monday evening."
    assert unslant.fix(text, spec=RULES, unsafe=True).text == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("He saw the a dog.", "two articles in a row"),
        ("He spoke of.", "a preposition with nothing after it"),
        ("It was by the on Monday.", "an article before a preposition"),
        ("The plan was.", "a verb of being with nothing after it"),
        ("It was a for her.", "an article before a preposition"),
        ("He saw saw it.", "a word twice"),
        ("He ate a apple.", "the wrong article"),
        ("He left, and.", "a conjunction before a stop"),
        ("The dog (of the man left.", "a bracket without its partner"),
        ("The old dog of the man.", "no verb"),
        ("The renowned dog of a self-proclaimed man.", "no verb"),
    ],
)
def test_what_no_sentence_has(text: str, said: str) -> None:
    assert problems(text)[said] == 1


@pytest.mark.parametrize(
    "text",
    [
        "The council voted 7 to 4 on Tuesday.",
        "She knew that that man had had enough.",
        "The plan he spoke about was an hour long.",
        "Residents of the town claim the costs are high.",
    ],
)
def test_good_sentences_have_none_of_it(text: str) -> None:
    assert not problems(text)


def test_only_what_an_edit_adds_is_held_against_it() -> None:
    assert find_break("He saw the the old dog.", "He saw the the dog.", ()) is None
    assert find_break("He saw the old dog.", "He saw the the dog.", ()) is not None


@pytest.mark.parametrize(
    ("text", "gone", "said"),
    [
        ("She stayed until her passing in May.", "passing ", "a possessive with nothing to stand for"),
        ("They mourned her passing.", "passing", "a possessive with nothing to stand for"),
        ("He loved her dearly in May.", "dearly ", None),
        ("He praised her long book in May.", "long ", None),
    ],
)
def test_what_belongs_to_her_stays(text: str, gone: str, said: str | None) -> None:
    at = text.index(gone)
    edit = Edit(at, at + len(gone), "")
    assert find_break(text, text.replace(gone, ""), (edit,)) == said


@pytest.mark.parametrize(
    ("text", "gone", "gate"),
    [
        ("They fought the anti-Catholic laws.", "anti-Catholic ", "name"),
        ("It was the first day of the al-Aqsa strike.", "al-Aqsa ", "name"),
        ('The "Owl" Club met in the town.', "Club ", "name"),
        ("It has four parts: Offense, defense, tank and supply.", "Offense, ", "name"),
        ("She met Dr. Ruiz in town.", "Ruiz ", "name"),
        ("He gave a not-so-subtle hint.", "not-so-subtle ", "negation"),
        ("He did not-so-much leave.", "-so-much", "degree"),
        ('He said, "Clearly the plan works."', "Clearly ", None),
        ("Clearly the plan works.", "Clearly ", None),
        ("The self-made man met Ana.", "self-made ", None),
    ],
)
def test_names_and_denials_are_seen_wherever_they_stand(text: str, gone: str, gate: str | None) -> None:
    after = text.replace(gone, "")
    assert after != text
    found = changed_fact(text, after)
    assert (found and found[0]) == gate


def test_what_stands_between_two_marks_is_quoted_however_they_are_spaced() -> None:
    text = 'She said that,"... the legendary evening was long" and left the old town.'
    fixed = unslant.fix(text, spec=Spec(analyzers=("rules",), quotations=True), unsafe=True)
    assert fixed.text == text
    free = 'She said "no" to the legendary singer and "yes" to the plan of the old town.'
    assert unslant.fix(free, spec=RULES).text == free.replace("legendary ", "")


LONG = "The council of the town opened a false and hit show in the old hall by the river on Monday evening."


class Proposes:
    """An analyzer whose edit model would leave out some words, and finds nothing else."""

    gone: tuple[str, ...] = ()
    sure: float = 0.9
    missed: str = ""
    """Without this word it calls a sentence slanted."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        found = []
        for sentence in sentences:
            places = [(sentence.text.find(word), word) for word in self.gone]
            base = sentence.span.start
            found.append(
                Analysis(
                    probability=0.2 if not self.missed or self.missed in sentence.text else 0.6,
                    proposals=tuple(
                        Edit(base + at, base + at + len(word), "", probability=self.sure)
                        for at, word in places
                        if at >= 0
                    ),
                )
            )
        return found


@pytest.mark.parametrize(
    ("word", "sure", "verdict", "gate"),
    [
        ("hit ", 0.9, Applicability.SAFE, "all"),
        ("hit ", 0.4, None, None),
        ("false ", 0.9, None, None),
        ("river ", 0.9, None, None),
        ("opened ", 0.9, None, None),
        ("in ", 0.9, None, None),
        ("by the river ", 0.9, None, None),
    ],
)
def test_what_the_edit_model_trusts_may_be_deleted_unless_it_can_be_checked(
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    sure: float,
    verdict: Applicability | None,
    gate: str | None,
) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "proposes", f"{__name__}:Proposes")
    monkeypatch.setattr(Proposes, "gone", (word,))
    monkeypatch.setattr(Proposes, "sure", sure)
    fixed = unslant.fix(LONG, spec=Spec(analyzers=("rules", "proposes")))
    found = [
        (suggestion.edit.applicability, suggestion.gate.name)
        for suggestion in fixed.edits
        if suggestion.origin == "edits"
    ]
    assert found == ([] if verdict is None else [(verdict, gate)])
    assert fixed.changed == (verdict is Applicability.SAFE)


def test_what_the_edit_model_would_do_in_vain_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._BUILT_IN["analyzer"], "proposes", f"{__name__}:Proposes")
    monkeypatch.setattr(Proposes, "gone", ("hit ",))
    spec = Spec(analyzers=("rules", "proposes"))
    assert [suggestion.origin for suggestion in unslant.fix(LONG, spec=spec).edits if suggestion.applied] == [
        "edits"
    ]
    monkeypatch.setattr(Proposes, "missed", "hit")
    worse = unslant.fix(LONG, spec=spec, unsafe=True)
    assert not [edit for edit in worse.edits if edit.origin == "edits"]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("The hit show opened.", "hit "),
        ("It was a dreadful, old town.", "dreadful"),
        ("For some reason, the town grew.", "For some reason, "),
        ("The show opened, and it was terrible.", ", and it was terrible"),
        ("A minor but odd thing came.", "but odd "),
        ("They were to kill innocent people.", "innocent "),
        ("The town was badly hit.", "badly "),
        ("He sang (best of all) there.", "best of all"),
    ],
)
def test_words_on_which_nothing_leans_may_go(text: str, gone: str) -> None:
    assert lost_meaning(text, _left_out(text, gone)) is None


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("The town shredded rules.", "shredded "),
        ("She has a problem with it.", "problem "),
        ("The murderers, thieves and liars left.", "thieves "),
        ("He was a hero.", "hero"),
        ("The end of the town came.", "of the "),
        ("He went to work by car.", "work "),
    ],
)
def test_words_on_which_others_lean_are_not_offered(text: str, gone: str) -> None:
    found = lost_meaning(text, _left_out(text, gone))
    assert found is not None
    assert found[1] is Applicability.DISPLAY


def _proposed(text: str, start: int, end: int, wording: str, trust: float) -> Suggestion:
    edit = Edit(start, end, wording, probability=trust)
    return Suggestion(edit, edit, "edits", Span(0, len(text)), text)


def _left_out(text: str, gone: str) -> Suggestion:
    at = text.index(gone)
    start, end = at + len(gone) - len(gone.lstrip()), at + len(gone.rstrip())
    return _proposed(text, start, end, "", 0.9)


def test_what_the_edit_model_is_not_sure_of_needs_review() -> None:
    text = "The rare and odd thing came."
    for wording in ("", "a"):
        found = lost_meaning(text, _proposed(text, 4, 8, wording, 0.3))
        assert found is not None
        assert found[1] is Applicability.REVIEW


def test_a_word_that_the_edit_model_is_sure_of_may_be_put_for_another() -> None:
    text = "He stayed until his passing in town."
    at = text.index("passing")

    def judged(wording: str, trust: float) -> bool:
        return lost_meaning(text, _proposed(text, at, at + 7, wording, trust)) is None

    assert judged("death", 0.8)
    assert not judged("death", 0.6)
    assert not judged("sad death", 0.8)
    assert not judged("former", 0.8)


def test_what_a_model_only_marks_needs_review() -> None:
    text = "The legendary singer came."
    finding = Finding(Span(4, 13), "legendary", "framing", "It praises.", "model")
    flagged = replace(_proposed(text, 4, 13, "", 0.5), origin="deletion", findings=(finding,))
    assert lost_meaning(text, flagged) is not None
    assert lost_meaning(text, replace(flagged, findings=(replace(finding, origin="rules"),))) is None
