"""Whether two phrases are the same constituent, by a syntactic parser, where one is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.types import Span
from unslant.lab.wiki.problems import HarvestError

if TYPE_CHECKING:
    from unslant.lab.wiki.edits import SentenceWords
    from unslant.text.diff import Hunk

__all__ = ["MODELS", "ConstituentParser", "SpacyParser", "SyntacticPlace", "find_parser", "same_constituent"]

MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg")
"""The models that are looked for where none is named; the first that is there is taken."""
LONGEST = 10_000
"""Characters of a sentence; what is longer is none, and would take a parser long."""
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
    """``noun``, ``verb``, ``preposition``, ``adjective``, ``adverb``; empty: another, or not known."""
    role: str
    """What the head is to the word it hangs on, such as ``amod``; empty where that is not known."""
    governor: str
    """The word it hangs on, in lower case; empty at the root."""


class ConstituentParser(Protocol):
    """Knows the trees of sentences."""

    @property
    def name(self) -> str:
        """Which parser, as ``--parser`` takes it."""
        ...

    def place(self, text: str, span: Span) -> SyntacticPlace | None:
        """Return where the words of a span stand; None where the text cannot be parsed."""
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
        """Return where the head of the span stands."""
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
    raise ConfigError(f"--parser {wanted}: it should be auto, none, or spacy:MODEL")
