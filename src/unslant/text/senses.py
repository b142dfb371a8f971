"""Words that a document uses in a sense of its own: as a name, as a term that it defines, or about another subject.

A word is judged in its sentence, but its sense is often settled elsewhere: *Waitress* is a server in the manual of that
server, and *lefties* are people in an article on left-handedness. The document is looked at once for each question, and
only if a finding raises it.
"""
# ruff: noqa: RUF001 (marks and dashes as writers type them)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from unslant.core.taxonomy import PREFIX
from unslant.core.types import Document, Finding, WordSenses
from unslant.text.context import is_title
from unslant.text.function_words import FUNCTION
from unslant.text.words import LETTERS

_NAMED = 2
"""How often a word stands as a name before it is taken for one."""
_CAPITALIZED = re.compile(r"\b[A-Z][a-z]+\b")
_DETERMINER = re.compile(
    r"\b(?:the|a|an|this|that|these|those|each|every|any|no|some|all|my|your|his|her|its|our|their|\w+['’]s)\s+$",
    re.IGNORECASE,
)
_BEGINNING = re.compile(r"(?:^|[.!?:]|\n)[\s\"'“”‘’()*_#>\[\]-]*$")
"""What stands before the first word of a sentence, a heading or an item: there a capital says nothing."""
_BEFORE = 60
"""How much of the text before a word is looked at."""
_LONGEST_TITLE = 200

_MARKS = r"[\"'“”‘’*_`]{0,3}"
_TERM = re.compile(rf"\bthe terms?\s+{_MARKS}([\w-]+)", re.IGNORECASE)
_MEANS = re.compile(
    r"\s(?:means|is defined as|are defined as|refers to)\b|,\s+(?:meaning|that is|i\.e\.)(?!\w)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;]\s|\n\s*\n")
_TERM_WORDS = 3
"""The longest term, in words: *a malicious report*."""
_GLOSSARY = re.compile(
    r"^[ \t#=*_]*(?:\d+(?:\.\d+)*\.?\s+)?"
    r"(?:glossary|terminology|definitions|definition of terms|terms and definitions)\b[ \t#=*_:]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(
    rf"^[ \t>*+-]*{_MARKS}([\w-]+(?: [\w-]+){{0,2}}){_MARKS}[ \t]*(?:[:–—]|-[ \t]|\n[ \t]*:)", re.MULTILINE
)
_CALLED = (f"{PREFIX}loaded-label", f"{PREFIX}biased-term")
"""What a model says about what people are called."""


class Senses:
    """What a document says about its own words."""

    def __init__(self, document: Document, subjects: Mapping[str, Sequence[str]]) -> None:
        """Take a document, and for some words those that tell of another subject."""
        self._text = "\n".join(filter(None, (document.before, document.prose, document.after)))
        self._source = document.source
        self._subjects = subjects
        self._given = document.senses
        self._about: dict[str, bool] = {}

    def all(self) -> WordSenses:
        """Return everything that the document says, for those who check it in parts."""
        used = {word.casefold() for word in LETTERS.findall(self._text)}
        named = (
            word for word in self._subjects if used.issuperset(word.split()) and self._names_subject(word)
        )
        return WordSenses(self._names, self._defined, frozenset(named))

    def is_name(self, finding: Finding) -> bool:
        """Return whether a finding is a single word that is a name in this document."""
        return _CAPITALIZED.fullmatch(finding.text) is not None and finding.text in self._names

    def is_defined(self, finding: Finding) -> bool:
        """Return whether the document defines the words of a finding, in a sentence or in its glossary."""
        return not self._defined.isdisjoint(_core(finding.text))

    def is_about_another_subject(self, finding: Finding) -> bool:
        """Return whether the words of a finding belong to another subject that the document names.

        A model that objects to what people are called may mark more than that word.
        """
        words = _core(finding.text)
        about = (" ".join(words), *(words if finding.rule in _CALLED else ()))
        return any(word in self._subjects and self._names_subject(word) for word in about)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The words that are never in lower case, and often capitalized within a sentence as names are."""
        if self._given is not None:
            return self._given.names
        names: Counter[str] = Counter()
        titles: Counter[str] = Counter()
        for match in _CAPITALIZED.finditer(self._text):
            before = self._text[max(0, match.start() - _BEFORE) : match.start()]
            if _BEGINNING.search(before) or self._is_in_title(match.start()):
                continue
            after = self._text[match.end() : match.end() + 2]
            # the Chairman, Chairman Smith
            is_address = _DETERMINER.search(before) or (after[:1] == " " and after[1:].isupper())
            (titles if is_address else names)[match[0]] += 1
        lower = {word for word in LETTERS.findall(self._text) if word.islower()} if names else set()
        return frozenset(
            word
            for word, count in names.items()
            if count >= _NAMED and count > titles[word] and word.lower() not in lower
        )

    def _is_in_title(self, at: int) -> bool:
        before = self._text[max(0, at - _LONGEST_TITLE) : at].rpartition("\n")[2]
        after = self._text[at : at + _LONGEST_TITLE].partition("\n")[0]
        return len(before) + len(after) < _LONGEST_TITLE and is_title(before + after)

    @cached_property
    def _defined(self) -> frozenset[str]:
        if self._given is not None:
            return self._given.defined
        return frozenset(word for term in self._defined_terms() for word in _core(term))

    def _defined_terms(self) -> Iterator[str]:
        yield from (match[1] for match in _TERM.finditer(self._text))
        for match in _MEANS.finditer(self._text):
            before = self._text[max(0, match.start() - _BEFORE) : match.start()]
            yield " ".join(LETTERS.findall(_SENTENCE_END.split(before)[-1])[-_TERM_WORDS:])
        if heading := _GLOSSARY.search(self._source):
            yield from (match[1] for match in _ENTRY.finditer(self._source, heading.end()))

    def _names_subject(self, word: str) -> bool:
        if self._given is not None:
            return word in self._given.subjects
        if word not in self._about:
            told = "|".join(map(re.escape, self._subjects[word]))
            self._about[word] = bool(re.search(rf"(?<!\w)(?:{told})(?!\w)", self._text, re.IGNORECASE))
        return self._about[word]


@lru_cache(maxsize=256)
def _core(text: str) -> tuple[str, ...]:
    """Return the words that carry the sense of some, in lower case."""
    words = (word.casefold() for word in LETTERS.findall(text))
    return tuple(word for word in words if word not in FUNCTION)
