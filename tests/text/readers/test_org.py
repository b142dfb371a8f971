"""Org: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("* Head\nThe text.", "Head The text."),
        ("** TODO [#A] Call the mayor :work:city:\nThe text.", "Call the mayor The text."),
        ("* DONE Vote\n", "Vote"),
        ("#+TITLE: The title\n#+AUTHOR: Ann Doe\n#+OPTIONS: toc:nil\nThe text.", "The title The text."),
        ("#+CAPTION: A boat\n[[file:boat.png]]", "A boat"),
        ("The [[https://example.org][page]] is here.", "The page is here."),
        ("The [[file:boat.png]] is here.", "The is here."),
        ("The =verbatim= and ~code~ words.", "The and words."),
        (
            "The *bold*, /italic/, _underlined_ and +struck+ words.",
            "The bold , italic , underlined and struck words.",
        ),
        ("2 * 3 and a/b and snake_case stay.", "2 * 3 and a/b and snake_case stay."),
        ("A note[fn:1] here.\n\n[fn:1] The note.", "A note here. The note."),
        ("On <2024-11-05 Tue> they voted.", "On they voted."),
        ("On [2024-11-05 Tue 10:00] they voted.", "On they voted."),
        ("The formula \\(a + b\\) ends.", "The formula ends."),
        ("The formula $a + b$ and \\alpha end.", "The formula and end."),
        ("It cost $5 and then $6 more.", "It cost $5 and then $6 more."),
        ("Run src_sh[:results raw]{ls} now.", "Run now."),
        ("SCHEDULED: <2024-11-05 Tue>\nThe text.", "The text."),
        ("-----\nThe text.", "The text."),
        ("Press (=M-x\nlist RET=) now.", "Press ( ) now."),
        ("Press ~M-x\n\nlist~ now.", "Press ~M-x list~ now."),
        ("Set x =5 and\n- y= now.", "Set x =5 and y= now."),
        ("Pass =--color=always= or =-c= now.", "Pass or now."),
        ("The [[https://example.org][long\nname]] is here.", "The long name is here."),
        (
            "It rose.[fn:: See [[https://example.org][the page]]\nhere.] Then it fell.",
            "It rose. See the page here.] Then it fell.",
        ),
        ("- Ann Doe :: wrote it.\n- b::c", "Ann Doe wrote it. b::c"),
        (": a fixed line\nThe text.", "The text."),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("org", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("#+BEGIN_SRC python\nno\n#+END_SRC\nyes", "yes"),
        ("#+begin_example\nno\n#+end_example\nyes", "yes"),
        ("#+begin_src sh\nnever closed\n\nno", ""),
        ("#+begin_src sh\n#+end_example\nno\n#+end_src\nyes", "yes"),
        ("#+begin_center\nyes\n#+end_center", "yes"),
        ("#+begin_note\nyes\n#+end_note", "yes"),
        ("#+begin_comment\nno\n#+end_comment\nyes", "yes"),
        ("* Head\n:PROPERTIES:\n:CUSTOM_ID: no\n:END:\nyes", "Head yes"),
        (":LOGBOOK:\nno\n:END:\nyes", "yes"),
    ],
)
def test_blocks_and_drawers(source: str, visible: str) -> None:
    assert words("org", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("- One\n- Two\n  goes on\n+ Three", ["One", "Two goes on", "Three"]),
        ("1. One\n2) Two", ["One", "Two"]),
        ("- [ ] Open\n- [X] Closed", ["Open", "Closed"]),
        ("- One\n  * Nested", ["One", "Nested"]),
        ("First line\nsecond line.\n\nThird.", ["First line second line.", "Third."]),
        ("| One | Two |\n|-----+-----|\n| Three | Four |", ["One", "Two", "Three", "Four"]),
        ("* One\n** Two\nThree", ["One", "Two", "Three"]),
    ],
)
def test_how_words_are_grouped(source: str, expected: list[str]) -> None:
    assert blocks("org", source) == expected


def test_quotations_and_verse() -> None:
    source = (
        "Ours.\n#+BEGIN_QUOTE\nTheirs.\n#+END_QUOTE\nOurs.\n#+begin_verse\nTheir verse.\n#+end_verse\nOurs."
    )
    assert quoted("org", source) == ["Theirs.", "Their verse."]
    assert words("org", source) == "Ours. Theirs. Ours. Their verse. Ours."


def test_comments() -> None:
    source = "yes\n# one\n#\n#hashtag\nyes"
    assert comments("org", source) == ["# one", "#"]
    assert words("org", source) == "yes #hashtag yes"


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("* References\n- no\n** no\nno\n* Next\nyes", "References Next yes"),
        ("* Further reading :noexport:\nno", "Further reading"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words("org", source) == visible
