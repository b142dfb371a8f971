"""The analyzer that applies the rules, and the one rule that is not a list of terms: scare quotes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from unslant.core.errors import RuleError
from unslant.core.taxonomy import model_findings
from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Sentence, Severity, Span
from unslant.rules.automaton import TermMatch, Tokens
from unslant.rules.compiled import Entry, RuleBook, catalogue, catalogue_book, make_book
from unslant.rules.edits import edits_for
from unslant.rules.frames import fits
from unslant.rules.names import ALWAYS_CAPITALISED, is_headline, looks_like_name, opens_sentence
from unslant.rules.rule import Rule
from unslant.spec import Spec
from unslant.text.words import LETTERS

if TYPE_CHECKING:
    from unslant.rules.rule import WrittenRule

_LENGTH = 40
_WORDS = 2
_NEAR = 160
"""How far before and after its sentence somebody who is quoted may be named."""
_MARKS = frozenset("\"'\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb")
_PARAGRAPH = re.compile(r"\n\s*\n")

_SPEECH = frozenset(
    """
    say says said saying tell tells told ask asks asked reply replies replied answer answers answered write writes
    wrote written writing add adds added state states stated announce announces announced declare declares declared
    argue argues argued arguing claim claims claimed claiming insist insists insisted insisting warn warns warned
    warning note notes noted noting comment commented remark remarked observe observed explain explains explained
    shout shouted cry cried whisper whispered quote quotes quoted quoting read reads according describe describes
    described describing label labels labeled labelled labeling dub dubs dubbed dubbing call calls called calling deem
    deemed brand branded branding characterize characterized characterise characterised denounce denounced praise
    praised criticize criticized criticise criticised accuse accused accusing tweet tweeted posted promise promised
    urge urged vow vowed express expressed refer referred refers speech interview statement letter memo ruling ruled
    court judge opinion article testified testimony cite cites cited citing suggest suggests suggested conclude
    concluded concludes consider considers considered regard regarded
    """.split()
)
"""Words of a sentence in which somebody is quoted."""
_SAID = frozenset("say says said told tells wrote writes tweeted according asked replied added".split())
"""Words that make the sentences beside them speech, too."""
_MENTION = frozenset(
    """
    word words term terms phrase phrases name names named title titled entitled known expression adjective noun verb
    adverb prefix suffix meaning means mean meant translate translated translates spell spelled spelt letter slogan
    motto nickname nicknamed abbreviation abbreviated short password key button option command file label define
    defined defines definition text field value string type page tab menu script variable
    """.split()
)
"""Words of a sentence in which a word is merely mentioned."""


def scare_quotes(sentence: Sentence, quotations: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the quotations of a sentence that seem to keep a distance from a word instead of quoting somebody.

    That is one quotation of one or two words that begin in lower case (so no title), without a comma or full stop
    inside the closing mark (so no speech), where neither the sentence nor the ones beside it speak of saying, calling,
    naming or defining.
    """
    if len(quotations) != 1 or not _looks_distant(sentence.document.prose, quotations[0]):
        return ()
    (span,) = quotations
    prose, around = sentence.document.prose, sentence.span
    words = _words(prose[around.start : span.start] + prose[span.end : around.end])
    if not words.isdisjoint(_SPEECH) or not words.isdisjoint(_MENTION):
        return ()
    above = sentence.document.before[-_NEAR:] + prose[max(0, around.start - _NEAR) : around.start]
    below = prose[around.end : around.end + _NEAR] + sentence.document.after[:_NEAR]
    before = _PARAGRAPH.split(above[-_NEAR:])[-1]
    after = _PARAGRAPH.split(below[:_NEAR])[0]
    return (span,) if _words(before + " " + after).isdisjoint(_SAID) else ()


def _words(text: str) -> set[str]:
    return {word.lower() for word in LETTERS.findall(text)}


def _looks_distant(prose: str, span: Span) -> bool:
    if len(span) > _LENGTH or prose[span.start] not in _MARKS or prose[span.end - 1] not in _MARKS:
        return False
    inside = prose[span.start + 1 : span.end - 1].strip()
    words = inside.split()
    if not 1 <= len(words) <= _WORDS or not inside[0].islower() or not inside[-1].isalpha():
        return False
    return all(LETTERS.fullmatch(part) for word in words for part in re.split("[-'\u2019]", word))


def rules_for(spec: Spec) -> tuple[WrittenRule, ...]:
    """Return the rules of a spec: the catalogue, the packs, the user's own rules, and the project's vocabulary."""
    return (*catalogue(), *_own_rules(spec))


def rule_cards(spec: Spec) -> dict[str, Rule]:
    """Return these rules by id, without their terms, which is much faster."""
    return {rule.id: rule for rule in (*catalogue_book().rules, *_own_rules(spec))}


def selectable_ids(rule_files: tuple[tuple[str, str], ...]) -> list[str]:
    """Return every id that a selector may name: rules, vocabulary, and what models report."""
    cards = rule_cards(Spec(rule_files=rule_files))
    return [*cards, "vocabulary/flag", "vocabulary/suggest", *model_findings()]


def finding_cards(spec: Spec) -> dict[str, Rule]:
    """Return what reports show about each id: the rules of a spec, and what models report."""
    reported = {
        name: Rule(name, entry.title, entry.kind, entry.why, entry.source, severity=Severity.SUGGESTION)
        for name, entry in model_findings().items()
    }
    return rule_cards(spec) | reported


def _own_rules(spec: Spec) -> list[WrittenRule]:
    rules: list[WrittenRule] = []
    if spec.own_rule_files:
        from unslant.rules.pack import parse_pack
        from unslant.rules.rule import parse_rules

        known = {rule.id for rule in catalogue_book().rules}
        packs = [(name, parse_pack(text, name).rules) for name, text in spec.extends]
        files = [(name, parse_rules(text, name)) for name, text in spec.rule_files]
        for name, written in (*packs, *files):
            for rule in written:
                if rule.id in known:
                    raise RuleError(f"{name}: a rule {rule.id!r} already exists; use another id")
                known.add(rule.id)
                rules.append(rule)
    rules.extend(_vocabulary(spec))
    return rules


def _vocabulary(spec: Spec) -> Iterable[WrittenRule]:
    if not spec.flag and not spec.suggest:
        return
    from unslant.rules.rule import WrittenRule

    source = "the vocabulary of this project's configuration"
    if spec.flag:
        yield WrittenRule(
            id="vocabulary/flag",
            title="House vocabulary",
            kind="framing",
            why="This project's vocabulary avoids this wording.",
            source=source,
            terms=spec.flag,
            names=True,
        )
    if spec.suggest:
        yield WrittenRule(
            id="vocabulary/suggest",
            title="House vocabulary",
            kind="framing",
            why="This project's vocabulary prefers another wording.",
            source=source,
            swap={term: (wording,) for term, wording in spec.suggest},
            applicability=Applicability.SAFE,  # the user said so
            names=True,
        )


WEAK = 0.3
"""The probability of a finding from a weak term: below the usual threshold, unless a model that knows the context
raises it."""
_NOTHING = Analysis()


class RuleAnalyzer:
    """Finds the terms of the rules."""

    def __init__(self, spec: Spec) -> None:
        own = _own_rules(spec)
        self._books = [catalogue_book(), *([make_book(own)] if own else [])]
        self._scare_rules = [
            rule for book in self._books for rule in book.rules if rule.matcher == "scare-quotes"
        ]

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        quotations = _Quotations()
        return [self._analysis(sentence, quotations) for sentence in sentences]

    def _analysis(self, sentence: Sentence, quotations: _Quotations) -> Analysis:
        tokens = Tokens(sentence.text)
        findings: list[Finding] = []
        for book in self._books:
            matches = book.automaton.find(tokens)
            if matches:
                findings += _select_findings(book, sentence, tokens, matches)
        if self._scare_rules and (inside := quotations.inside(sentence)):
            spans = scare_quotes(sentence, inside)
            findings += [
                _finding(rule, sentence.document, span) for rule in self._scare_rules for span in spans
            ]
        if not findings:
            return _NOTHING
        return Analysis(
            findings=tuple(sorted(findings, key=lambda finding: (finding.span, finding.rule or "")))
        )


def find_terms(book: RuleBook, sentence: Sentence) -> list[Finding]:
    """Return what the terms of a book of rules find in a sentence, in no particular order."""
    tokens = Tokens(sentence.text)
    return list(_select_findings(book, sentence, tokens, book.automaton.find(tokens)))


def _select_findings(
    book: RuleBook, sentence: Sentence, tokens: Tokens, matches: Iterable[TermMatch]
) -> Iterator[Finding]:
    """Yield findings for the longest of overlapping matches, without exceptions and names."""
    exceptions: dict[int, list[TermMatch]] = {}
    hits: dict[int, list[TermMatch]] = {}
    for match in matches:
        entry = book.entry(match.entry)
        inner = _without_context(match, entry)
        if not entry.frame or fits(entry.frame, tokens, inner.first, inner.last):
            (exceptions if entry.exception else hits).setdefault(entry.rule, []).append(inner)
    if not hits:
        return
    names_count = not is_headline(tokens)
    kept: list[tuple[Rule, Entry, TermMatch]] = []
    for number, candidates in hits.items():
        rule = book.rules[number]
        for match in _longest_matches(book, candidates):
            if any(_overlaps(match, exception) for exception in exceptions.get(number, ())):
                continue
            if names_count and not rule.names and _is_name(tokens, match):
                continue
            kept.append((rule, book.entry(match.entry), match))
    kept = [hit for hit in kept if hit[0].matcher != "anaphora" or _refers_back(hit, kept, tokens)]
    labels = [(rule.id, match) for rule, entry, match in kept if entry.paired]
    for rule, entry, match in kept:
        if not any(_speaks_for(label, rule.id, entry.paired, match) for label in labels):
            yield _make_finding(rule, entry, sentence, tokens, match)


def _refers_back(
    hit: tuple[Rule, Entry, TermMatch], kept: Sequence[tuple[Rule, Entry, TermMatch]], tokens: Tokens
) -> bool:
    """Return whether a pronoun stands for somebody whom an earlier term of its rule leaves open.

    The pronouns are the terms with a wording. A name before the pronoun may be what it stands for instead, and a
    pronoun before the open term means that somebody in particular is spoken of: *he claimed to be a doctor*.
    """
    rule, entry, pronoun = hit
    if not entry.swap:
        return False
    earlier = [
        match
        for other, antecedent, match in kept
        if other is rule and not antecedent.swap and match.last < pronoun.first
    ]
    known = any(
        other is rule and antecedent.swap and match.first < earlier[0].first
        for other, antecedent, match in kept
        if earlier
    )
    return (
        bool(earlier)
        and not known
        and not any(
            tokens.written(at)[0].isupper() and not opens_sentence(tokens, at) for at in range(pronoun.first)
        )
    )


def _speaks_for(label: tuple[str, TermMatch], rule: str, paired: bool, match: TermMatch) -> bool:
    """Return whether a political label covers a match of another rule.

    A second finding on some words of a label would make it look worse than its counterpart from the other side.
    """
    other, whole = label
    if other == rule or not (whole.first <= match.first and match.last <= whole.last):
        return False
    same = (whole.first, whole.last) == (match.first, match.last)
    return not paired or not same or other < rule


def _make_finding(rule: Rule, entry: Entry, sentence: Sentence, tokens: Tokens, match: TermMatch) -> Finding:
    start = sentence.span.start
    span = Span(start + tokens.spans[match.first][0], start + tokens.spans[match.last][1])
    edits = edits_for(rule.applicability, entry, sentence, tokens, (match.first, match.last))
    return _finding(rule, sentence.document, span, edits, weak=entry.weak)


def _finding(
    rule: Rule, document: Document, span: Span, edits: tuple[Edit, ...] = (), *, weak: bool = False
) -> Finding:
    return Finding(
        span=span,
        text=document.source[span.start : span.end],
        kind=rule.kind,
        why=rule.why,
        origin="rules",
        rule=rule.id,
        dimension=rule.dimension,
        severity=rule.severity,
        probability=WEAK if weak or rule.gated else None,
        edits=edits,
    )


def _without_context(match: TermMatch, entry: Entry) -> TermMatch:
    """Remove the words that are only context."""
    if not entry.lead and not entry.tail:
        return match
    return TermMatch(
        match.entry, match.first + entry.lead, match.last - entry.tail, match.exact >> entry.lead
    )


def _longest_matches(book: RuleBook, matches: list[TermMatch]) -> list[TermMatch]:
    """Return the longest of overlapping matches, from the left; of equals, the surer and the more specific one."""

    def order(match: TermMatch) -> tuple[int, int, bool, bool, int]:
        entry = book.entry(match.entry)
        return match.first, -match.last, entry.weak, not entry.frame, -match.exact.bit_count()

    kept: list[TermMatch] = []
    for match in sorted(matches, key=order):
        if not kept or match.first > kept[-1].last:
            kept.append(match)
    return kept


def _overlaps(match: TermMatch, other: TermMatch) -> bool:
    return match.first <= other.last and other.first <= match.last


def _is_name(tokens: Tokens, match: TermMatch) -> bool:
    several = match.last > match.first
    return any(
        looks_like_name(tokens, at, match.last)
        for at in range(match.first, match.last + 1)
        if not match.exact >> (at - match.first) & 1
        and not (several and tokens.words[at] in ALWAYS_CAPITALISED)
    )


class _Quotations:
    """The quotations of sentences, which come in order, so that each quotation is looked at once."""

    def __init__(self) -> None:
        self._document: Document | None = None
        self._next = 0

    def inside(self, sentence: Sentence) -> tuple[Span, ...]:
        """Return the quotations that are entirely inside a sentence."""
        quotations = sentence.document.quotations
        if sentence.document is not self._document:
            self._document = sentence.document
            self._next = bisect_left(quotations, sentence.span.start, key=lambda span: span.start)
        first = self._next
        while first < len(quotations) and quotations[first].start < sentence.span.start:
            first += 1
        last = first
        while last < len(quotations) and quotations[last].start < sentence.span.end:
            last += 1
        self._next = last
        return tuple(span for span in quotations[first:last] if span.end <= sentence.span.end)
