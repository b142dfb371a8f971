"""Inline ignores: what they say, what they cover, and what is wrong with them."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Directive, Note, Span
from unslant.registry import resolve
from unslant.text.directives import directives_over, find_directives


def read(source: str, name: str = "text") -> tuple[tuple[Directive, ...], tuple[Note, ...]]:
    reading = resolve("reader", name)().parse(source)
    return find_directives(source, reading.comments, reading.prose)


def covered(source: str, name: str = "text") -> list[str]:
    directives, problems = read(source, name)
    assert problems == ()
    return [source[directive.scope.start : directive.scope.end] for directive in directives]


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("text", "# unslant: ignore framing/praise-adjective, gender -- a quoted title"),
        ("text", "//unslant: ignore framing/praise-adjective , gender -- a quoted title"),
        ("text", "% unslant:ignore framing/praise-adjective,gender -- a quoted title"),
        ("text", "; unslant: ignore framing/praise-adjective,,gender \u2014 a quoted title"),
        ("text", "<!-- unslant: ignore framing/praise-adjective, gender -- a quoted title -->"),
        ("markdown", "<!-- unslant: ignore framing/praise-adjective, gender -- a quoted title -->"),
        ("markdown", "<!--unslant: ignore framing/praise-adjective,\ngender -- a quoted title-->"),
        ("markdown", "[//]: # (unslant: ignore framing/praise-adjective, gender -- a quoted title)"),
        ("markdown", '[//]: # "unslant: ignore framing/praise-adjective, gender -- a quoted title"'),
        ("html", "<!-- unslant: ignore framing/praise-adjective, gender -- a quoted title -->"),
        ("wikitext", "<!-- unslant: ignore framing/praise-adjective, gender -- a quoted title -->"),
    ],
)
def test_the_comment_of_each_format(name: str, comment: str) -> None:
    source = f"Before.\n\n{comment}\n\nThe words.\nAfter."
    (directive,), problems = read(source, name)
    assert problems == ()
    assert source[directive.span.start : directive.span.end] == comment
    assert directive.selectors == ("framing/praise-adjective", "gender")
    assert directive.reason == "a quoted title"
    assert source[directive.scope.start : directive.scope.end] == "The words.\n"


def test_a_comment_beside_prose_covers_its_own_line() -> None:
    source = "One.\nTwo. <!-- unslant: ignore framing -- why -->\nThree."
    assert covered(source, "markdown") == ["Two. <!-- unslant: ignore framing -- why -->\n"]


def test_several_comments_in_a_row_cover_the_same_line() -> None:
    source = "# unslant: ignore framing -- a\r\n# unslant: ignore gender -- b\r\n\r\nWords.\r\nMore."
    assert [scope.rstrip() for scope in covered(source)] == ["Words.", "Words."]


def test_a_line_of_tags_is_not_the_next_line_with_prose() -> None:
    source = "<!-- unslant: ignore framing -- why -->\n<p class=x>\nWords.\n</p>"
    assert covered(source, "html") == ["Words.\n"]


def test_without_prose_every_line_counts_that_holds_more_than_comments() -> None:
    source = "<!-- unslant: ignore a -- b -->\n<!-- c -->\n<p>\nWords."
    comments = resolve("reader", "html")().comments(source)
    ((directive,), _) = find_directives(source, comments)
    assert source[directive.scope.start : directive.scope.end] == "<p>\n"


def test_at_the_end_a_comment_covers_nothing_but_itself() -> None:
    source = "Words.\n\n# unslant: ignore framing -- why\n"
    ((directive,), _) = read(source)
    assert directive.scope == directive.span


def test_a_block_lasts_until_it_is_ended() -> None:
    source = "A.\n# unslant: ignore-block framing -- why\nB.\n\nC.\n# unslant: end-ignore\nD."
    assert covered(source) == [source[3 : source.index("\nD.")]]


def test_blocks_nest() -> None:
    source = (
        "<!-- unslant: ignore-block a -- 1 -->x<!-- unslant: ignore-block b -- 2 -->y"
        "<!-- unslant: end-ignore -->z<!-- unslant: end-ignore -->"
    )
    directives, problems = read(source)
    assert problems == ()
    assert [directive.selectors for directive in directives] == [("a",), ("b",)]
    assert directives[0].scope == Span(0, len(source))
    assert source[directives[1].scope.start : directives[1].scope.end].endswith(
        "y<!-- unslant: end-ignore -->"
    )


def test_ignore_file_covers_the_whole_file_wherever_it_is() -> None:
    source = "Words.\n# unslant: ignore-file framing/* -- an archive\nWords."
    assert covered(source) == [source]


def test_dimensions_of_several_words() -> None:
    ((directive,), _) = read("# unslant: ignore political affiliation -- a party's own name\nWords.")
    assert directive.selectors == ("political affiliation",)


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# unslant: ignore framing", "Give a reason"),
        ("# unslant: ignore framing --", "Give a reason"),
        ("# unslant: ignore framing --   ", "Give a reason"),
        ("# unslant: ignore-file framing--x", "Give a reason"),
        ("# unslant: ignore -- why", "Say what to ignore"),
        ("# unslant: ignore , -- why", "Say what to ignore"),
        ("# unslant: ignore-blok framing -- why", "Did you mean 'ignore-block'?"),
        ("# unslant: xyz", "Known are ignore, ignore-block, end-ignore, ignore-file."),
        ("# unslant:", "Say what to do."),
        ("# unslant: end-ignore", "Nothing to end"),
    ],
)
def test_what_cannot_be_followed_is_reported(comment: str, message: str) -> None:
    directives, (problem,) = read(f"Words.\n{comment}\nWords.")
    assert directives == ()
    assert message in problem.message
    assert problem.span == Span(7, 7 + len(comment))


def test_a_block_that_never_ends_covers_the_rest_and_is_reported() -> None:
    source = "A.\n# unslant: ignore-block framing -- why\nB."
    (directive,), (problem,) = read(source)
    assert directive.scope == Span(3, len(source))
    assert problem.span == directive.span
    assert "never ended" in problem.message


def test_other_comments_are_left_alone() -> None:
    assert read("<!-- about unslant: a tool --> <!-- TODO --> unslant: x", "html") == ((), ())


def test_nothing_is_looked_at_without_the_word() -> None:
    class Untouchable(list[Span]):
        def __iter__(self) -> None:  # type: ignore[override]
            raise AssertionError("the comments were read")

    assert find_directives("<!-- a comment --> words", Untouchable([Span(0, 18)])) == ((), ())


def test_many_ignores_are_found_by_the_text_that_they_cover() -> None:
    lines = [f"Line {number}. <!-- unslant: ignore framing -- because -->" for number in range(200)]
    source = "\n".join(["<!-- unslant: ignore-file gender -- because -->", *lines, ""])
    document = unslant.read(source, "markdown")
    assert len(document.directives) == 201
    for start in range(0, len(source), 7):
        for length in (1, 10, 200):
            span = Span(start, start + length)
            expected = [
                number
                for number, directive in enumerate(document.directives)
                if directive.scope.overlaps(span)
            ]
            assert list(directives_over(document, span)) == expected
    assert directives_over(unslant.read("Nothing."), Span(0, 3)) == ()


def test_only_so_many_ignores_may_cover_the_same_text() -> None:
    comment = "<!-- unslant: ignore-block rule/{} -- because -->\n"
    source = "".join(comment.format(number) for number in range(30)) + "Words.\n"
    directives, problems = read(source, "markdown")
    assert [directive.selectors[0] for directive in directives] == [f"rule/{number}" for number in range(20)]
    assert len([note for note in problems if "not used" in note.message]) == 10
