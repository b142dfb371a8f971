"""Which language a text is in: English is read, another language is named and left alone.

The test is deliberately cautious. A passage counts as foreign only if it has enough words and the function words of
another language are clearly more frequent in it than those of English, or if most of its letters are not Latin.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unslant.core.types import Note, Span
from unslant.text.words import LETTERS

_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_INK = re.compile(r"\S")
_LEAST_WORDS = 8
"""Shorter passages are names, headings or table cells as often as sentences."""
_LEAST_SHARE = 0.2
"""The share of function words from which a passage counts as running text in another language."""
_RATIO = 1.5
"""How much more frequent they must be than those of English."""
_LEAST_DISTINCT = 4
"""How many different ones it takes: "La La Land" is no Spanish text."""
_SAMPLE = 20_000
"""Code points that decide; the rest of a long text is in the same language."""
_SCRIPTS = {
    "CYRILLIC": "a language in Cyrillic script",
    "GREEK": "Greek",
    "ARABIC": "a language in Arabic script",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "a language in Devanagari script",
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "THAI": "Thai",
}


@dataclass(frozen=True, slots=True)
class English:
    """The English part of a text."""

    prose: str
    """The same length as the text; passages in another language are blanked."""
    language: str | None = None
    """The language of the text as a whole if that is not English."""
    notes: tuple[Note, ...] = ()
    """One note for each passage that was left out."""


def mask_foreign(prose: str) -> English:
    """Blank the paragraphs that are not in English, and say which; a text in another language is blanked whole."""
    language = foreign_language(prose)
    if language is not None:
        note = Note(f"This looks like {language}. unslant reads English, so nothing was checked.")
        return English(_blank(prose), language, (note,))
    notes: list[Note] = []
    parts: list[str] = []
    end = 0
    for match in _PARAGRAPH.finditer(prose):
        language = foreign_language(match[0])
        if language is not None:
            start, stop = match.span()
            parts += [prose[end:start], _blank(match[0])]
            end = stop
            message = f"This passage looks like {language}. unslant reads English, so it was not checked."
            notes.append(Note(message, Span(start, stop)))
    return English("".join([*parts, prose[end:]]), None, tuple(notes)) if notes else English(prose)


def _blank(text: str) -> str:
    return _INK.sub(" ", text)


def foreign_language(text: str) -> str | None:
    """Return the name of the language a passage is in if that is not English; None for English or if unsure."""
    words = [word for word in LETTERS.findall(text[:_SAMPLE].lower()) if len(word) > 1]
    script = _script(words)
    if script is not None:
        return script
    if len(words) < _LEAST_WORDS:
        return None
    counts = Counter(language for word in words for language in _languages().get(word, ()))
    english = counts.pop("English", 0)
    if not counts:
        return None
    language, count = counts.most_common(1)[0]
    if count < _LEAST_SHARE * len(words) or count < _RATIO * english:
        return None
    distinct = {word for word in words if language in _languages().get(word, ())}
    return language if len(distinct) >= _LEAST_DISTINCT else None


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """Return the languages that each function word belongs to."""
    data = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
    found: dict[str, list[str]] = {}
    for language, words in data["words"].items():
        for word in set(words.split()):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def _script(words: list[str]) -> str | None:
    """Return the language of a script that most letters are in; None if most are Latin."""
    letters = "".join(words)
    if letters.isascii() or len(letters) < _LEAST_WORDS:
        return None
    outside = [letter for letter in letters if ord(letter) > 0x24F]
    if 2 * len(outside) < len(letters):
        return None
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in outside)
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > 0:
        return "Japanese"
    return _SCRIPTS.get(scripts.most_common(1)[0][0], "another language")
