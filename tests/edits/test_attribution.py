"""Views that nobody is said to hold: they are shown with a gap for the one who holds them."""

import pytest

import unslant
from unslant.core.types import Applicability


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Many believe the toll will rise.", "[Who?] believe the toll will rise."),
        ("Critics argue that the toll is unfair.", "[Who?] argue that the toll is unfair."),
        ("The song is widely regarded as a protest.", "The song is regarded by [whom?] as a protest."),
    ],
)
def test_a_gap_is_shown_for_whose_view_it_is(text: str, after: str) -> None:
    (edit,) = (edit for finding in unslant.check(text).findings for edit in finding.edits)
    assert text[: edit.start] + edit.replacement + text[edit.end :] == after
    assert (edit.applicability, edit.note) == (Applicability.DISPLAY, "Fill in whose view it is.")


def test_a_gap_is_never_filled_in() -> None:
    text = "Many believe the toll will rise."
    assert unslant.fix(text, unsafe=True).text == text
