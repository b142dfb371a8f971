"""From rows to scores: what the pipeline says about each text, as flat records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.taxonomy import kinds, technique_of_rule
from unslant.core.types import Document, Finding, Report, Severity
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.tables.sources import Row
from unslant.text.reading import read

if TYPE_CHECKING:
    from unslant.edits.fixer import Fixer

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreSpec:
    """What to say about the rows."""

    spec: Spec
    format: str = "text"
    """The markup of the texts."""
    findings: bool = False
    """Whether there is one record per finding instead of one per row."""
    fix: bool = False
    """Whether each record holds the text as ``unslant fix`` would write it."""
    unsafe: bool = False
    """Whether that includes edits that need a review."""


def columns(findings: bool, fix: bool = False) -> dict[str, str]:
    """Return the columns of the output, in order, each with its type: ``str``, ``int`` or ``float``."""
    head = {"file": "str", "row": "int", "id": "str"}
    if findings:
        return {
            **head,
            **dict.fromkeys(("start", "end"), "int"),
            **dict.fromkeys(("text", "severity", "kind", "dimension", "technique", "rule", "origin"), "str"),
            "probability": "float",
            **dict.fromkeys(("why", "replacement", "error"), "str"),
        }
    return {
        **head,
        "language": "str",
        "probability": "float",
        "verdict": "str",
        "sentences": "int",
        "findings": "int",
        **{f"severity_{severity.value}": "int" for severity in Severity},
        **{f"kind_{name}": "int" for name in kinds()},
        **dict.fromkeys(("techniques", "spans", *(("rewritten",) if fix else ()), "error"), "str"),
    }


class ScoreRows:
    """Scores batches of rows; built once in each process, from data."""

    def __init__(self, what: ScoreSpec) -> None:
        self._what = what
        # nobody reads wordings where there is one record per row
        spec = what.spec.with_wordings() if what.fix else what.spec
        self._pipeline = Pipeline(spec, decide=what.findings or what.fix)
        self._fixer: Fixer | None = None
        if what.fix:
            from unslant.edits.fixer import Fixer  # scoring does not pay for it

            self._fixer = Fixer(spec, unsafe=what.unsafe, pipeline=self._pipeline)

    def __call__(self, rows: Sequence[Row]) -> list[Record]:
        """Return the records of the rows, in order."""
        documents = [self._document(row) for row in rows]
        reports = iter(self._pipeline.check(found for found in documents if isinstance(found, Document)))
        records: list[Record] = []
        for row, document in zip(rows, documents, strict=True):
            if isinstance(document, Document):
                records.extend(self._records(row, next(reports)))
            else:
                records.append(self._error_record(row, document))
        self._pipeline.forget()
        return records

    def _records(self, row: Row, report: Report) -> list[Record]:
        if self._what.findings:
            return list(finding_records(row, report))
        record = report_record(row, report)
        if self._fixer is not None:
            record["rewritten"] = self._fixer.fix_report(report).text
        return [record]

    def _document(self, row: Row) -> Document | str:
        if row.error is not None:
            return row.error
        try:
            return read(row.text, self._what.format, f"{row.file}:{row.number}")
        except UnslantError as error:
            return str(error)

    def _error_record(self, row: Row, error: str) -> Record:
        record: Record = dict.fromkeys(columns(self._what.findings, self._what.fix))
        return record | {"file": row.file, "row": row.number, "id": row.id, "error": error}


def report_record(row: Row, report: Report) -> Record:
    """Return what a report says, as one record."""
    findings = report.findings
    severities = Counter(finding.severity for finding in findings)
    kinds_found = Counter(finding.kind for finding in findings)
    techniques = Counter(name for finding in findings if (name := _technique(finding)))
    judged = [sentence for sentence in report.sentences if sentence.probability is not None]
    worst = max(judged, key=lambda sentence: sentence.probability or 0.0, default=None)
    return {
        "file": row.file,
        "row": row.number,
        "id": row.id,
        "language": report.document.language,
        "probability": worst.probability if worst else None,
        "verdict": worst.verdict.value if worst and worst.verdict else None,
        "sentences": len(report.sentences),
        "findings": len(findings),
        **{f"severity_{severity.value}": severities[severity] for severity in Severity},
        **{f"kind_{name}": kinds_found[name] for name in kinds()},
        "techniques": _json(dict(sorted(techniques.items()))),
        "spans": _json([_span(finding) for finding in findings]),
        "error": None,
    }


def finding_records(row: Row, report: Report) -> Iterator[Record]:
    """Yield one record per finding."""
    for finding in report.findings:
        yield {
            "file": row.file,
            "row": row.number,
            "id": row.id,
            "start": finding.span.start,
            "end": finding.span.end,
            "text": finding.text,
            "severity": finding.severity.value,
            "kind": finding.kind,
            "dimension": finding.dimension,
            "technique": _technique(finding),
            "rule": finding.rule,
            "origin": finding.origin,
            "probability": finding.probability,
            "why": finding.why,
            "replacement": finding.edits[0].replacement if finding.edits else None,
            "error": None,
        }


def _span(finding: Finding) -> Record:
    return {
        "start": finding.span.start,
        "end": finding.span.end,
        "text": finding.text,
        "kind": finding.kind,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "probability": finding.probability,
    }


def _technique(finding: Finding) -> str | None:
    found = technique_of_rule(finding.rule)
    return found.name if found else None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
