"""reStructuredText: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("Title\n=====\n\nThe text.", "Title The text."),
        ("=====\nTitle\n=====\n\nThe text.", "Title The text."),
        ("The *emphasised* and **strong** words.", "The emphasised and strong words."),
        ("The ``code`` and :func:`name` end.", "The and end."),
        ("See `the page <https://example.org>`_ now.", "See the page now."),
        ("See `the page`_ now.", "See the page now."),
        ("See :ref:`the start <start>` now.", "See the start now."),
        ("See `the\npage <https://example.org>`__ now.", "See the page now."),
        ("See :ref:`the\nstart <start>` and ``no\nno`` now.", "See the start and now."),
        ("An `open mark.\n\nAnother` one.", "An `open mark. Another` one."),
        ("A note [1]_ here.", "A note here."),
        ("A |version| here.", "A here."),
        (".. _target:\n\nThe text.", "The text."),
        (".. |name| replace:: no\n\nThe text.", "The text."),
        (".. code-block:: python\n\n   no\n   no\n\nyes", "yes"),
        (".. image:: boat.png\n   :alt: A boat\n\nyes", "yes"),
        (".. toctree::\n   :maxdepth: 2\n\n   no\n\nyes", "yes"),
        ("As in::\n\n   no\n\nyes", "As in yes"),
        ("As in ::\n\n   no\n   no\n\nyes", "As in yes"),
        (">>> print('no')\nno\n\nyes", "yes"),
        (":author: Ann\n\nyes", "Ann yes"),
        ("----\n\nyes", "yes"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("rst", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("* One\n* Two\n  goes on", ["One", "Two goes on"]),
        ("* One\n  goes on\n* Two", ["One goes on", "Two"]),
        ("Two times\n* three is six.", ["Two times * three is six."]),
        ("- One\n\n- Two", ["One", "Two"]),
        ("1. One\n2. Two\n#. Three", ["One", "Two", "Three"]),
        ("First line\nsecond line.\n\nThird.", ["First line second line.", "Third."]),
        (".. note:: Mind the gap.\n\nAfter.", ["Mind the gap.", "After."]),
        (".. note:: Mind the gap.\n   And the step.\n\nAfter.", ["Mind the gap. And the step.", "After."]),
        (".. note::\n\n    One.\n\n    Two.\n\nAfter.", ["One.", "Two.", "After."]),
        (".. warning::\n\n   Mind the gap.\n\nAfter.", ["Mind the gap.", "After."]),
        ("term\n   The definition.", ["term", "The definition."]),
        ("=====  =====\nOne    Two\n=====  =====", ["One Two"]),
    ],
)
def test_blocks(source: str, expected: list[str]) -> None:
    assert blocks("rst", source) == expected


@pytest.mark.parametrize(
    ("source", "quotation"),
    [
        ("Ours.\n\n   Theirs.\n\nOurs.", ["Theirs."]),
        ("Ours.\n\n   Theirs,\n   still theirs.\n\nOurs.", ["Theirs,", "still theirs."]),
        (".. epigraph::\n\n   Theirs.\n\nOurs.", ["Theirs."]),
        ("* Ours.\n\n  Still ours.", []),
        (".. note::\n   Ours.", []),
        (".. note::\n\n   Ours.\n\n   Still ours.", []),
        (".. warning::\n\n    Ours.\n\n        Theirs.\n\n    Ours.", ["Theirs."]),
        (".. epigraph::\n\n    Theirs.\n\n    Theirs too.\n\nOurs.", ["Theirs.", "Theirs too."]),
        ("* Item\n\n  .. note::\n\n     Ours.\n\n  Ours.", []),
    ],
)
def test_quotations(source: str, quotation: list[str]) -> None:
    assert quoted("rst", source) == quotation


def test_comments_take_their_indented_lines_along() -> None:
    source = "yes\n\n.. a comment\n   goes on\n\nyes"
    assert words("rst", source) == "yes yes"
    assert comments("rst", source) == [".. a comment"]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("References\n==========\n\nno\n\nNext\n====\n\nyes", "References Next yes"),
        ("Intro\n=====\n\nReferences\n----------\n\nno\n\nNext\n====\n\nyes", "Intro References Next yes"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words("rst", source) == visible
