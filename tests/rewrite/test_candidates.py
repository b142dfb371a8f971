"""Candidates for an edit: the wordings of rules, the proposals of rewriters, and leaving the words out."""

from __future__ import annotations

import pytest

from tests.marked import parse_spans
from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Sentence, Span
from unslant.rewrite.candidates import EditableSentence, Slot, find_slots

SAFE, REVIEW, DISPLAY = Applicability.SAFE, Applicability.REVIEW, Applicability.DISPLAY


def target(
    marked: str, *wordings: str, origin: str = "rules", lead: str = "", protected: tuple[Span, ...] = ()
) -> EditableSentence:
    """A sentence behind some other text, with a finding where double brackets stand; each wording is an edit of it."""
    text, spans = parse_spans(marked)
    document = Document(lead + text, lead + text)
    findings = []
    for span in spans:
        place = Span(span.start + len(lead), span.end + len(lead))
        edits = tuple(Edit(place.start, place.end, wording, SAFE) for wording in wordings)
        findings.append(
            Finding(place, text[span.start : span.end], "framing", "why", origin, "framing/x", edits=edits)
        )
    sentence = Sentence(document, Span(len(lead), len(lead) + len(text)))
    return EditableSentence(sentence, Analysis(findings=tuple(findings)), protected)


def offered(slots: list[Slot]) -> list[tuple[int, int, str, str]]:
    return [(*candidate.bare.change, candidate.origin) for slot in slots for candidate in slot.candidates]


def test_the_wordings_of_a_rule_come_first_and_then_leaving_the_words_out() -> None:
    slots, unusable = find_slots(target("He [[slammed]] it.", "criticized", "opposed"), (), "none")
    assert unusable == 0
    assert offered(slots) == [
        (3, 10, "criticized", "rules"),
        (3, 10, "opposed", "rules"),
        (3, 10, "", "deletion"),
    ]
    assert [candidate.trust for candidate in slots[0].candidates] == pytest.approx([1.0, 0.95, 0.5])


def test_offsets_are_those_of_the_sentence() -> None:
    near, _ = find_slots(target("He [[slammed]] it.", "criticized"), (), "none")
    far, _ = find_slots(target("He [[slammed]] it.", "criticized", lead="It rained. "), (), "none")
    assert offered(near) == offered(far)


@pytest.mark.parametrize(
    ("marked", "deletions"),
    [
        ("A [[legendary]] singer came.", ["legendary"]),
        ("A truly [[legendary]] singer came.", ["legendary", "truly legendary"]),
        ("A very [[legendary]] singer came.", ["legendary", "very legendary"]),
        ("An only [[legendary]] singer came.", ["legendary"]),
        ("A [[stunning victory]] came.", ["stunning victory", "stunning"]),
        ("It was [[of course]] so.", ["of course"]),
        ("It was [[a truly great and good]] day.", []),
        ("It was [[\u201cgreat\u201d]] so.", []),
    ],
)
def test_words_that_a_rule_flags_may_be_left_out(marked: str, deletions: list[str]) -> None:
    chosen = target(marked)
    text = chosen.sentence.text
    slots, _ = find_slots(chosen, (), "none")
    found = [
        text[start:end] for start, end, put, origin in offered(slots) if origin == "deletion" and not put
    ]
    assert found == deletions


def test_words_that_only_a_model_flags_are_not_left_out_by_rule() -> None:
    slots, _ = find_slots(target("A [[quuxish]] singer came.", origin="model"), (), "none")
    assert slots == []


def test_words_that_only_a_model_flags_are_left_out_if_they_are_listed() -> None:
    slots, _ = find_slots(target("A [[legendary]] singer came.", origin="model"), (), "none")
    assert [candidate.origin for slot in slots for candidate in slot.candidates] == ["wordings"]


def test_words_that_a_model_and_a_rule_flag_are() -> None:
    slots, _ = find_slots(target("A [[quuxish]] singer came.", origin="rules+model"), (), "none")
    assert offered(slots) == [(2, 9, "", "deletion")]


def test_a_rewording_is_split_into_its_edits() -> None:
    chosen = target("The legendary singer slammed the plan today.")
    reworded = Edit(0, len(chosen.sentence.text), "The singer criticized the plan today.", probability=0.9)
    slots, unusable = find_slots(chosen, [reworded], "says")
    assert unusable == 0
    assert offered(slots) == [(4, 13, "", "says"), (21, 28, "criticized", "says")]


def test_another_text_is_counted_as_unusable() -> None:
    chosen = target("The singer slammed the plan today.")
    other = Edit(0, len(chosen.sentence.text), "I cannot help with that.", probability=0.9)
    assert find_slots(chosen, [other], "says") == ([], 1)


def test_the_same_text_is_no_candidate() -> None:
    chosen = target("The singer slammed the plan today.")
    same = Edit(0, len(chosen.sentence.text), chosen.sentence.text, probability=0.9)
    assert find_slots(chosen, [same], "says") == ([], 0)


def test_a_proposal_joins_the_finding_that_it_answers() -> None:
    slots, _ = find_slots(
        target("He [[slammed]] it.", "criticized"), [Edit(3, 10, "opposed", probability=0.8)], "says"
    )
    assert len(slots) == 1
    assert offered(slots)[:2] == [(3, 10, "criticized", "rules"), (3, 10, "opposed", "says")]


def test_the_same_wording_counts_once() -> None:
    slots, _ = find_slots(
        target("He [[slammed]] it.", "criticized"), [Edit(3, 10, "criticized", probability=0.8)], "says"
    )
    assert [row[2] for row in offered(slots)] == ["criticized", ""]


def test_a_proposal_elsewhere_gets_a_place_of_its_own_and_conflicting_ones_share_it() -> None:
    chosen = target("The mayor wept loudly.")
    proposals = [Edit(10, 14, "cried", probability=0.8), Edit(10, 21, "sobbed", probability=0.7)]
    slots, _ = find_slots(chosen, proposals, "says")
    assert len(slots) == 1
    assert [row[2] for row in offered(slots)] == ["cried", "sobbed"]


def test_nothing_changes_where_the_settings_say_that_the_words_are_fine() -> None:
    chosen = target("The mayor wept loudly.", protected=(Span(10, 14),))
    proposals = [Edit(10, 14, "cried", probability=0.8), Edit(15, 21, "", probability=0.8)]
    slots, _ = find_slots(chosen, proposals, "says")
    assert offered(slots) == [(15, 21, "", "says")]


@pytest.mark.parametrize(
    ("origin", "trust", "kept"),
    [("rules", 0.1, True), ("model", 0.5, False), ("model", 0.55, True), ("rules+model", 0.1, True)],
)
def test_the_edit_model_is_used_where_a_rule_agrees_or_it_is_sure(
    origin: str, trust: float, kept: bool
) -> None:
    slots, _ = find_slots(
        target("He [[slammed]] it.", origin=origin), [Edit(3, 10, "opposed", probability=trust)], "edits"
    )
    assert any(row[3] == "edits" for row in offered(slots)) is kept


def test_the_edit_model_is_not_used_without_a_finding() -> None:
    slots, _ = find_slots(target("He slammed it."), [Edit(3, 10, "opposed", probability=0.99)], "edits")
    assert slots == []


def test_a_place_holds_at_most_eight_candidates() -> None:
    slots, _ = find_slots(
        target("He [[slammed]] it.", *(f"word{number}" for number in range(12))), (), "none"
    )
    assert len(slots[0].candidates) == 8


def test_a_candidate_keeps_the_best_verdict_that_its_rule_asks_for() -> None:
    text = "He slammed it."
    edits = (Edit(3, 10, "criticized", SAFE), Edit(3, 10, "opposed", REVIEW), Edit(3, 10, "hit", DISPLAY))
    finding = Finding(Span(3, 10), "slammed", "framing", "why", "rules", "framing/x", edits=edits)
    sentence = Sentence(Document(text, text), Span(0, len(text)))
    slots, _ = find_slots(EditableSentence(sentence, Analysis(findings=(finding,))), (), "none")
    limits = [candidate.bare.applicability for candidate in slots[0].candidates]
    assert limits == [SAFE, REVIEW, DISPLAY, SAFE]


def test_markup_is_distinguished_from_spaces() -> None:
    source, prose = "The **old** plan.", "The   old   plan."
    sentence = Sentence(Document(source, prose), Span(0, len(source)))
    editable = EditableSentence(sentence, Analysis())
    assert editable.text == "The \0\0old\0\0 plan."
    assert editable.source == source
