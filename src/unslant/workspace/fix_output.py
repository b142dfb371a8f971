"""The output formats of ``unslant fix``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from unslant.core.types import Applicability
from unslant.edits.result import Fixed
from unslant.report import SUGGESTION_FORMATS, Outcome, RenderSettings, RuleInfo, render
from unslant.report.edits import Look, file_lines
from unslant.report.printable import clean, plural
from unslant.report.wire import ERROR, dumps
from unslant.workspace.plan import Filters
from unslant.workspace.run import FixOutcome

ENVELOPE = "unslant/fixes/1"
"""The name and version of the JSON object that holds all results of a run."""


@dataclass(frozen=True, slots=True)
class FixRun:
    """Where and how to print, and the options of the command."""

    stream: TextIO
    look: Look
    mode: str
    unsafe: bool
    root: Path
    version: str
    rules: Mapping[str, RuleInfo]
    sent_to: tuple[str, ...] = ()
    """The servers that text was sent to."""
    filters: Filters = field(default_factory=Filters)
    """Which findings the formats of findings leave out."""


FixRenderer = Callable[[Iterable[FixOutcome], FixRun], list[FixOutcome]]


def _text(outcomes: Iterable[FixOutcome], run: FixRun) -> list[FixOutcome]:
    seen = []
    for outcome in outcomes:
        if outcome.fixed is not None:
            _write(run.stream, file_lines(outcome.fixed, run.look))
        seen.append(outcome)
    for outcome in seen:
        if outcome.copy is not None:
            changes = plural(outcome.tracked, "tracked change")
            comments = plural(outcome.commented, "comment")
            _write(run.stream, [f"{clean(str(outcome.copy))}: {changes}, {comments}\n"])
            if outcome.refusal:
                _write(run.stream, [f"{outcome.refusal}\n"])
    for number, line in enumerate(_summarize(seen, run)):
        _write(run.stream, [run.look.style(line, "1" if not number else "2") + "\n"])
    return seen


def _write(stream: TextIO, lines: Iterable[str]) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    for line in lines:
        stream.write(line.encode(encoding, "replace").decode(encoding))


def _summarize(outcomes: list[FixOutcome], run: FixRun) -> Iterator[str]:
    """Yield the totals, and what to do next."""
    summary = _summary(outcomes)
    parts = [f"{plural(summary['files'], 'file')} checked"]
    if run.mode == "write":
        parts.append(f"{plural(summary['applied'], 'edit')} applied in {plural(summary['written'], 'file')}")
    else:
        parts.append(f"{plural(summary['safe'], 'safe edit')}, {summary['review']:,} to review")
    if summary["unanswered"]:
        verb = "has" if summary["unanswered"] == 1 else "have"
        parts.append(f"{plural(summary['unanswered'], 'finding')} {verb} no suggestion")
    if summary["failed"]:
        parts.append(f"{plural(summary['failed'], 'file')} could not be fixed")
    yield "; ".join(parts) + "."
    if run.mode == "diff" and summary["safe"] + summary["review"]:
        yield "Nothing was written. Apply the safe edits with --write, or decide one by one with --interactive."
    elif run.mode == "write":
        if any(outcome.copy is not None for outcome in outcomes):
            yield "Accept or reject the tracked changes in Word or LibreOffice."
        review = _summary(outcome for outcome in outcomes if outcome.copy is None)["review"]
        if review and not run.unsafe:
            what, verb = plural(review, "edit"), "needs" if review == 1 else "need"
            yield f"{what} {verb} review: decide with --interactive, or apply all with --write --unsafe."


def _summary(outcomes: Iterable[FixOutcome]) -> dict[str, int]:
    counts = dict.fromkeys(
        ("files", "failed", "written", "applied", "safe", "review", "display", "unanswered"), 0
    )
    for outcome in outcomes:
        counts["failed"] += outcome.error is not None
        if outcome.fixed is None:
            continue
        counts["files"] += 1
        counts["written"] += outcome.written
        made = sum(edit.applied for edit in outcome.fixed.edits) - len(outcome.refused)
        counts["applied"] += made * outcome.written
        for verdict in Applicability:
            counts[verdict.value] += outcome.fixed.count(verdict)
        answered = {finding for edit in outcome.fixed.edits for finding in edit.findings}
        counts["unanswered"] += sum(finding not in answered for finding in outcome.fixed.report.findings)
    return counts


def _json(outcomes: Iterable[FixOutcome], run: FixRun) -> list[FixOutcome]:
    seen, errors = [], []
    run.stream.write(f'{{"schema": "{ENVELOPE}",\n"fixes": [')
    separator = "\n"
    for outcome in outcomes:
        if outcome.error is not None:
            errors.append({"path": outcome.path, "message": outcome.error})
        if outcome.fixed is not None:
            run.stream.write(separator + dumps(_wire(outcome, outcome.fixed, run)))
            separator = ",\n"
        seen.append(outcome)
    run.stream.write(f'],\n"errors": {dumps(errors)},\n"summary": {dumps(_summary(seen))}}}\n')
    return seen


def _lines(outcomes: Iterable[FixOutcome], run: FixRun) -> list[FixOutcome]:
    seen = []
    for outcome in outcomes:
        if outcome.fixed is not None:
            run.stream.write(dumps(_wire(outcome, outcome.fixed, run)) + "\n")
        if outcome.error is not None:
            run.stream.write(dumps({"schema": ERROR, "path": outcome.path, "message": outcome.error}) + "\n")
        seen.append(outcome)
    return seen


def _wire(outcome: FixOutcome, fixed: Fixed, run: FixRun) -> dict[str, Any]:
    return {**fixed.to_dict(), "sent_to": list(run.sent_to), "written": outcome.written}


def _findings(name: str) -> FixRenderer:
    """Return a renderer of the findings with the edits that were considered for each, with their verdicts."""

    def write(outcomes: Iterable[FixOutcome], run: FixRun) -> list[FixOutcome]:
        seen: list[FixOutcome] = []

        def reported() -> Iterator[Outcome]:
            for outcome in outcomes:
                seen.append(outcome)
                if outcome.fixed is not None:
                    yield run.filters.apply(Outcome(outcome.path, outcome.fixed.report))
                else:
                    yield Outcome(outcome.path, error=outcome.error)

        settings = RenderSettings(root=run.root, rules=run.rules, version=run.version, judged=True)
        render(name, reported(), run.stream, settings)
        return seen

    return write


RENDERERS: Mapping[str, FixRenderer] = {
    "text": _text,
    "json": _json,
    "jsonl": _lines,
    **{name: _findings(name) for name in SUGGESTION_FORMATS},
}
"""The output formats, by name."""
