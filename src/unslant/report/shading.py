"""Words shaded by how much they matter: on a terminal, and as a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unslant.core.attribution import Attribution, Weight
from unslant.report.printable import cells, clean

__all__ = ["page", "shaded"]

_FULL = 0.2
"""A word that moves the probability by this much has the deepest shade; more is not told apart."""
_LEVELS = 4
_TOWARDS = ("", "48;5;230;38;5;16", "48;5;222;38;5;16", "48;5;215;38;5;16", "48;5;208;38;5;16")
_AGAINST = ("", "48;5;195;38;5;16", "48;5;153;38;5;16", "48;5;111;38;5;16", "48;5;69;38;5;16")
_BAR = 20
_CSS = """
body { font: 1.1rem/1.9 Georgia, serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
p.text { white-space: pre-wrap; }
p.facts, footer { font: 0.9rem/1.5 system-ui, sans-serif; color: #555; }
span.w { border-radius: 0.2em; padding: 0.1em 0.1em; }
u { text-decoration-thickness: 0.12em; text-underline-offset: 0.25em; }
.t1 { background: #fff3d6; } .t2 { background: #ffdf9e; } .t3 { background: #ffc266; } .t4 { background: #ff9d2e; }
.a1 { background: #e3f0fb; } .a2 { background: #c0dcf5; } .a3 { background: #93c3ee; } .a4 { background: #5fa4e3; }
.t1, .t2, .t3, .t4, .a1, .a2, .a3, .a4 { color: #111; }
"""


def _level(change: float) -> int:
    """Return 0 for a word that hardly matters, up to the number of shades."""
    return min(round(abs(change) / _FULL * _LEVELS), _LEVELS)


def _facts(one: Attribution) -> str:
    said = [
        f"slanted: {one.probability:.0%}",
        *(f"{name}: {label}" for name, label in (one.answers or {}).items()),
    ]
    return "; ".join(said)


def shaded(found: Sequence[Attribution], color: bool) -> str:
    """Return a picture for a terminal; without colour, a bar for each word."""
    if not found:
        return "There is no sentence in this text."
    parts = []
    for one in found:
        body = _colored(one) if color else _bars(one)
        parts.append(f"{body}\n{clean(_facts(one))}\n")
    note = "A word is orange if the sentence would be less likely slanted without it, blue if more likely."
    plain = "A bar shows how much less likely slanted the sentence would be without the word; < means more likely."
    return "\n".join([*parts, note if color else plain])


def _colored(one: Attribution) -> str:
    parts, at = [], 0
    for word in one.words:
        codes = (_TOWARDS if word.change > 0 else _AGAINST)[_level(word.change)]
        if any(span.overlaps(word.span) for span in one.marked):
            codes = f"{codes};4" if codes else "4"
        text = clean(one.text[word.span.start : word.span.end])
        parts += [clean(one.text[at : word.span.start]), f"\x1b[{codes}m{text}\x1b[0m" if codes else text]
        at = word.span.end
    return "".join([*parts, clean(one.text[at:])])


def _bars(one: Attribution) -> str:
    texts = [clean(one.text[word.span.start : word.span.end]) for word in one.words]
    width = max(map(cells, texts), default=0)
    return "\n".join(
        [clean(one.text), "", *(_bar(text, word, width) for text, word in zip(texts, one.words, strict=True))]
    )


def _bar(text: str, word: Weight, width: int) -> str:
    length = min(round(abs(word.change) / _FULL * _BAR), _BAR)
    sign = "#" if word.change > 0 else "<"
    return f"  {text}{' ' * (width - cells(text))}  {word.change:+.3f}  {sign * length}".rstrip()


def page(found: Sequence[Attribution]) -> str:
    """Return one self-contained page: no script, nothing loaded from elsewhere, everything escaped."""
    body = "".join(
        f'<p class="text" dir="auto">{_marked_up(one)}</p>\n<p class="facts">{_escaped(_facts(one))}</p>\n'
        for one in found
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>What the model goes by</title>\n<style>{_CSS}</style>\n</head>\n"
        "<body>\n<h1>What the model goes by</h1>\n"
        f"{body}<footer><p>Orange: without the word the sentence would be less likely slanted; blue: more likely. "
        "Underlined: what is reported. The model may be wrong: the writer decides.</p></footer>\n</body>\n</html>\n"
    )


def _marked_up(one: Attribution) -> str:
    parts, at = [], 0
    for word in one.words:
        parts.append(_escaped(one.text[at : word.span.start]))
        text = _escaped(one.text[word.span.start : word.span.end])
        if any(span.overlaps(word.span) for span in one.marked):
            text = f"<u>{text}</u>"
        level = _level(word.change)
        shade = f" {'t' if word.change > 0 else 'a'}{level}" if level else ""
        parts.append(f'<span class="w{shade}" title="{word.change:+.3f}">{text}</span>')
        at = word.span.end
    return "".join([*parts, _escaped(one.text[at:])])


def _escaped(text: str) -> str:
    return escape(clean(text))
