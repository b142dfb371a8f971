"""How often the rewriter writes what the editors wrote, on documents that it has not learned from.

*Exactly the editor's* compares the first wording, or any of the first three, with the editor's fix, without regard to
capitals and spaces. A wording that differs may be as good: the figures rank rewriters, and reading decides. *Without a
wording* counts the passages for which the rewriter writes nothing but the words that stand there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.lab.corpora.editor import EDITOR
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.rewriters.wording_data import Fix, fixes_of_editors, load_corpus
from unslant.lab.stats.metrics import Metric
from unslant.rewriter.network import WordingNetwork
from unslant.rewriter.package import load_rewriter
from unslant.rewriter.passage import Wording

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling

__all__ = ["EditorAnswer", "ask", "measure_wordings", "show_answers", "wordings"]

_SHOWN = 3


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
    import numpy as np

    counts = np.array(
        [(1, answer.has(1), answer.has(_SHOWN), not answer.wordings) for answer in answers], dtype=float
    )
    names = [answer.fix.document or answer.fix.id for answer in answers]

    def share(column: int) -> Metric:
        return Metric(counts, lambda sums: sums[..., column] / sums[..., 0]).group_items(names)

    measures = {
        "exactly the editor's, first": share(1),
        "exactly the editor's, among three": share(2),
        "without a wording": share(3),
    }
    return figures("wordings", measures, resampling)


def show_answers(answers: Sequence[EditorAnswer]) -> Iterator[str]:
    """Yield answers to read, each with the editor's wording."""
    for answer in answers:
        passage, span = answer.fix.passage, answer.fix.passage.span
        text = passage.sentence
        yield f"{text[: span.start]}[[{text[span.start : span.end]}]]{text[span.end :]}"
        yield f"  editor ({passage.technique}): {answer.fix.wording!r}"
        for wording in answer.wordings[:_SHOWN]:
            yield f"  {wording.log_probability:6.2f} {wording.text!r}"
