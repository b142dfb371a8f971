"""Notebooks: the Markdown cells are read at their places in the file; code, output and metadata are not."""

from __future__ import annotations

import json

import pytest

import unslant
from tests.text.readers.reading import blocks, comments, parsed, quoted, words


def notebook(*cells: tuple[str, str | list[str]]) -> str:
    made = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells]
    return json.dumps({"cells": made, "metadata": {"title": "no"}, "nbformat": 4}, indent=1)


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (notebook(("markdown", ["The text.\n", "It goes on."])), "The text. It goes on."),
        (notebook(("markdown", "The text.")), "The text."),
        (notebook(("code", "no = 1"), ("markdown", "yes"), ("raw", "no")), "yes"),
        (notebook(("markdown", "# Head\n\nThe *text*.")), "Head The text ."),
        (notebook(("markdown", "See `code` and [the page](https://a.b).")), "See and the page ."),
        (notebook(("markdown", ["```\n", "no\n", "```\n", "yes"])), "yes"),
        (notebook(("markdown", 'He said "yes" twice.')), 'He said "yes " twice.'),
        (notebook(("markdown", "A caf\u00e9.")), "A caf ."),
        ("{}", ""),
        ("[]", ""),
        ("not JSON at all", ""),
        ('{"cells": [{"cell_type": "markdown", "source": "never closed', ""),
        ('{"other": [{"cell_type": "markdown", "source": "no"}]}', ""),
        ('{"cells": [{"source": "yes", "cell_type": "markdown"}]}', "yes"),
        ('{"cells": [{"cell_type": "markdown", "metadata": {"source": "no"}, "source": "yes"}]}', "yes"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("notebook", source) == visible


def test_words_stand_where_they_stand_in_the_file() -> None:
    source = notebook(
        ("code", "legendary = 1"), ("markdown", ['A "legendary" singer.\n', "The legendary end."])
    )
    prose = parsed("notebook", source).prose
    for word in ("singer", "end"):
        at = source.rindex(word)
        assert prose[at : at + len(word)] == word
    assert "legendary" not in prose[: source.index("markdown")]


def test_blocks_and_quotations_are_those_of_the_cells() -> None:
    source = notebook(("markdown", ["One\n", "two.\n", "\n", "> Theirs."]), ("markdown", "Three."))
    assert [block.replace('", "', " ") for block in blocks("notebook", source)] == [
        "One two.",
        "Theirs.",
        "Three.",
    ]
    assert quoted("notebook", source) == ["Theirs."]


def test_a_finding_points_into_the_file() -> None:
    source = notebook(("code", "x = 'legendary'"), ("markdown", "The legendary singer came in May."))
    (finding,) = unslant.check(
        source, format="notebook", spec=unslant.Spec(analyzers=("rules",), profile="news")
    ).findings
    assert source[finding.span.start : finding.span.end] == "legendary"
    assert finding.span.start > source.index("markdown")


def test_inline_ignores_work_in_cells() -> None:
    ignore = "<!-- unslant: ignore framing -- a title -->"
    source = notebook(("markdown", f"The legendary singer. {ignore}"))
    assert comments("notebook", source) == [ignore]
    rules = unslant.Spec(analyzers=("rules",), profile="news")
    assert unslant.check(source, format="notebook", spec=rules).findings == ()
