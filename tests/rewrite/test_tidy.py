"""What an edit leaves behind is put right."""

from __future__ import annotations

import pytest

from unslant.rewrite.align import Unlike, aligned, core
from unslant.rewrite.change import Change, Words, apply, moved, words_changed
from unslant.rewrite.tidy import tidied


def _without(text: str, *words: str, put: str = "") -> str:
    changes = [Change(text.index(word), text.index(word) + len(word), put) for word in words]
    return apply(text, tidied(text, changes))


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("An iconic voice spoke.", ["iconic"], "A voice spoke."),
        ("It is a great idea.", ["great"], "It is an idea."),
        ("Iconic songs were sung.", ["Iconic"], "Songs were sung."),
        ("Clearly, the vote was close.", ["Clearly"], "The vote was close."),
        ("The vote was, of course, close.", ["of course"], "The vote was, close."),
        ("The vote was close, sadly.", ["sadly"], "The vote was close."),
        ("The vote (sadly) was close.", ["sadly"], "The vote was close."),
        ("A stunning, long day ended.", ["stunning"], "A long day ended."),
        ("A stunning and long day ended.", ["stunning"], "A long day ended."),
        ("A glorious and stunning day ended.", ["stunning"], "A glorious day ended."),
        ("A stunning, iconic and vile hour ended.", ["stunning", "iconic", "vile"], "An hour ended."),
        ("A truly iconic hour ended.", ["truly", "iconic"], "An hour ended."),
        ("Dogs and stunning cats sleep.", ["stunning"], "Dogs and cats sleep."),
        ("However, stunning cats sleep.", ["stunning"], "However, cats sleep."),
        ("It was a\nstunning day.", ["stunning"], "It was a\nday."),
    ],
)
def test_leaving_words_out(text: str, words: list[str], expected: str) -> None:
    assert _without(text, *words) == expected


def test_a_replacement_gets_its_article_and_its_capital() -> None:
    assert _without("She is a chairman.", "chairman", put="official") == "She is an official."
    assert _without("Firemen came.", "Firemen", put="firefighters") == "Firefighters came."


def test_a_line_end_among_the_words_stays() -> None:
    text = "One who is\r\nwheelchair-bound came."
    assert (
        _without(text, "is\r\nwheelchair-bound", put="uses a wheelchair")
        == "One who uses\r\na wheelchair came."
    )


def test_markup_is_never_run_over() -> None:
    text = "It was a \0\0stunning\0\0 day."
    (change,) = tidied(text, [Change(11, 19, "")])
    assert "\0" not in text[change.start : change.end]


def test_what_is_put_in_takes_a_word_along_so_that_it_covers_something() -> None:
    text = "The man spoke."
    (change,) = tidied(text, [Change(8, 8, "reportedly ")])
    assert change.start < change.end
    assert apply(text, [change]) == "The man reportedly spoke."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The legendary man spoke.", "The man spoke."),
        ("He slammed the very bad plan.", "He criticized the plan."),
        ("He spoke.", "He reportedly spoke."),
        ("He spoke of it.", "He spoke of it today."),
        ("Café owners — all 12 — left.", "Café owners left."),
    ],
)
def test_alignment_leads_to_the_words_of_the_other_sentence(old: str, new: str) -> None:
    assert Words(apply(old, aligned(old, new))).plain == Words(new).plain


def test_alignment_takes_no_more_than_what_differs() -> None:
    assert aligned("Critics slammed the plan today.", "Critics opposed the plan today.") == [
        Change(8, 15, "opposed")
    ]


def test_the_look_of_tokenised_text_is_no_change() -> None:
    assert aligned('She said "no" and didn\'t go.', "She said `` no '' and did n't go .") == []
    assert aligned("She said \u201cno\u201d.", 'She said "no".') == []


@pytest.mark.parametrize(
    "new", ["", "Der Rat stimmte gestern ab und ging.", "I am sorry, I cannot help with that."]
)
def test_another_text_is_no_rewording(new: str) -> None:
    with pytest.raises(Unlike):
        aligned("The council voted on the plan in March.", new)


def test_the_core_of_an_edit_leaves_capitals_and_articles_out() -> None:
    assert core("She is an iconic actor.", Change(7, 16, "a")) == Change(10, 16, "")
    assert core("Clearly, the vote won.", Change(0, 12, "The")) == Change(0, 8, "")
    assert core("He slammed it.", Change(3, 10, "opposed")) == Change(3, 10, "opposed")


def test_changed_words_are_counted_without_articles_and_capitals() -> None:
    assert words_changed("an iconic day", [Change(0, 9, "a")]) == 1
    assert words_changed("is wheelchair-bound", [Change(0, 19, "uses a wheelchair")]) == 3
    assert words_changed("Clearly, the", [Change(0, 12, "The")]) == 1


def test_an_offset_moves_with_what_stands_before_it() -> None:
    changes = [Change(2, 5, "x"), Change(8, 8, "yy")]
    assert [moved(at, changes) for at in (0, 2, 3, 5, 7, 9)] == [0, 3, 3, 3, 5, 9]
