"""Deciding about edits, each once: invariants, then the model of edits, then the policy.

``policy.toml`` has a line for each source and class of edits: from which probability on they are offered, from which
they are safe, and the record of edits that were read. ``unslant train edits`` writes it; nobody sets a threshold by
hand.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from unslant.core.errors import ModelError
from unslant.core.types import Applicability, Edit, Finding, Note, Report, Span
from unslant.edits.classes import ALONE, ANY, AUTHORED, OWN, WRITTEN, edit_class
from unslant.edits.features import features
from unslant.edits.invariants import refusal, untouchable
from unslant.edits.model import shipped_model
from unslant.edits.propose import passage, proposals
from unslant.edits.types import Decision, EditTarget, Proposal, Reason, Source
from unslant.protocols import Rewriter, Unanswered, Wording
from unslant.registry import resolve
from unslant.spec import NO_REWRITER, Spec
from unslant.text.edits import count_changed_words
from unslant.text.formats import CHECK_ONLY
from unslant.text.tidy import tidy_edit
from unslant.text.words import split_words

POLICY = "policy.toml"
SENTENCE_PLACES = 24
"""A sentence with more findings is reported, and gets no wordings: it is a list."""
EFFORT = 16_000
"""So is one whose length times its findings is more than this."""
DOCUMENT_PLACES = 20_000
"""Findings of a document that get wordings, from the beginning."""
_SHOWN = 3
"""How many wordings of a finding are offered."""
_ROUNDING = 1e-9
_WHOLE = (Reason.NONE, Reason.REVIEW, Reason.BUDGET, Reason.UNLIKELY)
"""What is decided about edits that no invariant refuses."""


def fits(length: int, places: int) -> bool:
    """Return whether a sentence of this length gets wordings for so many findings."""
    return places <= SENTENCE_PLACES and length * places <= EFFORT


def allowance(text: str, budget: float) -> int:
    """Return how many words of a sentence may change without review: a share, rounded up, and at least one."""
    return max(1, math.ceil(split_words(text).count() * budget - _ROUNDING))


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """A line of the policy."""

    offered: float
    """Less likely edits are not offered."""
    safe: float
    """Edits that are at least so likely good are made without review; above 1: none is."""
    narrow: bool = False
    """Whether the line only says which edits are safe; the next line says which are offered."""
    read: int = 0
    """How many edits of the class were read that would be offered."""
    good: int = 0
    ungrammatical: int = 0


@dataclass(frozen=True, slots=True)
class EditPolicy:
    """From which probability on edits are offered and safe, by class."""

    lines: Mapping[str, PolicyLine]

    def line(self, names: Sequence[str], probability: float) -> PolicyLine:
        """Return the first line that the policy has, without narrow ones that the probability does not reach."""
        lines = [self.lines[name] for name in names if name in self.lines]
        return next(line for line in lines if not line.narrow or probability >= line.safe)


@lru_cache(4)
def load_policy(folder: Path) -> EditPolicy:
    """Read the policy of a folder; a ``ModelError`` names a file that cannot be used."""
    path = folder / POLICY
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        lines = {str(name): PolicyLine(**entry) for name, entry in data["class"].items()}
        if not {*AUTHORED, ALONE, ANY} <= lines.keys():
            raise ValueError("a line is missing")
        return EditPolicy(lines)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"the policy of edits {path} cannot be read: {error}; reinstall unslant") from error


class Decider:
    """Decides about all edits of findings, by one spec."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._model = shipped_model()
        self._policy = load_policy(Path(__file__).with_name("weights"))
        self._accepted = tuple(term.lower() for term in spec.accept)
        self._rewriter: Rewriter | None = None
        if spec.rewriter not in NO_REWRITER:
            self._rewriter = resolve("rewriter", spec.rewriter)(spec)

    def decide(self, report: Report, targets: Sequence[EditTarget]) -> Report:
        """Return a report whose findings carry what could be written for them, the best first."""
        considered = list(_within_limits(targets))
        wordings = self._ask(considered, str(report.provenance.get("profile", "")))
        decided: dict[int, Finding] = {}
        for target in considered:
            for finding in target.findings:
                decided[id(finding)] = self._finding(target, finding, wordings.get(id(finding), ()))
        findings = (decided.get(id(finding), replace(finding, edits=())) for finding in report.findings)
        notes = (*report.notes, *_unanswered(considered, wordings))
        return replace(report, findings=tuple(findings), notes=notes)

    def _ask(self, targets: Sequence[EditTarget], profile: str) -> dict[int, Sequence[Wording]]:
        """Ask the rewriter about all findings of a document at once."""
        if self._rewriter is None:
            return {}
        asked = [
            (finding, passage(target, finding, profile)) for target in targets for finding in target.findings
        ]
        answers = self._rewriter.propose([each for _, each in asked])
        return {id(finding): answer for (finding, _), answer in zip(asked, answers, strict=True)}

    def _finding(self, target: EditTarget, finding: Finding, wordings: Sequence[Wording]) -> Finding:
        decisions = [self.judge(proposal) for proposal in proposals(target, finding, wordings)]
        kept = sorted((each for each in decisions if each.applicability is not None), key=_best_first)
        first: dict[tuple[int, int, str], Decision] = {}
        for each in kept:
            first.setdefault(each.proposal.tidied.change, each)
        shown = list(first.values())
        offered = [each for each in shown if each.applicability is not Applicability.DISPLAY][:_SHOWN]
        edits = [each.edit for each in offered or shown[:_SHOWN]]
        if target.sentence.document.format in CHECK_ONLY:
            edits = [
                replace(edit, applicability=Applicability.DISPLAY, note=Reason.FORMAT.note) for edit in edits
            ]
        deletable = any(_deletes_all(each.proposal) for each in offered) or _stands_without(
            target, finding, decisions
        )
        return replace(finding, edits=tuple(edits), deletable=deletable)

    def judge(self, proposal: Proposal) -> Decision:
        """Decide about one proposal."""
        reason = untouchable(proposal) or _asked_for(proposal)
        if reason is not None:
            # a rule's wording may be worth reading where it cannot be applied
            worth_reading = proposal.source is Source.RULE or reason is Reason.GAP
            shown = Applicability.DISPLAY if worth_reading else None
            return Decision(proposal, shown, reason)
        names = edit_class(proposal)
        if names == (OWN,) and proposal.edit.applicability is Applicability.SAFE:
            return Decision(proposal, Applicability.SAFE, Reason.NONE)  # the user said so
        removed = proposal.target.text[proposal.edit.start : proposal.edit.end].lower()
        if any(term in removed for term in self._accepted):
            return Decision(proposal, None, Reason.WORD)
        reason = refusal(proposal)
        if reason is not None and reason not in (Reason.STATED, Reason.DEGREE):
            return Decision(proposal, None, reason)
        probability = self._model.probability(features(proposal))
        line = self._policy.line(names, probability)
        if probability < line.offered:
            return Decision(proposal, None, Reason.UNLIKELY, probability)
        if reason is None and probability < line.safe:
            reason = Reason.WRITTEN if names == (WRITTEN,) else Reason.REVIEW
        if reason is None and count_changed_words(proposal.target.text, [proposal.tidied]) > allowance(
            proposal.target.text, self._spec.budget
        ):
            reason = Reason.BUDGET
        applicability = Applicability.SAFE if reason is None else Applicability.REVIEW
        return Decision(proposal, applicability, reason or Reason.NONE, probability)


def _asked_for(proposal: Proposal) -> Reason | None:
    """Return the reason to only show a wording: it has a gap, or its rule gives it as an example."""
    if proposal.source is Source.ATTRIBUTION:
        return Reason.GAP
    only_shown = proposal.edit.applicability is Applicability.DISPLAY
    return Reason.EXAMPLE if proposal.source is Source.RULE and only_shown else None


def _best_first(decision: Decision) -> tuple[float, ...]:
    """Order by verdict; those of a language model that was asked come first, then a rule's, both in their order."""
    rank = decision.applicability.rank if decision.applicability else 0
    if decision.proposal.author:
        return rank, 0
    if decision.proposal.source is Source.RULE:
        return rank, 1, -decision.proposal.trust
    return rank, 2, -(decision.probability or 0.0)


def _unanswered(targets: Sequence[EditTarget], wordings: Mapping[int, Sequence[Wording]]) -> Iterator[Note]:
    """Yield why sentences got no wordings from the rewriter, each reason once."""
    found: dict[str, list[Span]] = {}
    for target in targets:
        answers = (wordings.get(id(finding)) for finding in target.findings)
        why = next((answer.why for answer in answers if isinstance(answer, Unanswered)), None)
        if why is not None:
            found.setdefault(why, []).append(target.sentence.span)
    for why, spans in found.items():
        which = "this sentence" if len(spans) == 1 else f"{len(spans)} sentences, of which this is the first"
        yield Note(f"the rewriter proposes nothing for {which}: {why}", spans[0])


def _within_limits(targets: Sequence[EditTarget]) -> Iterator[EditTarget]:
    places = 0
    for target in targets:
        places += len(target.findings)
        if places > DOCUMENT_PLACES:
            return
        if fits(len(target.sentence.span), len(target.findings)):
            yield target


def _deletes_all(proposal: Proposal) -> bool:
    """Return whether an edit leaves out all words of its finding, not only some."""
    span = proposal.finding.span
    first, last = span.start - proposal.target.start, span.end - proposal.target.start
    return proposal.deletes and proposal.edit.start <= first and last <= proposal.edit.end


def _stands_without(target: EditTarget, finding: Finding, decisions: Sequence[Decision]) -> bool:
    """Return whether a sentence is whole and states the same without the words of a finding."""
    start, end = finding.span.start - target.start, finding.span.end - target.start
    if start < 0 or end > len(target.text) or end - start >= len(target.text.strip()):
        return False
    edit = Edit(start, end, "")
    for each in decisions:
        if each.proposal.source is Source.DELETION and each.proposal.edit.change == edit.change:
            return each.reason in _WHOLE
    proposal = Proposal(target, finding, edit, tidy_edit(target.masked, edit), Source.DELETION, 1.0)
    return untouchable(proposal) is None and refusal(proposal) is None
