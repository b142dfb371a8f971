"""E-mail: the subject and the body are read; headers, replies, signatures and attachments are not."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, quoted, words

HEAD = "From: Ann Doe <ann@example.org>\nTo: Bob Roe <bob@example.org>\nSubject: {subject}\n"


def message(body: str, subject: str = "The vote", headers: str = "") -> str:
    return HEAD.format(subject=subject) + headers + "\n" + body


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (message("The text."), "The vote The text."),
        (message("One.\n\nTwo."), "The vote One. Two."),
        (message("The text.", subject="The vote\n on the bill"), "The vote on the bill The text."),
        (message("The text.", subject="=?utf-8?Q?no?="), "The text."),
        (message("Yes.\n\n-- \nAnn Doe\nAcme Corp."), "The vote Yes."),
        (message("Yes.\n--\nAnn Doe"), "The vote Yes."),
        (message("Yes.\n\nOn Monday, Bob Roe wrote:\n> no\n> no\n\nYes."), "The vote Yes. Yes."),
        (message("Write to cy@example.org or www.example.org."), "The vote Write to or ."),
        ("A text without headers.\n\nIt goes on.", "A text without headers. It goes on."),
        (message("<p>no</p>", headers="Content-Type: text/html\n"), "The vote"),
        (message("bm8gbm8gbm8=", headers="Content-Transfer-Encoding: base64\n"), "The vote"),
        (
            message("caf=C3=A9 owners =\nleft", headers="Content-Transfer-Encoding: quoted-printable\n"),
            "The vote caf owners left",
        ),
        (message("no", headers="Content-Disposition: attachment; filename=a.txt\n"), "The vote"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("email", source) == visible


MULTIPART = (
    'Subject: The vote\nContent-Type: multipart/alternative; boundary="b1"\n\n'
    "preamble\n--b1\nContent-Type: text/plain\n\nThe text.\n"
    "--b1\nContent-Type: text/html\n\n<p>no</p>\n"
    "--b1\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nbm8=\n--b1--\nno\n"
)


def test_only_the_plain_part_of_a_message_with_parts_is_read() -> None:
    assert words("email", MULTIPART).replace("preamble ", "") == "The vote The text."


def test_what_stands_before_the_first_part_is_not_read() -> None:
    assert "preamble" not in words("email", MULTIPART)


def test_a_folded_content_type_is_read_as_one() -> None:
    folded = MULTIPART.replace("alternative; ", "alternative;\n ")
    assert words("email", folded) == words("email", MULTIPART)


def test_replies_are_quotations_and_paragraphs_are_blocks() -> None:
    source = message("One\ntwo.\n\nOn Monday, Bob Roe wrote:\n> Their words.\n\nThree.")
    assert blocks("email", source) == ["The vote", "One two.", "Three."]
    assert len(quoted("email", source)) == 2
