"""Text in another language is named and left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unslant
from unslant.text.language import foreign_language, mask_foreign

GERMAN = "Der Minister sagte am Dienstag, dass die Regierung das skandalöse Gesetz nicht ändern werde."
ENGLISH = "The legendary singer slammed the plan, and the council voted on it in May."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "German"),
        ("Le ministre a déclaré mardi que le gouvernement ne changerait pas la loi.", "French"),
        ("El ministro dijo el martes que el gobierno no cambiará la ley este año.", "Spanish"),
        ("Il ministro ha detto martedì che il governo non cambierà la legge di questo anno.", "Italian"),
        (
            "O ministro disse na terça-feira que o governo não vai mudar a lei para os próximos anos.",
            "Portuguese",
        ),
        (
            "De minister zei dinsdag dat de regering de wet niet zal veranderen voor het einde van het jaar.",
            "Dutch",
        ),
        ("Министр заявил во вторник, что правительство не изменит закон.", "a language in Cyrillic script"),
        ("政府は火曜日に法律を改正しないと述べた。", "Japanese"),
        ("정부는 화요일에 법을 바꾸지 않겠다고 밝혔다.", "Korean"),
    ],
)
def test_other_languages_are_named(text: str, language: str) -> None:
    assert foreign_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "La La Land and De La Soul played in Los Angeles.",
        "Name Position Goals Assists Minutes Cards Red Yellow",
        "pip install unslant && unslant check docs README",
        "Geert Wilders (born 6 September 1963) is a far right Dutch politician.",
        "Orban's border wall reduced illegal immigration by 99%!",
        "Der Spiegel",
        "",
    ],
)
def test_english_names_and_short_text_are_not_foreign(text: str) -> None:
    assert foreign_language(text) is None


def test_a_foreign_text_is_not_judged_and_says_so() -> None:
    report = unslant.check("Das ist ein legendary und brilliant Plan, und er ist nicht von der Regierung.")
    assert report.findings == ()
    assert [note.message for note in report.notes] == [
        "This looks like German. unslant reads English, so nothing was checked."
    ]


def test_a_foreign_paragraph_is_left_out_of_an_english_text() -> None:
    text = f"{ENGLISH}\n\n{GERMAN}\n\n{ENGLISH}"
    report = unslant.check(text)
    assert {finding.text for finding in report.findings} >= {"legendary", "slammed"}
    (note,) = report.notes
    assert note.span is not None
    assert text[note.span.start : note.span.end] == GERMAN


@given(st.lists(st.sampled_from([ENGLISH, GERMAN, "\n\n", "\r\n", "\u2028", "İ", " "])).map("".join))
def test_masking_keeps_every_position(text: str) -> None:
    masked = mask_foreign(text).prose
    assert len(masked) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, masked, strict=True))
