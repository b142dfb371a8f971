"""Inline ignores in every format: what is silenced, what is not, and what the writer is told."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Span
from unslant.text.directives import ignore_comment
from unslant.text.edits import apply_edits

RULES = unslant.Spec(analyzers=("rules",), profile="news")
PRAISE = "framing/praise-adjective"


def found(text: str, format_name: str = "text") -> list[str]:
    return [finding.text for finding in unslant.check(text, format=format_name, spec=RULES).findings]


def notes(text: str, format_name: str = "text") -> list[str]:
    return [note.message for note in unslant.check(text, format=format_name, spec=RULES).notes]


SENTENCE = "The legendary singer came."


@pytest.mark.parametrize(
    ("format_name", "text"),
    [
        ("text", f"# unslant: ignore framing -- a title\n{SENTENCE}"),
        ("text", f"// unslant: ignore framing -- a title\n{SENTENCE}"),
        ("text", f"{SENTENCE} <!-- unslant: ignore framing -- a title -->"),
        ("markdown", f"{SENTENCE} <!-- unslant: ignore framing -- a title -->"),
        ("markdown", f"<!-- unslant: ignore framing -- a title -->\n{SENTENCE}"),
        ("markdown", f"[//]: # (unslant: ignore framing -- a title)\n\n{SENTENCE}"),
        ("html", f"<!-- unslant: ignore framing -- a title -->\n<p>{SENTENCE}</p>"),
        ("html", f"<p>{SENTENCE}</p> <!-- unslant: ignore framing -- a title -->"),
        ("wikitext", f"{SENTENCE} <!-- unslant: ignore framing -- a title -->"),
        ("rst", f".. unslant: ignore framing -- a title\n\n{SENTENCE}"),
        ("asciidoc", f"// unslant: ignore framing -- a title\n{SENTENCE}"),
        ("latex", f"% unslant: ignore framing -- a title\n{SENTENCE}"),
        ("latex", f"{SENTENCE} % unslant: ignore framing -- a title"),
        ("org", f"# unslant: ignore framing -- a title\n{SENTENCE}"),
        ("code-python", f"# unslant: ignore framing -- a title\n# {SENTENCE}"),
        ("code-c", f"// unslant: ignore framing -- a title\n// {SENTENCE}"),
    ],
)
def test_a_line_is_silenced(format_name: str, text: str) -> None:
    plain = text.replace("unslant: ignore", "another remark")
    assert found(plain, format_name) == ["legendary"]
    assert found(text, format_name) == []
    assert notes(text, format_name) == []


@pytest.mark.parametrize(
    ("selectors", "silenced"),
    [
        ("framing", True),
        (PRAISE, True),
        ("framing/*", True),
        ("gender, framing", True),
        ("gender", False),
        ("epistemological", False),
        ("framing/fame", False),
    ],
)
def test_only_what_is_named_is_silenced(selectors: str, silenced: bool) -> None:
    text = f"{SENTENCE} <!-- unslant: ignore {selectors} -- a title -->"
    assert (found(text, "markdown") == []) is silenced
    told = [message for message in notes(text, "markdown") if "matches no finding" in message]
    assert bool(told) is not silenced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"# unslant: ignore framing -- a\n{SENTENCE}\n{SENTENCE}", ["legendary"]),
        (f"# unslant: ignore-block framing -- a\n{SENTENCE}\n{SENTENCE}\n# unslant: end-ignore\n", []),
        (
            f"# unslant: ignore-block framing -- a\n{SENTENCE}\n# unslant: end-ignore\n{SENTENCE}",
            ["legendary"],
        ),
        (f"{SENTENCE}\n# unslant: ignore-file framing -- a\n{SENTENCE}", []),
        (f"{SENTENCE}\n# unslant: ignore-file gender -- a\n{SENTENCE}", ["legendary", "legendary"]),
    ],
)
def test_how_far_an_ignore_reaches(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("ignore framing", "Give a reason after ' -- ', as in 'unslant: ignore framing -- reason'."),
        ("ignore", "Say what to ignore, as in 'unslant: ignore framing/praise-adjective -- reason'."),
        (
            "ignore-file framing",
            "Give a reason after ' -- ', as in 'unslant: ignore-file framing -- reason'.",
        ),
        ("ignor framing -- a", "There is no 'unslant: ignor'. Did you mean 'ignore'?"),
        ("end-ignore", "Nothing to end: no 'unslant: ignore-block' is open here."),
        (
            "ignore-block framing -- a",
            "This block is never ended with 'unslant: end-ignore', so it covers the rest of the file.",
        ),
        (
            "frobnicate",
            "There is no 'unslant: frobnicate'. Known are ignore, ignore-block, end-ignore, ignore-file.",
        ),
    ],
)
def test_what_is_wrong_with_an_ignore_is_said_in_one_sentence(comment: str, message: str) -> None:
    text = f"{SENTENCE}\n# unslant: {comment}\n{SENTENCE}"
    assert message in notes(text)


@pytest.mark.parametrize(
    ("format_name", "text"),
    [
        ("text", SENTENCE),
        ("markdown", f"# News\n\n{SENTENCE}  \nAnother line."),
        ("html", f"<p>{SENTENCE}</p>"),
        ("wikitext", f"* {SENTENCE}\n* Another."),
        ("rst", f"News\n====\n\n{SENTENCE}"),
        ("asciidoc", f"{SENTENCE}\nAnother line."),
        ("org", f"* News\n{SENTENCE}"),
        ("latex", f"{SENTENCE}\n\nAnother."),
    ],
)
def test_the_comment_that_is_offered_silences_the_finding(format_name: str, text: str) -> None:
    report = unslant.check(text, format=format_name, spec=RULES)
    (finding,) = report.findings
    edit = ignore_comment(report.document, finding.span, [finding.id], "a quoted title -- kept > as is")
    after = apply_edits(text, [edit])
    again = unslant.check(after, format=format_name, spec=RULES)
    assert again.findings == ()
    assert [note.message for note in again.notes] == []
    assert again.document.directives[0].reason == "a quoted title \u2013 kept as is"


def test_the_comment_stands_at_the_end_of_its_line_before_trailing_spaces() -> None:
    text = "One legendary day.  \nTwo."
    edit = ignore_comment(unslant.read(text, "markdown"), Span(4, 13), ["framing"], "why")
    assert apply_edits(text, [edit]) == "One legendary day. <!-- unslant: ignore framing -- why -->  \nTwo."
