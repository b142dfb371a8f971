"""What the model of edits reads: the only place where an edit becomes numbers. Training imports it.

The inputs are what the detector says of the words and the sentence, who proposes the edit and how sure it is, which
words go and come, and what stands around them. Groups that are mirror images of each other are read as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from unslant.acceptance import logit
from unslant.core.taxonomy import technique_of_rule
from unslant.edits.invariants import changed_fact, mirrored
from unslant.edits.types import Proposal, Source
from unslant.edits.wordings import listed
from unslant.text.function_words import FUNCTION, INDEFINITE
from unslant.text.tagger import WordTag, tag, word_tag
from unslant.text.words import split_words

_UNKNOWN = 0.7
"""The probability of findings that nobody has estimated."""
_MOST = 6
_SHORT, _LONG = 8, 60
"""Sentences that are shorter or longer count as of this many words: few of them were read."""
_LEXICAL = 2.0
"""The value of features for single words: larger values let fewer verdicts decide."""
_SOFT = 3.0
"""What log-odds are divided by, so that they are about as large as other features."""
_ENDINGS = ("ing", "ed", "est", "tion", "ous", "ful", "ive", "al", "er", "s", "ly")


def features(proposal: Proposal) -> dict[str, float]:
    """Return the inputs that are not zero, by name."""
    changed = _Changed(proposal)
    found: dict[str, float] = {"bias": 1.0}
    for name, value in (
        *_proposer(proposal, changed),
        *_detector(proposal, changed),
        *_sentence(proposal),
        *_place(changed),
    ):
        found[name] = found.get(name, 0.0) + value
    for name in _words(proposal, changed):
        found[name] = _LEXICAL
    return {name: value for name, value in found.items() if value}


class _Changed:
    """The words that an edit takes out and puts in, without those that it only moves."""

    def __init__(self, proposal: Proposal) -> None:
        self.words = split_words(proposal.target.text)
        edit = proposal.tidied
        start, end = self.words.after(edit.start), self.words.after(edit.end)
        new = list(split_words(edit.replacement).plain)
        while start < end and new and self.words.plain[end - 1] == new[-1]:
            end, new = end - 1, new[:-1]
        while (
            start < end
            and new
            and (
                self.words.plain[start] == new[0]
                or (self.words.plain[start] in INDEFINITE and new[0] in INDEFINITE)
            )
        ):
            start, new = start + 1, new[1:]
        self.start, self.end, self.put = start, end, [_alike(word) for word in new]
        self.gone = [_alike(self.words.plain[at]) for at in range(start, end)]
        self.kind = "replace" if self.put else "delete"

    def around(self, at: int) -> str:
        """Return a word beside the edit: itself if it is a function word or a mark, or what it is."""
        if not 0 <= at < len(self.words):
            return str(WordTag.EDGE)
        word = self.words.plain[at]
        return word if word in FUNCTION or not self.words.is_word(at) else str(tag(self.words, at))


def _alike(word: str) -> str:
    return mirrored().get(word, word)


def _shape(word: str) -> str:
    known = listed()
    if word in known.adjectives:
        return "adjective*"
    if word in known.adverbs:
        return "adverb*"
    return str(word_tag(word))


def _proposer(proposal: Proposal, changed: _Changed) -> Iterator[tuple[str, float]]:
    """Yield who stands behind the edit: its source and the finding."""
    source, kind, finding = proposal.source, changed.kind, proposal.finding
    yield f"from {source}", 1.0
    yield f"from {source} {kind}", 1.0
    if source is Source.NETWORK:
        yield "trust", logit(proposal.trust) / _SOFT
        yield f"trust {kind}", logit(proposal.trust) / _SOFT
    elif source in (Source.RULE, Source.LIST):
        yield "further wording", 1 - proposal.trust
    if proposal.log_probability is not None:
        yield "rewriter", max(-8.0, proposal.log_probability) / _SOFT
        yield f"rewriter {kind}", max(-8.0, proposal.log_probability) / _SOFT
    certain = logit(finding.probability if finding.probability is not None else _UNKNOWN) / _SOFT
    yield "finding", certain
    yield f"finding by {finding.origin}", 1.0
    yield f"finding by {finding.origin}, certain", certain
    yield f"kind {finding.kind}", 1.0
    technique = technique_of_rule(finding.rule)
    if technique is not None:
        yield f"technique {technique.name} {kind}", 1.0
    yield "finding words", min(8, len(finding.text.split())) / 4
    yield "part of the finding", float(len(proposal.edit.replacement) == 0 and _is_part(proposal))


def _is_part(proposal: Proposal) -> bool:
    return proposal.edit.end - proposal.edit.start < len(proposal.finding.text.strip()) - 1


def _detector(proposal: Proposal, changed: _Changed) -> Iterator[tuple[str, float]]:
    """Yield what the network says of the words that go, of those beside them, and of the sentence."""
    target = proposal.target
    if not target.words:
        yield "no network", 1.0
        yield f"no network, from {proposal.source}", 1.0
        return
    begin = target.start
    spans = changed.words.spans
    first = begin + (spans[changed.start][0] if changed.start < len(spans) else len(target.text))
    last = begin + (spans[changed.end - 1][1] if changed.end > changed.start else 0)
    inside = [word.probability for word in target.words if word.span.start < last and first < word.span.end]
    outside = [
        word.probability for word in target.words if not (word.span.start < last and first < word.span.end)
    ]
    kind = changed.kind
    scores = [logit(score) / _SOFT for score in inside] or [0.0]
    yield "words, mean", sum(scores) / len(scores)
    yield "words, lowest", min(scores)
    yield "words, highest", max(scores)
    yield f"words, mean, {kind}", sum(scores) / len(scores)
    yield f"words from {proposal.source}", sum(scores) / len(scores)
    yield "others", logit(max(outside, default=0.0)) / _SOFT
    near = [
        word.probability
        for word in target.words
        if word.span.end in (first - 1, first) or word.span.start in (last, last + 1)
    ]
    yield "neighbours", logit(max(near, default=0.0)) / _SOFT
    if target.probability is not None:
        yield "sentence", logit(target.probability) / _SOFT


def _sentence(proposal: Proposal) -> Iterator[tuple[str, float]]:
    text = proposal.target.text
    count = max(_SHORT, min(_LONG, len(text.split())))
    yield "length", math.log(count) - 3
    yield "exclaims", float("!" in text or "?" in text)
    fact = changed_fact(text, proposal.after)
    if fact is not None:
        yield f"fact {fact}", 1.0


def _place(changed: _Changed) -> Iterator[tuple[str, float]]:
    """Yield what the words are, and what stands around them."""
    kind, gone, put = changed.kind, changed.gone, changed.put
    before, after = changed.around(changed.start - 1), changed.around(changed.end)
    wider, beyond = changed.around(changed.start - 2), changed.around(changed.end + 1)
    first, last = (_shape(gone[0]), _shape(gone[-1])) if gone else ("none", "none")
    opens, closes = (_shape(put[0]), _shape(put[-1])) if put else ("none", "none")
    yield "words out", min(_MOST, len(gone)) / 3
    yield "words in", min(_MOST, len(put)) / 3
    yield f"{kind} {min(_MOST, len(gone))} {min(_MOST, len(put))}", 1.0
    yield f"{kind} {first} {last}", 1.0
    yield f"{kind} after {before}", 1.0
    yield f"{kind} before {after}", 1.0
    yield f"{kind} between {before} {after}", 1.0
    yield f"{kind} {last} before {after}", 1.0
    yield f"{kind} {first} after {before}", 1.0
    yield f"{kind} after {wider} {before}", 1.0
    yield f"{kind} before {after} {beyond}", 1.0
    if put:
        yield f"{last} > {closes}", 1.0
        yield f"{closes} before {after}", 1.0
        yield f"{before} before {opens}", 1.0
        yield f"ending {_ending(gone[-1] if gone else '')} > {_ending(put[-1])}", 1.0
    yield f"{kind} at the start", float(changed.start == 0)


def _ending(word: str) -> str:
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "-")


def _words(proposal: Proposal, changed: _Changed) -> Iterator[str]:
    """Yield the words themselves and the rule; where the words are about people, only the rule.

    Of two groups, more edits may have been read about one.
    """
    finding = proposal.finding
    if finding.rule is not None:
        yield f"rule {finding.rule}"
        yield f"rule {finding.rule} {proposal.source} {changed.kind}"
    if finding.kind == "demographic":
        return
    gone, put = " ".join(changed.gone), " ".join(changed.put)
    yield f"out {gone}"
    if put:
        yield f"{gone} > {put}"
        if any(listed().swaps.get(word) in changed.put for word in changed.gone):
            yield "as listed"
    for word in changed.gone:
        yield f"out {word}"
    for word in changed.put:
        yield f"in {word}"
    if changed.end < len(changed.words):
        yield f"next {_alike(changed.words.plain[changed.end])}"
