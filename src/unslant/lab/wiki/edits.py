"""The edits that turned one sentence into another, phrase by phrase, and the data of the weak labeller.

If a syntactic parser is installed, it decides whether two phrases are the same constituent.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.types import Span
from unslant.lab.wiki.dump import HarvestError
from unslant.text.diff import Hunk, diff_words, word_spans
from unslant.text.diff import similarity as text_similarity

MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg")
"""The models to try if none is named; the first one installed is used."""
LONGEST = 10_000
"""The maximum length of a sentence in characters; longer text is not a sentence, and parsing it would take long."""
_CATEGORIES = {
    **dict.fromkeys(("NOUN", "PROPN", "PRON", "NUM", "DET"), "noun"),
    **dict.fromkeys(("VERB", "AUX"), "verb"),
    **dict.fromkeys(("ADP", "SCONJ"), "preposition"),
    "ADJ": "adjective",
    "ADV": "adverb",
}


@dataclass(frozen=True, slots=True)
class SyntacticPlace:
    """The place of a phrase in the dependency tree of its sentence, by its head."""

    category: str
    """``noun``, ``verb``, ``preposition``, ``adjective``, ``adverb``; empty: another, or unknown."""
    role: str
    """The dependency relation of the head, such as ``amod``; empty if unknown."""
    governor: str
    """The word that governs it, in lower case; empty at the root."""


class ConstituentParser(Protocol):
    """Parses sentences."""

    @property
    def name(self) -> str:
        """The name of the parser, as in ``--parser``."""
        ...

    def place(self, text: str, span: Span) -> SyntacticPlace | None:
        """Return the position of a span in the tree; None if the text cannot be parsed."""
        ...


def same_constituent(
    parser: ConstituentParser, edit: Hunk, source: SentenceWords, target: SentenceWords
) -> bool | None:
    """Whether what went and what came are one constituent; None where the parser does not know.

    They are where their heads are of one category, or hang on the same word in the same role.
    """
    before, after = source.cover(*edit.before), target.cover(*edit.after)
    if before is None or after is None:
        return None
    old, new = parser.place(source.text, before), parser.place(target.text, after)
    if old is None or new is None:
        return None
    alike = bool(old.category) and old.category == new.category
    return alike or (bool(old.role) and (old.role, old.governor) == (new.role, new.governor))


class SpacyParser:
    """The dependency parser of a spaCy pipeline."""

    def __init__(self, pipeline: Callable[[str], Any], model: str) -> None:
        self._pipeline = pipeline
        self._parsed: dict[str, Any] = {}
        self.name = f"spacy:{model}"

    @classmethod
    def load(cls, model: str) -> SpacyParser:
        """Load a model by the name of its package or by its folder."""
        try:
            import spacy
        except ModuleNotFoundError:
            raise MissingExtra(f"--parser spacy:{model}", "spacy", "parser") from None
        try:
            pipeline = spacy.load(model, exclude=["ner", "lemmatizer", "textcat"])
        except OSError:
            raise HarvestError(
                f"--parser: spaCy has no model {model!r} here; try: python -m spacy download {MODELS[0]}"
            ) from None
        if not pipeline("One sees this.").has_annotation("DEP"):
            raise HarvestError(f"--parser: the spaCy model {model!r} has no parser; try {MODELS[0]}")
        return cls(pipeline, model)

    def place(self, text: str, span: Span) -> SyntacticPlace | None:
        """Return the position of the head of the span."""
        if len(text) > LONGEST:
            return None
        phrase = self._tree(text).char_span(span.start, span.end, alignment_mode="expand")
        if phrase is None or not len(phrase):
            return None
        head = phrase.root
        governor = "" if head.head.i == head.i else head.head.text.lower()
        return SyntacticPlace(_CATEGORIES.get(head.pos_, ""), head.dep_, governor)

    def _tree(self, text: str) -> Any:
        """Parse a text once for all the edits of a pair."""
        if text not in self._parsed:
            if len(self._parsed) > 1:
                self._parsed.clear()
            self._parsed[text] = self._pipeline(text)
        return self._parsed[text]


def find_parser(wanted: str) -> ConstituentParser | None:
    """Return the parser that an option names: ``auto`` (one that is installed, if any), ``none``, ``spacy:MODEL``."""
    kind, colon, model = wanted.partition(":")
    if wanted == "none":
        return None
    if wanted == "auto":
        there = [name for name in MODELS if find_spec("spacy") and find_spec(name)]
        return SpacyParser.load(there[0]) if there else None
    if kind == "spacy" and (model or not colon):
        return SpacyParser.load(model or MODELS[0])
    raise ConfigError(f"--parser {wanted}: must be auto, none or spacy:MODEL")


@dataclass(frozen=True)
class LabellerData:
    """Word lists, weights and thresholds, with one version for all."""

    version: int
    joining: frozenset[str]
    """Prepositions and determiners that may stand between two parts of one changed phrase."""
    function: frozenset[str]
    """Function words."""
    similarity: float
    threshold: float
    """The probability from which an edit counts as a neutrality edit."""
    weights: Mapping[str, float]


@lru_cache(maxsize=1)
def labeller_data() -> LabellerData:
    """Return what ships with the package."""
    data = tomllib.loads(files("unslant.lab.wiki").joinpath("weak_labels.toml").read_text("utf-8"))
    return LabellerData(
        version=data["version"],
        joining=frozenset(data["joining"]),
        function=frozenset(data["function"].split()),
        similarity=data["similarity"],
        threshold=data["threshold"],
        weights=data["weights"],
    )


_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-"})  # noqa: RUF001
_DETERMINERS = frozenset(
    "a an the this that these those his her its their some many several most all".split()
)
_VERBS = frozenset(
    "is was are were be been being has have had do does did can could will would may might must".split()
)
_MOST_JOINED = 1


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """A sentence by its words; characters that differ only typographically are equal."""

    text: str
    spans: tuple[Span, ...]
    forms: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> SentenceWords:
        """Split a sentence."""
        spans = tuple(word_spans(text))
        return cls(text, spans, tuple(text[span.start : span.end].translate(_SAME) for span in spans))

    def cover(self, first: int, end: int) -> Span | None:
        """Return the span of the words from ``first`` up to ``end``; None where there are none."""
        return Span(self.spans[first].start, self.spans[end - 1].end) if end > first else None


def find_edits(
    source: SentenceWords,
    target: SentenceWords,
    alike: float | None = None,
    parser: ConstituentParser | None = None,
) -> list[Hunk]:
    """Return what changed, in the order of the source.

    A minimal word diff; parts separated by a repeated preposition or determiner are rejoined; where there are several
    changes, a neighbouring deletion and addition stay together only if they are one constituent or alike; the deletions
    and additions that are left are matched greedily, the most alike first; what remains stands alone. ``alike`` is the
    similarity that makes two phrases alike; None: the one that ships. Without a parser, phrases of the same type of
    chunk count as one constituent.
    """
    alike = labeller_data().similarity if alike is None else alike
    joined = _reconnect(diff_words(source.forms, target.forms), source)
    if len(joined) < 2:
        return joined
    kept: list[Hunk] = []
    for edit in joined:
        if edit.kind == "substitution" and not _belong_together(edit, (source, target), alike, parser):
            kept += [
                Hunk(edit.before, (edit.after[0], edit.after[0])),
                Hunk((edit.before[1], edit.before[1]), edit.after),
            ]
        else:
            kept.append(edit)
    return _match_rest(kept, source, target, alike)


def _reconnect(edits: Sequence[Hunk], source: SentenceWords) -> list[Hunk]:
    """Join parts that only a repeated preposition or determiner separates."""
    joined: list[Hunk] = []
    for edit in edits:
        last = joined[-1] if joined else None
        between = source.forms[last.before[1] : edit.before[0]] if last else ()
        if (
            last
            and len(between) <= _MOST_JOINED
            and all(word.lower() in labeller_data().joining for word in between)
        ):
            joined[-1] = Hunk((last.before[0], edit.before[1]), (last.after[0], edit.after[1]))
        else:
            joined.append(edit)
    return joined


def _belong_together(
    edit: Hunk,
    pair: tuple[SentenceWords, SentenceWords],
    alike: float,
    parser: ConstituentParser | None,
) -> bool:
    before, after = pair[0].forms[slice(*edit.before)], pair[1].forms[slice(*edit.after)]
    same = same_constituent(parser, edit, *pair) if parser else None
    if same is None:
        same = chunk_type(before) == chunk_type(after)
    return same or similarity(before, after) >= alike


def chunk_type(words: Sequence[str]) -> str:
    """Return the type of chunk of a phrase, by its first word or, if that is not conclusive, by its last.

    This stands in for a parser: ``verb`` where it begins with an auxiliary or ends like a verb,
    ``preposition`` where it begins with one, else ``noun``; ``mark`` where there is no word at all.
    """
    plain = [word.lower() for word in words if word[0].isalnum()]
    if not plain:
        return "mark"
    if plain[0] in _VERBS:
        return "verb"
    if plain[0] in labeller_data().joining and plain[0] not in _DETERMINERS:
        return "preposition"
    if plain[0] in _DETERMINERS:
        return "noun"
    return "verb" if plain[-1].endswith(("ed", "ing", "ize", "ise")) else "noun"


def _match_rest(edits: list[Hunk], source: SentenceWords, target: SentenceWords, alike: float) -> list[Hunk]:
    """Pair single deletions with single additions, the most similar first."""
    deletions = [edit for edit in edits if edit.kind == "deletion"]
    additions = [edit for edit in edits if edit.kind == "addition"]
    scored = sorted(
        (
            (
                -similarity(source.forms[slice(*deletion.before)], target.forms[slice(*other.after)]),
                deletion.before,
                other.after,
            )
            for deletion in deletions
            for other in additions
        ),
    )
    taken: set[tuple[int, int, int]] = set()
    pairs: list[Hunk] = []
    for negative, before, after in scored:
        if -negative < alike:
            break
        if (0, *before) not in taken and (1, *after) not in taken:
            taken |= {(0, *before), (1, *after)}
            pairs.append(Hunk(before, after))
    rest = [
        edit
        for edit in edits
        if not (edit.kind == "deletion" and (0, *edit.before) in taken)
        and not (edit.kind == "addition" and (1, *edit.after) in taken)
    ]
    return sorted([*rest, *pairs], key=lambda edit: (edit.before, edit.after))


_alike = lru_cache(maxsize=4096)(text_similarity)


def similarity(before: Sequence[str], after: Sequence[str]) -> float:
    """Return how similar two phrases are by their letters: 0 nothing in common, 1 the same except for case."""
    return _alike(" ".join(before).lower()[:300], " ".join(after).lower()[:300])


def reason_to_ignore(edit: Hunk, source: SentenceWords, target: SentenceWords) -> str | None:
    """Name why an edit cannot be about neutrality: ``marks``, ``case``, ``spelling``, ``moved``; or None."""
    before, after = source.forms[slice(*edit.before)], target.forms[slice(*edit.after)]
    if not any(word[0].isalnum() for word in (*before, *after)):
        return "marks"
    plain = ["".join(filter(str.isalnum, "".join(words))) for words in (before, after)]
    if plain[0] == plain[1]:
        return "marks"
    if plain[0].lower() == plain[1].lower():
        return "case"
    if len(before) == len(after) == 1 and is_misspelling(before[0].lower(), after[0].lower()):
        return "spelling"
    return None


def is_misspelling(word: str, other: str) -> bool:
    """Whether a word was corrected: as good as the same letters, the same beginning, and no ending exchanged."""
    if min(len(word), len(other)) < 5 or word[0] != other[0]:
        return False
    if sorted(word) == sorted(other):
        return True
    return (
        abs(len(word) - len(other)) <= 1 and word[-2:] == other[-2:] and similarity((word,), (other,)) > 0.85
    )
