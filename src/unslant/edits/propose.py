"""Who proposes edits of a finding: its rule, the list of wordings, the network, leaving it out, and a rewriter.

Every source answers one protocol: given the target and the finding, it yields edits with how sure it is of each.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from unslant.core.types import Edit, Finding, Span
from unslant.edits.types import EditTarget, Proposal, Source
from unslant.edits.wordings import wordings_for
from unslant.protocols import Wording, WordsInSentence
from unslant.rules.compiled import paired_rules
from unslant.text.edits import trim_edit
from unslant.text.function_words import FUNCTION
from unslant.text.tagger import WordTag, word_tag
from unslant.text.tidy import tidy_edit
from unslant.text.words import COMPOUND

_DEGREE = re.compile(r"(?<!\S)(\w+)[ \t\r\n]+\Z")
"""The word right before the words of a finding."""
_LONGEST_DELETION = 3
"""The most words that a finding may have for its deletion to be proposed."""
_MOST = 10
"""How many proposals to consider for one finding."""
_LEAST = 0.2
"""Edits of which the network is less sure are not worth anyone's attention."""
_ADVERB_AND_VERB = 2
_STEP = 0.05
"""How much less each further wording of a rule or of the list is trusted than the one before."""
_VIEWS = Path(__file__).with_name("attribution.toml")


class _Offer(NamedTuple):
    """An edit by offsets from the start of the sentence, and how sure its source is."""

    edit: Edit
    trust: float
    log_probability: float | None = None
    author: str = ""


def proposals(target: EditTarget, finding: Finding, wordings: Sequence[Wording] = ()) -> list[Proposal]:
    """Return all that could be written for a finding; of edits that read the same, the first source counts.

    What a language model writes that the user asked by name counts by itself, whoever else proposes the same.

    For labels that rules list in pairs, the rule and a rewriter are asked and nobody else: what is left out of "loony
    lefty" and not of "swivel-eyed loon" would favour a side.
    """
    found: dict[tuple[int, int, str, str], Proposal] = {}
    for source, offers in _SOURCES.items():
        if source is not Source.RULE and finding.rule in paired_rules():
            continue
        for offer in offers(target, finding):
            _add(found, target, finding, source, offer)
    begin, end = finding.span.start - target.start, finding.span.end - target.start
    for wording in wordings:
        edit = trim_edit(target.text, Edit(begin, end, wording.text))
        trust = math.exp(min(0.0, wording.log_probability))
        offer = _Offer(edit, trust, wording.log_probability, wording.author)
        _add(found, target, finding, Source.REWRITER, offer, room=2 * _MOST)
    return list(found.values())


def _add(
    found: dict[tuple[int, int, str, str], Proposal],
    target: EditTarget,
    finding: Finding,
    source: Source,
    offer: _Offer,
    room: int = _MOST,
) -> None:
    edit = offer.edit
    if len(found) >= room or not 0 <= edit.start <= edit.end <= len(target.text):
        return
    if target.text[edit.start : edit.end] == edit.replacement:
        return
    tidied = tidy_edit(target.masked, edit)
    key = (*tidied.change, offer.author)
    if tidied.start < tidied.end and key not in found:
        found[key] = Proposal(
            target, finding, edit, tidied, source, offer.trust, offer.log_probability, offer.author
        )


def passage(target: EditTarget, finding: Finding, profile: str = "") -> WordsInSentence:
    """Return what a rewriter is asked about a finding."""
    span = Span(finding.span.start - target.start, finding.span.end - target.start)
    return WordsInSentence(target.text, span, finding.rule, target.before, finding.why, profile)


def _by_rule(target: EditTarget, finding: Finding) -> Iterator[_Offer]:
    for place, edit in enumerate(finding.edits):
        if target.start <= edit.start and edit.end - target.start <= len(target.text):
            yield _Offer(trim_edit(target.text, edit.shift(-target.start)), 1 - _STEP * min(place, 10))


def _by_network(target: EditTarget, finding: Finding) -> Iterator[_Offer]:
    for edit in network_edits(target):
        if edit.start < finding.span.end and finding.span.start < max(edit.end, edit.start + 1):
            yield _Offer(trim_edit(target.text, edit.shift(-target.start)), min(1.0, edit.probability or 0.0))


def network_edits(target: EditTarget) -> list[Edit]:
    """Return the network's edits of whole words that are worth a look, the likeliest first."""
    source, span = target.sentence.document.source, target.sentence.span
    found = []
    for edit in target.proposals:
        inside = span.start <= edit.start <= edit.end <= span.end
        edges = source[max(0, edit.start - 1) : edit.start + 1] + source[max(0, edit.end - 1) : edit.end + 1]
        wordless = edit.replacement != "" and not edit.replacement.lstrip()[:1].isalnum()
        # no part of "so-called", no lone comma
        if inside and "-" not in edges and not wordless and (edit.probability or 0.0) >= _LEAST:
            found.append(edit)
    return sorted(found, key=lambda edit: -(edit.probability or 0.0))


def _from_list(target: EditTarget, finding: Finding) -> Iterator[_Offer]:
    if "model" in finding.origin:
        places: Counter[Span] = Counter()
        for edit in wordings_for(target.sentence, finding.span):
            yield _Offer(trim_edit(target.text, edit.shift(-target.start)), 1 - _STEP * places[edit.span])
            places[edit.span] += 1


def _left_out(target: EditTarget, finding: Finding) -> Iterator[_Offer]:
    if "rules" not in finding.origin:
        return
    start, end = finding.span.start - target.start, finding.span.end - target.start
    words = target.text[start:end].split()
    if not 1 <= len(words) <= _LONGEST_DELETION or not words[0][0].isalnum():
        return
    yield _Offer(Edit(start, end, ""), 1.0)
    if len(words) > 1 and words[0].isalpha() and words[0].lower() not in FUNCTION:
        # "a stunning victory" is still a victory
        yield _Offer(Edit(start, start + len(words[0]), ""), 1.0)
    degree = _DEGREE.search(target.text[max(0, start - 40) : start])
    if degree and word_tag(degree[1].lower()) in (WordTag.ADVERB, WordTag.DEGREE):
        # "a truly iconic day": a word that only intensifies the others goes with them
        yield _Offer(Edit(start - len(degree[0]), end, ""), 1.0)


@lru_cache(1)
def _attribution() -> Mapping[str, Any]:
    return tomllib.loads(_VIEWS.read_text("utf-8"))


def _attributed(target: EditTarget, finding: Finding) -> Iterator[_Offer]:
    """Yield the words of a view that nobody is said to hold, with a gap: *[who?] argue*, *seen by [whom?]*."""
    start, data = finding.span.start - target.start, _attribution()
    if finding.rule not in data["findings"] or "\0" in target.masked[start : start + len(finding.text)]:
        return
    words = [(match.start(), match.end()) for match in COMPOUND.finditer(finding.text)]
    plain = [finding.text[begin:end].lower() for begin, end in words]
    holders = sum(1 for _ in takewhile(frozenset(data["holders"].split()).__contains__, plain))
    if 0 < holders < len(plain):
        yield _Offer(Edit(start, start + words[holders - 1][1], data["who"]), 1.0)
    elif len(plain) == _ADVERB_AND_VERB and plain[0] in data["adverbs"].split():
        seen = finding.text[slice(*words[1])]
        yield _Offer(Edit(start, start + len(finding.text), f"{seen} {data['by_whom']}"), 1.0)


_SOURCES: Mapping[Source, Callable[[EditTarget, Finding], Iterator[_Offer]]] = {
    Source.RULE: _by_rule,
    Source.NETWORK: _by_network,
    Source.LIST: _from_list,
    Source.DELETION: _left_out,
    Source.ATTRIBUTION: _attributed,
}
"""Who is asked, in this order; a rewriter is asked for many findings at once, so its answers come from outside."""
