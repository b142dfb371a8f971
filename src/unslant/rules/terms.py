"""The syntax of terms, described in ``docs/writing-rules.md``, and the building of automata from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from unslant.core.errors import RuleError
from unslant.rules.automaton import Automaton, Edge, Node
from unslant.rules.frames import FRAMES
from unslant.rules.inflect import forms
from unslant.text.words import ALPHANUMERIC

_TOKEN = re.compile(
    r"\s+|-|(?P<open>\()|(?P<close>\))|(?P<bar>\|)|(?P<maybe>\?)|(?P<start>\^)|<(?P<cls>[\w-]+)>"
    # not text.words.WORD: in a term, ``_`` stands for any word, and only the straight apostrophe is written
    rf"|(?P<word>{ALPHANUMERIC.pattern}(?:'{ALPHANUMERIC.pattern})*)(?:@(?P<pos>v|n|adj|adv)\b)?|(?P<any>_)"
)
_MOST_WORDS = 12
_DEEPEST = 8
"""How many brackets may lie inside each other."""
_MOST_EDGES = 200_000
"""How many words may follow each other in the terms of all rules, so that no file of others makes a check hang: seven
times what the catalogue has."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, optionally with all inflections and a part of speech."""

    text: str
    pos: str | None = None
    checked: bool = True
    """Whether the part of speech is checked, or only determines the inflections."""

    @property
    def exact(self) -> bool:
        """Whether the match is case-sensitive."""
        return self.text != self.text.lower()


@dataclass(frozen=True, slots=True)
class Group:
    """One of several sequences of words, or optionally none."""

    options: tuple[tuple[Element, ...], ...]
    optional: bool = False


Element = Word | Group
ANY = Word("_")
"""Matches any single word."""


@dataclass(frozen=True, slots=True)
class Term:
    """A sequence of words and groups."""

    elements: tuple[Element, ...]
    at_start: bool = False
    """Whether it matches only at the start of a sentence."""
    lead: int = 0
    """The number of words at the start that are only context."""
    tail: int = 0
    """The number of words at the end that are only context."""
    frame: str = ""
    """What must follow, as a name in ``frames.FRAMES``; empty: anything may."""


class _Parser:
    def __init__(self, text: str, classes: Mapping[str, Sequence[str]]) -> None:
        self.text = text
        self.classes = classes
        self.at = 0
        self.depth = 0

    def error(self, reason: str) -> RuleError:
        return RuleError(f"the term {self.text!r} {reason}")

    def next(self) -> re.Match[str] | None:
        if self.at == len(self.text):
            return None
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.error(f"has an unexpected {self.text[self.at]!r} at character {self.at + 1}")
        self.at = match.end()
        return match

    def sequence(self, inside: bool) -> tuple[tuple[Element, ...], str]:
        """Parse elements up to the end, a bar or a closing bracket, and return which it was."""
        found: list[Element] = []
        while (match := self.next()) is not None:
            part = match.lastgroup
            if part in ("bar", "close"):
                if not inside:
                    raise self.error(f"has a {match[0]!r} outside brackets")
                return tuple(found), part
            if part == "open":
                found.append(self.group())
            elif part == "maybe":
                if not found or (isinstance(found[-1], Group) and found[-1].optional):
                    raise self.error("has a '?' with nothing before it")
                last = found[-1]
                found[-1] = Group(last.options if isinstance(last, Group) else ((last,),), optional=True)
            elif part == "start":
                raise self.error("has a '^' that is not at its start")
            elif part == "cls":
                found.append(self.word_class(match["cls"]))
            elif part == "any":
                found.append(ANY)
            elif match["word"] is not None:
                found.append(Word(match["word"], match["pos"]))
        if inside:
            raise self.error("has a '(' that is never closed")
        return tuple(found), "end"

    def group(self) -> Group:
        options = []
        stop = "bar"
        self.depth += 1
        if self.depth > _DEEPEST:
            raise RuleError(
                f"the term '{self.text[:_DEEPEST]}…' has more than {_DEEPEST} brackets inside each other"
            )
        while stop == "bar":
            option, stop = self.sequence(inside=True)
            if not option:
                raise self.error("has an empty alternative")
            options.append(option)
        self.depth -= 1
        return Group(tuple(options))

    def word_class(self, name: str) -> Group:
        if name not in self.classes:
            known = ", ".join(sorted(self.classes)) or "none"
            raise self.error(f"uses <{name}>, which is not a class of its file (classes: {known})")
        return Group(tuple(parse_term(entry, {}).elements for entry in self.classes[name]))


def _shortest(elements: Sequence[Element]) -> int:
    lengths = []
    for element in elements:
        if isinstance(element, Word):
            lengths.append(1)
        else:
            lengths.append(0 if element.optional else min(_shortest(option) for option in element.options))
    return sum(lengths)


def _starts_open(elements: Sequence[Element]) -> bool:
    """Return whether the first word can be any word."""
    first = elements[0]
    if isinstance(first, Word):
        return first == ANY
    return any(_starts_open(option) for option in first.options) or (
        first.optional and _starts_open(elements[1:])
    )


_CONTEXT = re.compile(r"\[([^\[\]()?]+)\]")
_FRAME = re.compile(r"\s*\{([^{}]*)\}$")


def _frame(text: str) -> tuple[str, str]:
    """Return the term without its frame, and the name of the frame."""
    match = _FRAME.search(text)
    if match is None:
        return text, ""
    if match[1] not in FRAMES:
        known = ", ".join(FRAMES)
        raise RuleError(f"the term {text!r} uses {{{match[1]}}}, which is not a frame (frames: {known})")
    return text[: match.start()], match[1]


def _context(text: str) -> tuple[str, int, int]:
    """Return the term with its brackets as groups, and the number of them at the start and end."""
    groups = [(match.start(), match.end(), match[1]) for match in _CONTEXT.finditer(text)]
    lead = tail = 0
    for start, end, inside in groups:
        if any(
            not option.strip() or len(option.replace("-", " ").split()) > 1 for option in inside.split("|")
        ):
            raise RuleError(
                f"the term {text!r} must have exactly one word in each alternative of its context"
            )
        if not text[:start].strip("^ "):
            lead = 1
        elif not text[end:].strip():
            tail = 1
        else:
            raise RuleError(f"the term {text!r} has context that is neither at its start nor at its end")
    return _CONTEXT.sub(r"(\1)", text), lead, tail


def parse_term(text: str, classes: Mapping[str, Sequence[str]]) -> Term:
    """Parse a term; an error in it raises a ``RuleError``."""
    plain, frame = _frame(text.strip())
    body, lead, tail = _context(plain)
    at_start = body.startswith("^")
    parser = _Parser(body.removeprefix("^"), classes)
    elements, _ = parser.sequence(inside=False)
    parser.text = text
    if _shortest(elements) == 0:
        raise parser.error("matches nothing; it needs at least one word that is not optional")
    if len(elements) > _MOST_WORDS:
        raise parser.error(f"is longer than {_MOST_WORDS} words")
    if _starts_open(elements):
        raise parser.error("starts with '_'; the first word must be a specific one")
    return Term(_drop_noun_checks(elements) if len(elements) > 1 else elements, at_start, lead, tail, frame)


def _drop_noun_checks(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Do not check the part of speech of nouns among other words, which determine it better than a guess."""
    return tuple(
        Group(tuple(_drop_noun_checks(option) for option in element.options), element.optional)
        if isinstance(element, Group)
        else Word(element.text, element.pos, checked=element.pos != "n")
        for element in elements
    )


def build(terms: Iterable[Term]) -> Automaton:
    """Build an automaton; matches refer to terms by their index."""
    builder = _Builder()
    at_start = [entry for entry, term in enumerate(terms) if builder.add(entry, term)]
    return Automaton(builder.to_nodes(), at_start)


@dataclass(slots=True)
class _NodeDraft:
    """A node under construction."""

    edges: dict[str, list[Edge]] = field(default_factory=dict)
    anything: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)


class _Builder:
    """Builds the nodes; terms with the same start share them."""

    def __init__(self) -> None:
        self._nodes: list[_NodeDraft] = []
        self._shared: dict[tuple[int, Word], int] = {}
        self._edges = 0
        self._node()

    def add(self, entry: int, term: Term) -> bool:
        """Add a term; return whether it matches only at the start of a sentence."""
        for node in self._grow({0}, term.elements):
            self._nodes[node].ends.append(entry)
        return term.at_start

    def to_nodes(self) -> list[str]:
        """Return the nodes as strings; a node that only ends one term is replaced by that term's number."""
        ends = {
            number: ~node.ends[0]
            for number, node in enumerate(self._nodes)
            if number and not node.edges and not node.anything and len(node.ends) == 1
        }
        kept = [number for number in range(len(self._nodes)) if number not in ends]
        new = {number: place for place, number in enumerate(kept)} | ends
        return [str(_renumber(self._nodes[number], new)) for number in kept]

    def _node(self) -> int:
        self._nodes.append(_NodeDraft())
        return len(self._nodes) - 1

    def _grow(self, nodes: set[int], elements: Iterable[Element]) -> set[int]:
        """Add the elements after each node; return the nodes at their end."""
        for element in elements:
            if isinstance(element, Word):
                nodes = {self._child(node, element) for node in nodes}
            else:
                nodes = self._group(nodes, element)
        return nodes

    def _group(self, nodes: set[int], group: Group) -> set[int]:
        join = self._node()
        reached = {join}
        for option in group.options:
            *head, last = option
            before = self._grow(nodes, head)
            if isinstance(last, Word):
                for node in before:
                    self._connect(node, last, join)
            else:
                reached |= self._group(before, last)
        return reached | nodes if group.optional else reached

    def _child(self, node: int, word: Word) -> int:
        if (node, word) not in self._shared:
            self._shared[node, word] = self._node()
            self._connect(node, word, self._shared[node, word])
        return self._shared[node, word]

    def _connect(self, node: int, word: Word, target: int) -> None:
        self._edges += 1
        if self._edges > _MOST_EDGES:
            raise RuleError(
                f"the rules have more than {_MOST_EDGES:,} words and alternatives; use fewer terms"
            )
        draft = self._nodes[node]
        if word == ANY:
            draft.anything.append(target)
            return
        pos = word.pos if word.pos and word.checked else ""
        for form, slot in forms(word.text, word.pos or "").items():
            edge = Edge(target, pos, slot if pos else "", form if word.exact else "")
            draft.edges.setdefault(form.lower(), []).append(edge)


def _renumber(draft: _NodeDraft, new: dict[int, int]) -> Node:
    edges = {
        word: ",".join(str(edge._replace(target=new[edge.target])) for edge in dict.fromkeys(word_edges))
        for word, word_edges in draft.edges.items()
    }
    return Node(edges, tuple(new[target] for target in draft.anything), tuple(draft.ends))
