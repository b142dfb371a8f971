"""Slanted phrases of left and right text, genre by genre: how many there are, which ones, and which party they concern.

After section 4 of Zhong et al. 2021, who ran their tagger over books, headlines and speeches of both sides. A phrase is
a predicted span without the articles at its ends. Those of a side are ranked by how often they occur there, and then by
how much more that side uses their words than the other (log-odds with a common prior; Monroe et al. 2008). The *stance*
of a phrase is the party whose name is nearest in its sentence, and the sign of its opinion words; the paper's authors
gave it by hand. Where text is annotated, the spans are measured as in the paper.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.corpora.tables import CorpusMissing
from unslant.lab.evaluation.held_out import Answer, Setting, load_part, predict_examples
from unslant.lab.evaluation.models import SentenceModel, require_answer
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.evaluation.word_lists import WordLists
from unslant.lab.report.table import text_table
from unslant.lab.stats.metrics import Metric, mean, ratios
from unslant.lab.stats.spans import SpanPrediction, overlap_f1, right_end_f1, trim_as_published
from unslant.report.svg import Svg
from unslant.text.words import COMPOUND

CORPUS = "real_world"
SIDES = ("left", "right")
TOP = 8
"""How many phrases of each side are shown."""
_NEGATIONS = frozenset("not no never without hardly nothing nobody neither nor cannot".split())
_PRIOR = 0.5
_SHORTEST = 4
"""The minimum number of letters of a content word: shorter words are mostly function words."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase in its sentence."""

    text: str
    """In lower case."""
    stance: str | None = None
    """``+left``, ``-right`` and so on: for or against the party of a side; None if it concerns no party."""


@dataclass(frozen=True, slots=True)
class PhraseCount:
    """A phrase of one side."""

    text: str
    count: int
    stance: str | None

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the JSON form."""
        return {"phrase": self.text, "count": self.count, "stance": self.stance}


@dataclass(frozen=True, slots=True)
class _SideText:
    """What a model marked in the text of one side of one genre."""

    words: tuple[int, ...]
    """The number of words of each text."""
    phrases: tuple[tuple[Phrase, ...], ...]
    """The phrases of each text."""

    @property
    def flat(self) -> list[Phrase]:
        return [phrase for some in self.phrases for phrase in some]


def genres(model: SentenceModel, setting: Setting, corpus: str = CORPUS) -> Result:
    """Find phrases in every genre and side of a corpus, and compare the sides."""
    require_answer(model, "spans", "genres")
    opened = FileDataset(corpus) if Path(corpus).is_file() else corpora.load(corpus, setting.data)
    examples = [example for example in opened if example.leaning in SIDES]
    if not examples:
        raise ConfigError(f"{corpus}: has no text with a leaning, left or right")
    lists, notes = _opinion_words(setting), []
    if lists is None:
        notes.append("no stance: the folder 'lexicons' with lists of opinion words is missing")
    found: dict[str, dict[str, _SideText]] = {}
    for (genre, side), some in groupby(sorted(examples, key=_place), key=_place):
        answers = predict_examples(model, list(some), corpus, setting)
        found.setdefault(genre, {})[side] = _side(answers, lists)
    sections = [section for genre, sides in found.items() for section in _sections(genre, sides, setting)]
    annotated, more = _measure_annotated(model, setting)
    ranked = {genre: _rank_phrases(sides) for genre, sides in found.items()}
    notes += [
        *more,
        *(f"{genre}: {corpus} has text of one side only" for genre, sides in found.items() if len(sides) < 2),
        *model.lineage.notes(corpus),
    ]
    return Result(
        "genres",
        model.name,
        (*sections, *annotated),
        tuple(notes),
        pictures={"phrases": phrases_svg(ranked)},
        drawings=tuple(_table(genre, sides) for genre, sides in ranked.items()),
        details={
            "phrases": {
                genre: {side: [entry.to_dict() for entry in some] for side, some in sides.items()}
                for genre, sides in ranked.items()
            }
        },
    )


def _place(example: Example) -> tuple[str, str]:
    return example.genre or "text", example.leaning or ""


def _side(answers: Sequence[Answer], lists: WordLists | None) -> _SideText:
    phrases = []
    for answer in answers:
        text = answer.example.text
        marked = tuple(span.span for span in answer.prediction.spans)
        # a text without gold spans would be left out, so its own spans stand in
        trimmed = trim_as_published([SpanPrediction(text, marked, marked)])
        spans = trimmed[0].predicted if trimmed else ()
        phrases.append(
            tuple(
                Phrase(
                    " ".join(text[span.start : span.end].lower().split()),
                    find_stance(text, span, lists) if lists else None,
                )
                for span in spans
            )
        )
    return _SideText(tuple(len(answer.example.text.split()) for answer in answers), tuple(phrases))


def _opinion_words(setting: Setting) -> WordLists | None:
    try:
        lists = WordLists.read(setting.data)
    except ConfigError:
        return None
    return lists if {_POSITIVE, _NEGATIVE} <= set(lists.words) else None


_POSITIVE, _NEGATIVE = "positive_liu2005", "negative_liu2005"


@cache
def _parties() -> tuple[tuple[str, re.Pattern[str]], ...]:
    table = tomllib.loads(files("unslant.lab.evaluation").joinpath("genres.toml").read_text("utf-8"))
    return tuple(
        (side, re.compile(rf"\b(?:{'|'.join(map(re.escape, table[side]))})\b", re.IGNORECASE))
        for side in SIDES
    )


def find_stance(text: str, span: Span, lists: WordLists) -> str | None:
    """Return the sign of a phrase's opinion words and the party nearest to it; None without one of the two."""
    names = [
        (max(match.start() - span.end, span.start - match.end(), 0), side)
        for side, pattern in _parties()
        for match in pattern.finditer(text)
    ]
    phrase = text[span.start : span.end].lower()
    for _, pattern in _parties():
        phrase = pattern.sub("someone", phrase)  # "trump" is in lists of praising words
    sign = _sign(phrase, lists)
    if not names or not sign:
        return None
    nearest = min(names)[0]
    sides = {side for distance, side in names if distance == nearest}
    return f"{'+' if sign > 0 else '-'}{sides.pop()}" if len(sides) == 1 else None


def _sign(phrase: str, lists: WordLists) -> int:
    """Return the number of praising words minus blaming ones; a negation before a word reverses it."""
    total, turned = 0, False
    for word in COMPOUND.findall(phrase):
        if word in _NEGATIONS or word.endswith(("n't", "n\u2019t")):
            turned = True
            continue
        sign = (word in lists.words[_POSITIVE]) - (word in lists.words[_NEGATIVE])
        total += -sign if turned else sign
    return total


def log_odds(first: Mapping[str, int], other: Mapping[str, int]) -> dict[str, float]:
    """Return for each word how much more the first side uses it, in standard errors; 0: as much as the other."""
    totals = sum(first.values()), sum(other.values())
    words = {*first, *other}
    prior = _PRIOR * (len(words) + 1)  # one more for all unseen words
    found = {}
    for word in words:
        mine, theirs = first.get(word, 0) + _PRIOR, other.get(word, 0) + _PRIOR
        odds = math.log(mine / (totals[0] + prior - mine)) - math.log(theirs / (totals[1] + prior - theirs))
        found[word] = odds / math.sqrt(1 / mine + 1 / theirs)
    return found


def _content(phrase: str) -> list[str]:
    return [word for word in COMPOUND.findall(phrase) if len(word) >= _SHORTEST]


def rank_phrases(own: Sequence[Phrase], other: Sequence[Phrase]) -> list[PhraseCount]:
    """Return the phrases of a side: the most frequent first, then those whose words the other side uses least."""
    odds = log_odds(
        *(Counter(word for phrase in some for word in _content(phrase.text)) for some in (own, other))
    )
    counts = Counter(phrase.text for phrase in own)
    elsewhere = Counter(phrase.text for phrase in other)
    stances: dict[str, Counter[str]] = {}
    for phrase in own:
        if phrase.stance:
            stances.setdefault(phrase.text, Counter())[phrase.stance] += 1

    def key(text: str) -> tuple[int, float, str]:
        words = _content(text)
        return -(counts[text] - elsewhere[text]), -sum(odds[word] for word in words) / len(words), text

    chosen = sorted((text for text in counts if _content(text)), key=key)
    first = {text: found.most_common(1)[0][0] for text, found in stances.items()}
    return [PhraseCount(text, counts[text], first.get(text)) for text in chosen]


def _rank_phrases(sides: Mapping[str, _SideText]) -> dict[str, list[PhraseCount]]:
    flat = {side: sides[side].flat if side in sides else [] for side in SIDES}
    pairs = zip(SIDES, reversed(SIDES), strict=True)
    return {side: rank_phrases(flat[side], flat[other])[:TOP] for side, other in pairs if side in sides}


def _sections(genre: str, sides: Mapping[str, _SideText], setting: Setting) -> Iterator[Section]:
    rates: dict[str, Metric] = {}
    for side, text in sides.items():
        counts = [(100 * len(some), words) for some, words in zip(text.phrases, text.words, strict=True)]
        rates |= ratios(counts, {f"{side}: phrases per 100 words": (0, 1)})
        rates[f"{side}: texts with a phrase"] = mean([float(bool(some)) for some in text.phrases])
    yield Section(genre, figures("genres", rates, setting.resampling, rates))
    stances: dict[str, Metric] = {}
    for side, text in sides.items():
        other = SIDES[side == "left"]
        for name, sign in (
            ("for its own party", f"+{side}"),
            ("against its own party", f"-{side}"),
            ("for the other party", f"+{other}"),
            ("against the other party", f"-{other}"),
        ):
            stances[f"{side}: {name}, %"] = mean([100 * float(phrase.stance == sign) for phrase in text.flat])
    yield Section(f"{genre}: share of phrases by stance", figures("genres", stances, setting.resampling))


def _measure_annotated(model: SentenceModel, setting: Setting) -> tuple[list[Section], list[str]]:
    """Measure the spans in news of both sides that editors annotated, where the model has not seen it."""
    if not model.lineage.allows(EDITOR, "dev"):
        return [], [f"no F1: {model.name} has learned from the annotated news"]
    try:
        examples = load_part(EDITOR, setting, "dev")
    except CorpusMissing:
        return [], ["no F1: the corpus 'editor' is missing"]
    measures = {}
    for side in SIDES:
        some = [example for example in examples if example.leaning == side and example.spans]
        if not some:
            continue
        marked = [answer.spans for answer in predict_examples(model, some, EDITOR, setting)]
        measures[f"{side}: partial F1, as published"] = right_end_f1(trim_as_published(marked))
        measures[f"{side}: overlap F1"] = overlap_f1(marked)
    title = "annotated news of both sides (development part of 'editor', slanted sentences)"
    return [Section(title, figures("genres", measures, setting.resampling))], []


def _table(genre: str, sides: Mapping[str, Sequence[PhraseCount]]) -> str:
    rows: list[list[object]] = [[genre, "count", "stance", "phrase"]]
    for side, phrases in sides.items():
        rows += [[side, entry.count, entry.stance or "", entry.text] for entry in phrases]
    return text_table(rows)


_COLORS = {"left": "#2166ac", "right": "#b2182b"}
_LONGEST = 44


def phrases_svg(ranked: Mapping[str, Mapping[str, Sequence[PhraseCount]]]) -> str:
    """Draw the phrases of both sides in two columns, genre by genre; a bar is as long as the phrase is frequent."""
    line, column = 18, 370
    heights = [24 + line * max([len(some) for some in sides.values()] + [1]) for sides in ranked.values()]
    svg = Svg(2 * column + 20, sum(heights) + 30, "Slanted phrases of both sides by genre")
    most = max([entry.count for sides in ranked.values() for some in sides.values() for entry in some] + [1])
    top = 20.0
    for (genre, sides), height in zip(ranked.items(), heights, strict=True):
        for at, side in enumerate(SIDES):
            x = 10 + at * column
            svg.text(x, top, f"{genre}, {side}", font_weight="bold", fill=_COLORS[side])
            for row, entry in enumerate(sides.get(side, ())):
                y = top + line * (row + 1)
                width = 60 * entry.count / most
                svg.rect(x, y - 10, width, 11, title=str(entry.count), fill=_COLORS[side], fill_opacity=0.45)
                text = entry.text if len(entry.text) <= _LONGEST else entry.text[: _LONGEST - 1] + "…"
                svg.text(x + 68, y, f"{text} ({entry.stance})" if entry.stance else text)
            if side not in sides:
                svg.text(x + 68, top + line, "no text of this side", fill="#777777")
        top += height
    return svg.render()
