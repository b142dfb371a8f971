"""Which of the findings are reported, by what the settings and the writer of the text ask for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from unslant.core.taxonomy import PREFIX, SENTENCE
from unslant.core.types import Document, Finding, Note, Sentence, Severity, Span
from unslant.profiles import Profile, path_matches, profile_of
from unslant.records import shipped_records
from unslant.rules.compiled import other_senses, rules_by_id
from unslant.rules.rule import Rule
from unslant.spec import Spec, selects
from unslant.text.context import left_alone
from unslant.text.function_words import FUNCTION
from unslant.text.senses import Senses

_DEFINING = ("docs", "encyclopedia", "people")
"""The profiles of texts that define the terms they use; elsewhere, a definition may be a way to slant."""


class Selection:
    """The settings as they apply to one document."""

    def __init__(
        self,
        document: Document,
        spec: Spec,
        profile: Profile | None = None,
        whole: Document | None = None,
    ) -> None:
        """Take the settings; without a profile, the one that they give the document.

        ``whole`` is the document of which only a part is checked: the senses of words are looked up in all of it.
        """
        profile = profile or profile_of(document, spec)
        self._document = document
        self._spec = spec
        self._profile = profile
        self._threshold = profile.threshold if spec.threshold is None else spec.threshold
        self._senses = Senses(whole or document, other_senses())
        self._quotation_starts = [span.start for span in document.quotations]
        self._used = [False] * len(document.directives)
        self._cards = rules_by_id()
        included = {
            rule.id
            for rule in self._cards.values()
            if spec.include and (rule.id in spec.include or rule.set in spec.include)
        }
        # a rule that the settings name is wanted, whatever the profile and its record say
        self._named = frozenset((*spec.select, *(selector for selector, _ in spec.severity), *included))
        self._ignored = (
            *spec.ignore,
            *(selector for selector in profile.ignore if selector not in self._named),
            *(
                selector
                for glob, selectors in spec.per_file_ignores
                if path_matches(document.id, glob)
                for selector in selectors
            ),
        )

    def keep(
        self,
        findings: Iterable[Finding],
        sentence: Sentence | None = None,
        advised: Container[tuple[Span, str | None]] = (),
    ) -> list[Finding]:
        """Return the findings that are to be reported, with the severity that the settings give them.

        Those that are ``advised``, named by their span and rule, are reported however likely they are. Whoever ignores
        a rule's finding does not want to hear the same of the same words from a model. With their sentence, findings
        in words that are not the writer's wording are dropped as well.
        """
        kept: list[Finding] = []
        unlikely: list[Finding] = []
        ignored: list[Finding] = []
        for finding in findings:
            if self._is_excluded(finding) or (sentence and self._not_the_writers(finding, sentence)):
                continue
            if self._ignored_inline(finding) or _any_selects(self._ignored, finding):
                ignored.append(finding)
            elif not self._spec.select or _any_selects(self._spec.select, finding):
                likely = self._is_likely(finding) or (finding.span, finding.rule) in advised
                finding = self._with_severity(finding)
                if finding.severity.rank >= self._spec.min_severity.rank:
                    (kept if likely else unlikely).append(finding)
        silenced = [finding for finding in ignored if not _from_model(finding)]
        kept = [
            finding for finding in kept if not _from_model(finding) or not _same_as_any(silenced, finding)
        ]
        return kept + _with_wording(unlikely, kept)

    def advised(self, findings: Iterable[Finding]) -> set[tuple[Span, str | None]]:
        """Return the findings of rules, as yet without an estimate, that the profile reports however likely they are.

        What a style guide of record advises against is worth a suggestion in any text that the guide is meant for,
        also where few editors would change it. A threshold in the settings is stronger.
        """
        if self._spec.threshold is not None:
            return set()
        return {
            (finding.span, finding.rule)
            for finding in findings
            if (rule := self._cards.get(finding.rule or "")) is not None
            and self._always_speaks(rule, finding)
        }

    def _always_speaks(self, rule: Rule, finding: Finding) -> bool:
        level = self._profile.standards.get(rule.meant_for)
        return level == "all" or (level == "sure" and finding.probability is None)

    def counting_rules(self) -> list[Rule]:
        """Return the rules that count findings and are to be reported."""
        spec = self._spec
        return [
            rule
            for rule in self._cards.values()
            if rule.matcher == "cluster"
            and not any(selects(name, rule.id, rule.kind, rule.dimension) for name in self._ignored)
            and (not spec.select or any(selects(name, rule.id, rule.kind, None) for name in spec.select))
        ]

    def countable(self, findings: Iterable[Finding], sentence: Sentence) -> list[Finding]:
        """Return the findings that a rule may count: those of rules however likely each of them is by itself."""
        return [
            finding
            for finding in findings
            if (self._is_likely(finding) or not _from_model(finding))
            and not self._is_excluded(finding)
            and not self._not_the_writers(finding, sentence)
            and not _any_selects(self._ignored, finding)
            and not self._ignored_inline(finding)
        ]

    def notes(self) -> list[Note]:
        """Return a note for each inline ignore that has ignored nothing."""
        return [
            Note(
                f"this ignore of {', '.join(directive.selectors)} matches no finding; remove it",
                directive.span,
            )
            for directive, used in zip(self._document.directives, self._used, strict=True)
            if not used
        ]

    def _not_the_writers(self, finding: Finding, sentence: Sentence) -> bool:
        return not self._is_own(finding) and left_alone(finding, sentence, self._profile)

    def _is_own(self, finding: Finding) -> bool:
        """Return whether a finding comes from the user's own rules, which always count."""
        return finding.origin == "rules" and finding.rule not in shipped_records().rules

    def _is_advice(self, rule: Rule) -> bool:
        """Return whether a rule speaks here for another standard: what it says stays advice, however sure."""
        return rule.meant_for != self._profile.name and rule.meant_for in self._profile.standards

    def _is_likely(self, finding: Finding) -> bool:
        bound = self._threshold
        if _from_model(finding) and self._spec.threshold is None:
            bound = max(bound, self._profile.model)
        if finding.probability is None or finding.probability >= bound:
            return True
        return not _from_model(finding) and finding.rule in self._named and self._spec.threshold is None

    def _is_excluded(self, finding: Finding) -> bool:
        """Return whether a finding is not reported, however likely it is."""
        card = self._cards.get(finding.rule or "")
        if card is not None and card.set and card.id not in self._named:
            return True
        if self._profile.ordinary and self._is_ordinary(finding):
            return True
        if self._has_another_sense(finding, card):
            return True
        return self._hidden(finding) or (not self._spec.quotations and self._quoted(finding))

    def _has_another_sense(self, finding: Finding, rule: Rule | None) -> bool:
        """Return whether the words of a finding have another sense in this document than the one that slants."""
        if finding.rule == SENTENCE or self._is_own(finding):
            return False
        if self._senses.is_about_another_subject(finding):
            return True
        # some labels are written as names: a model may know one of which no rule says so
        common = not rule.names if rule is not None else self._profile.name == "docs"
        if common and self._senses.is_name(finding):
            return True
        # a label stays a label when it is defined
        defines = self._profile.name in _DEFINING and finding.kind != "demographic"
        return defines and self._senses.is_defined(finding)

    def _is_ordinary(self, finding: Finding) -> bool:
        """Return whether the profile finds all words of a finding ordinary."""
        if finding.rule in self._named or finding.severity is Severity.ERROR or self._is_own(finding):
            return False
        words = _plain(finding.text).split()
        return not self._profile.ordinary.isdisjoint(words) and all(
            word in self._profile.ordinary or word in FUNCTION for word in words
        )

    def _hidden(self, finding: Finding) -> bool:
        hidden = self._document.hidden
        at = bisect_right(hidden, finding.span.start, key=lambda span: span.end)
        return at < len(hidden) and hidden[at].overlaps(finding.span)

    def _quoted(self, finding: Finding) -> bool:
        at = bisect_right(self._quotation_starts, finding.span.start) - 1
        if at < 0:
            return False
        quotation = self._document.quotations[at]
        # a finding about the quotation marks themselves covers them
        return quotation.contains(finding.span) and quotation != finding.span

    def _ignored_inline(self, finding: Finding) -> bool:
        if not self._document.directives:
            return False
        from unslant.text.directives import directives_over

        ignored = False
        for number in directives_over(self._document, finding.span):
            if _any_selects(self._document.directives[number].selectors, finding):
                self._used[number] = ignored = True
        return ignored

    def _with_severity(self, finding: Finding) -> Finding:
        card = self._cards.get(finding.rule or "")
        if card is not None and card.severity is Severity.SUGGESTION and self._is_advice(card):
            finding = replace(finding, severity=Severity.SUGGESTION)
        for selector, severity in reversed(self._spec.severity):
            if selects(selector, finding.id, finding.kind, finding.dimension):
                return replace(finding, severity=severity)
        return finding


def _any_selects(selectors: Sequence[str], finding: Finding) -> bool:
    return any(selects(selector, finding.id, finding.kind, finding.dimension) for selector in selectors)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("\u2019", "'").split())


def merge(findings: Sequence[Finding]) -> list[Finding]:
    """Make one finding of those that share words; of the result, no two overlap.

    A rule speaks for a model: it knows why, and what could stand there instead. Of rules the longest speaks, then the
    most severe; of models the surest, then the longest. The others are named in ``origin``, and what only they know is
    kept: a probability, an edit, a higher severity of another rule.
    """
    if len(findings) < 2:
        return list(findings)
    merged: list[Finding] = []
    places: list[tuple[int, int, int]] = []  # start, end and number of each, in order; none overlaps another
    for finding in sorted(findings, key=_precedence):
        first = bisect_right(places, finding.span.start, key=lambda place: place[1])
        last = bisect_left(places, finding.span.end, key=lambda place: place[0])
        if first >= last:
            insort(places, (finding.span.start, finding.span.end, len(merged)))
            merged.append(finding)
        for _, _, number in places[first:last]:
            merged[number] = _combine(merged[number], finding)
    return [merged[number] for _, _, number in places]


def _precedence(finding: Finding) -> tuple[float, ...]:
    if _from_model(finding):
        return (2 if finding.rule == SENTENCE else 1, -(finding.probability or 0.0), -len(finding.span))
    return (0, -len(finding.span), -finding.severity.rank, -(finding.probability or 0.0), finding.span.start)


def _with_wording(unlikely: Sequence[Finding], kept: Sequence[Finding]) -> list[Finding]:
    """Return the unlikely findings of rules that know a wording for words that a model reports without one."""
    bare = [found for found in kept if _from_model(found) and not found.edits and found.rule != SENTENCE]
    found_too = (
        (rule, next((found for found in bare if _mostly_covers(rule.span, found.span)), None))
        for rule in unlikely
        if bare and rule.edits and not _from_model(rule)
    )
    return [
        replace(rule, probability=found.probability, severity=found.severity)
        for rule, found in found_too
        if found is not None
    ]


def _mostly_covers(span: Span, other: Span) -> bool:
    return 2 * (min(span.end, other.end) - max(span.start, other.start)) > len(other)


def _from_model(finding: Finding) -> bool:
    return finding.rule is None or finding.rule.startswith(PREFIX)


def _same_as_any(rules: Sequence[Finding], other: Finding) -> bool:
    return any(_same_matter(rule, other) for rule in rules)


def _same_matter(rule: Finding, other: Finding) -> bool:
    if rule.span == other.span:
        return True
    # a finding that names its technique was judged on these very words, whatever kind the rule sees in them
    return rule.span.overlaps(other.span) and (rule.kind == other.kind or other.rule is not None)


def _combine(finding: Finding, other: Finding) -> Finding:
    origins = dict.fromkeys((*finding.origin.split("+"), *other.origin.split("+")))
    severity, probability = finding.severity, finding.probability
    if not _from_model(other):
        # the severity of a rule can be set by its name: only another rule may raise it
        severity = max(finding.severity, other.severity, key=lambda severity: severity.rank)
        probability = max(filter(None, (finding.probability, other.probability)), default=None)
    return replace(
        finding,
        origin="+".join(origins),
        severity=severity,
        probability=other.probability if probability is None else probability,
        dimension=finding.dimension or other.dimension,
        edits=finding.edits or other.edits,
    )
