"""How often the rewriter writes what the editors wrote, on documents that it has not learned from.

*Exactly the editor's* compares the first wording, or any of the first three, with the editor's fix, without regard to
capitals and spaces. A wording that differs may be as good: the figures rank rewriters, and reading decides. *Without a
wording* counts the passages for which the rewriter writes nothing but the words that stand there.

Wordings to read are drawn from articles that are not in the editors' corpus: of each finding those that the model of
edits thinks best, as they would be applied.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.edits.features import features
from unslant.edits.invariants import refusal, untouchable
from unslant.edits.model import shipped_model
from unslant.edits.propose import passage, proposals
from unslant.edits.types import EditTarget, Proposal, Source
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.rewriters.wording_data import Fix, fixes_of_editors, load_corpus
from unslant.lab.stats.metrics import ratios
from unslant.pipeline import Pipeline
from unslant.protocols import Wording
from unslant.rewriter.network import WordingNetwork
from unslant.rewriter.package import load_rewriter
from unslant.spec import Spec
from unslant.text.reading import read

if TYPE_CHECKING:
    from unslant.core.types import Finding
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling

_SHOWN = 3
_ARTICLES = "allsides"
_READ = 2
"""How many wordings of a finding are worth reading: the others are seldom offered."""
_LIKELY = -3.5
"""Wordings of a lower log probability are seldom good, so few verdicts on them say enough."""


@dataclass(frozen=True, slots=True)
class EditorAnswer:
    """What the rewriter writes where an editor wrote something."""

    fix: Fix
    wordings: Sequence[Wording]

    def has(self, count: int) -> bool:
        """Return whether the editor's wording is among the first ones."""
        return any(_plain(wording.text) == _plain(self.fix.wording) for wording in self.wordings[:count])


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())


def ask(model: str, part: str, data: str | Path | None) -> list[EditorAnswer]:
    """Return the answers for all fixes of a part."""
    rewriter = WordingNetwork(load_rewriter(None if model == "default" else Path(model)))
    fixes = [fix for fix in fixes_of_editors(load_corpus(EDITOR, data)) if fix.part == part]
    answers = rewriter.propose([fix.passage for fix in fixes])
    return [EditorAnswer(fix, found) for fix, found in zip(fixes, answers, strict=True)]


def wordings(model: str, setting: Setting, *, part: str) -> Result:
    """Measure a rewriter on the fixes of one part of the editors' corpus."""
    return measure_wordings(ask(model, part, setting.data), setting.resampling, model)


def measure_wordings(answers: Sequence[EditorAnswer], resampling: Resampling, model: str) -> Result:
    """Return the figures for what every editor would change, and for all fixes."""
    musts = [answer for answer in answers if answer.fix.grade == "must"]
    sections = [
        Section(title, _figures(some, resampling), "fixes")
        for title, some in (("what every editor would change", musts), ("all fixes", answers))
        if some
    ]
    return Result("wordings", model, tuple(sections), ("intervals resample documents",))


def _figures(answers: Sequence[EditorAnswer], resampling: Resampling) -> tuple[Figure, ...]:
    rows = [(1, answer.has(1), answer.has(_SHOWN), not answer.wordings) for answer in answers]
    columns = {
        "exactly the editor's, first": (1, 0),
        "exactly the editor's, among three": (2, 0),
        "without a wording": (3, 0),
    }
    names = [answer.fix.document or answer.fix.id for answer in answers]
    return figures("wordings", ratios(rows, columns), resampling, groups=names)


def show_answers(answers: Sequence[EditorAnswer]) -> Iterator[str]:
    """Yield answers to read, each with the editor's wording."""
    for answer in answers:
        passage, span = answer.fix.passage, answer.fix.passage.span
        text = passage.sentence
        yield f"{text[: span.start]}[[{text[span.start : span.end]}]]{text[span.end :]}"
        yield f"  editor ({passage.technique}): {answer.fix.wording!r}"
        for wording in answer.wordings[:_SHOWN]:
            yield f"  {wording.log_probability:6.2f} {wording.text!r}"


def draw_wordings(
    model: str, setting: Setting, count: int, *, source: Source, without: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return wordings to read from random articles, each with the sentence before and after, and an empty verdict."""
    rewriter = None
    if source is Source.REWRITER:
        rewriter = WordingNetwork(load_rewriter(None if model == "default" else Path(model)))
    known = {example.document for example in corpora.load(EDITOR, setting.data)} | set(without)
    articles = [example for example in corpora.load(_ARTICLES, setting.data) if example.document not in known]
    random.Random(setting.resampling.seed).shuffle(articles)  # noqa: S311
    documents = (read(article.text, "text", article.id) for article in articles)
    found: list[dict[str, Any]] = []
    for analyzed in Pipeline(Spec(), decide=True).analyze(documents):
        asked = [(target, finding) for target in analyzed.targets for finding in target.findings]
        passages = [passage(target, finding) for target, finding in asked]
        answers = rewriter.propose(passages) if rewriter else [[] for _ in asked]
        for (target, finding), answer in zip(asked, answers, strict=True):
            found += _rows(target, finding, answer, source)
        setting.progress("wordings", min(len(found), count), count)
        if len(found) >= count:
            break
    return found[:count]


def _rows(
    target: EditTarget, finding: Finding, answer: Sequence[Wording], source: Source
) -> Iterator[dict[str, Any]]:
    """Yield the best wordings of a finding that no invariant refuses, in the form of a file of verdicts."""
    model = shipped_model()
    rank = {wording.log_probability: number for number, wording in enumerate(answer, 1)}

    def probability(proposal: Proposal) -> float:
        return model.probability(features(proposal))

    allowed = [
        proposal
        for proposal in proposals(target, finding, answer)
        if proposal.source is source
        and (proposal.log_probability is None or proposal.log_probability >= _LIKELY)
        and untouchable(proposal) is None
        and refusal(proposal) is None
    ]
    for proposal in sorted(allowed, key=probability, reverse=True)[:_READ]:
        edit = proposal.edit.shift(target.start)
        row = {
            "document": target.sentence.document.id,
            "start": edit.start,
            "end": edit.end,
            "words": target.text[proposal.edit.start : proposal.edit.end],
            "replacement": edit.replacement,
            "source": str(source),
            "technique": finding.rule,
            "before": target.text,
            "after": proposal.after,
            "verdict": "",
        }
        if proposal.log_probability is not None:
            row |= {
                "log_probability": round(proposal.log_probability, 4),
                "rank": rank[proposal.log_probability],
            }
        yield row
