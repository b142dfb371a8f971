"""Checking as every front door does it: the pipeline, and what ``fix`` says of the edits that findings carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unslant.core.types import Document, Report
from unslant.pipeline import Pipeline

__all__ = ["CheckPipeline"]


class CheckPipeline(Pipeline):
    """Checks documents, and gives the edits of findings the verdicts that ``unslant fix`` gives them."""

    def check(self, documents: Iterable[Document]) -> Iterator[Report]:
        """Yield one report per document, in order; documents are read only as reports are consumed."""
        for report in super().check(documents):
            yield self._judge_edits(report)

    def _judge_edits(self, report: Report) -> Report:
        if not any("rules" in finding.origin for finding in report.findings):
            return report
        from unslant.rewrite.verdicts import judge_edits  # most texts do not pay for it

        return judge_edits(report, self)
