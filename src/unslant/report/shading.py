"""Words shaded by how much they contribute to a score, on a terminal and as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unslant.core.types import Attribution, Weight
from unslant.report.html import html_head
from unslant.report.printable import cells, clean

_FULL = 0.2
"""A word that changes the probability by this much or more has the darkest shade."""
_LEVELS = 4
_TOWARDS = ("", "48;5;230;38;5;16", "48;5;222;38;5;16", "48;5;215;38;5;16", "48;5;208;38;5;16")
_AGAINST = ("", "48;5;195;38;5;16", "48;5;153;38;5;16", "48;5;111;38;5;16", "48;5;69;38;5;16")
_BAR = 20


def _level(change: float) -> int:
    """Return the shade: 0 for a word that hardly matters, up to ``_LEVELS``."""
    return min(round(abs(change) / _FULL * _LEVELS), _LEVELS)


def _facts(attribution: Attribution) -> str:
    facts = [
        f"slanted: {attribution.probability:.0%}",
        *(f"{name}: {label}" for name, label in (attribution.answers or {}).items()),
    ]
    return "; ".join(facts)


def shade_words(attributions: Sequence[Attribution], color: bool) -> str:
    """Return shaded text for a terminal; without colour, a bar for each word."""
    if not attributions:
        return "The text contains no sentences."
    parts = []
    for attribution in attributions:
        body = _color(attribution) if color else _bars(attribution)
        parts.append(f"{body}\n{clean(_facts(attribution))}\n")
    note = "Orange: without this word, the sentence would score lower. Blue: it would score higher."
    plain = "Bars show how much lower the sentence would score without the word; < means higher."
    return "\n".join([*parts, note if color else plain])


def _color(attribution: Attribution) -> str:
    parts, at = [], 0
    for word in attribution.words:
        codes = (_TOWARDS if word.change > 0 else _AGAINST)[_level(word.change)]
        if any(span.overlaps(word.span) for span in attribution.marked):
            codes = f"{codes};4" if codes else "4"
        text = clean(attribution.text[word.span.start : word.span.end])
        parts += [
            clean(attribution.text[at : word.span.start]),
            f"\x1b[{codes}m{text}\x1b[0m" if codes else text,
        ]
        at = word.span.end
    return "".join([*parts, clean(attribution.text[at:])])


def _bars(attribution: Attribution) -> str:
    texts = [clean(attribution.text[word.span.start : word.span.end]) for word in attribution.words]
    width = max(map(cells, texts), default=0)
    return "\n".join(
        [
            clean(attribution.text),
            "",
            *(_bar(text, word, width) for text, word in zip(texts, attribution.words, strict=True)),
        ]
    )


def _bar(text: str, word: Weight, width: int) -> str:
    length = min(round(abs(word.change) / _FULL * _BAR), _BAR)
    sign = "#" if word.change > 0 else "<"
    return f"  {text}{' ' * (width - cells(text))}  {word.change:+.3f}  {sign * length}".rstrip()


def shaded_page(attributions: Sequence[Attribution]) -> str:
    """Return one self-contained page: no script, nothing loaded from elsewhere, everything escaped."""
    body = "".join(
        f'<p class="text" dir="auto">{_shade_html(attribution)}</p>\n'
        f'<p class="facts">{_escape(_facts(attribution))}</p>\n'
        for attribution in attributions
    )
    return (
        html_head("Which words matter to the model", ("unslant.report", "shading.css"))
        + "<h1>Which words matter to the model</h1>\n"
        + f"{body}<footer><p>Orange: without this word, the sentence would score lower. Blue: it would score higher. "
        "Underlined: reported. The model can be wrong: you decide.</p></footer>\n</body>\n</html>\n"
    )


def _shade_html(attribution: Attribution) -> str:
    parts, at = [], 0
    for word in attribution.words:
        parts.append(_escape(attribution.text[at : word.span.start]))
        text = _escape(attribution.text[word.span.start : word.span.end])
        if any(span.overlaps(word.span) for span in attribution.marked):
            text = f"<u>{text}</u>"
        level = _level(word.change)
        shade = f" {'t' if word.change > 0 else 'a'}{level}" if level else ""
        parts.append(f'<span class="w{shade}" title="{word.change:+.3f}">{text}</span>')
        at = word.span.end
    return "".join([*parts, _escape(attribution.text[at:])])


def _escape(text: str) -> str:
    return escape(clean(text))
