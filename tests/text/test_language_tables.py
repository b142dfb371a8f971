"""English is read; other languages are named and left alone; names, code and short text are not mistaken for them."""

# ruff: noqa: RUF001 (letters of other scripts are meant)

from __future__ import annotations

import pytest

import unslant
from unslant.text.language import foreign_language, mask_foreign

FOREIGN = [
    (
        "German",
        "Die Regierung hat am Montag mit der Opposition über das neue Gesetz und die Steuern gesprochen.",
    ),
    ("German", "Er sagte, dass das nicht der richtige Weg ist und dass man mit den Leuten reden muss."),
    (
        "French",
        "Le gouvernement a annoncé lundi que les impôts ne seront pas augmentés avant la fin de l'année.",
    ),
    ("French", "Elle a dit que ce n'est pas la bonne voie et qu'il faut parler avec les gens de la ville."),
    ("Spanish", "El gobierno anunció el lunes que los impuestos no van a subir antes del final de este año."),
    ("Spanish", "Ella dijo que este no es el camino y que hay que hablar con la gente de la ciudad."),
    (
        "Italian",
        "Il governo ha annunciato che le tasse non saranno aumentate prima della fine di questo anno.",
    ),
    (
        "Portuguese",
        "O governo anunciou que os impostos não vão subir antes do fim do ano e que não há dinheiro.",
    ),
    ("Dutch", "De regering heeft gezegd dat de belastingen niet omhoog gaan voor het einde van het jaar."),
]

ENGLISH = [
    "The government said on Monday that taxes would not rise before the end of the year.",
    "Angela Merkel met Emmanuel Macron in Berlin.",
    "Der Spiegel and Le Monde reported it first.",
    "El Paso, Los Angeles and San Francisco voted.",
    "She studied at the École normale supérieure in Paris.",
    "He sang \u201cLa donna è mobile\u201d in the opera house.",
    "def main(args): return run(args)",
    "1 2 3 4 5 6 7 8 9 10",
    "Go!",
    "The Gesundheitsamt of the city reported forty cases on Monday.",
    "Die Hard is a film of 1988 with Bruce Willis in it.",
]


@pytest.mark.parametrize(("language", "text"), FOREIGN)
def test_languages_are_named(language: str, text: str) -> None:
    assert foreign_language(text) == language


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_english(text: str) -> None:
    assert foreign_language(text) is None
    assert mask_foreign(text).prose == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Правительство объявило о новых налогах в понедельник.", "a language in Cyrillic script"),
        ("Η κυβέρνηση ανακοίνωσε νέους φόρους τη Δευτέρα.", "Greek"),
        ("أعلنت الحكومة عن ضرائب جديدة يوم الاثنين", "a language in Arabic script"),
        ("הממשלה הודיעה על מסים חדשים ביום שני", "Hebrew"),
        ("政府周一宣布了新的税收政策和预算计划", "Chinese"),
        ("政府は月曜日に新しい税を発表しました", "Japanese"),
        ("정부는 월요일에 새로운 세금을 발표했다", "Korean"),
    ],
)
def test_scripts_are_named(text: str, language: str) -> None:
    assert foreign_language(text) == language


@pytest.mark.parametrize(("language", "text"), FOREIGN)
def test_a_foreign_text_is_not_judged_and_the_reader_is_told(language: str, text: str) -> None:
    report = unslant.check(text, spec=unslant.Spec(analyzers=("rules",)))
    assert report.findings == ()
    assert report.document.language == language
    assert [note.message for note in report.notes] == [
        f"This looks like {language}. unslant reads English, so nothing was checked."
    ]


@pytest.mark.parametrize(("language", "text"), FOREIGN)
def test_a_foreign_paragraph_leaves_the_others_to_be_read(language: str, text: str) -> None:
    english = "The government said on Monday that taxes would not rise before the end of the year. " * 3
    whole = f"{english}\n\n{text}\n\n{english}"
    masked = mask_foreign(whole)
    assert masked.language is None
    assert masked.prose.split() == (english + english).split()
    (note,) = masked.notes
    assert language in note.message
    assert note.span is not None
    assert whole[note.span.start : note.span.end] == text
