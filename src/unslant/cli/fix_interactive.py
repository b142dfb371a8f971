"""``unslant fix --interactive``: ask about each edit, and remember the answers of an unfinished file."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.core.errors import InputError
from unslant.core.files import cache_folder, read_json, write_atomic
from unslant.core.types import Applicability, Edit, Finding, Span
from unslant.edits.result import Fixed, Suggestion
from unslant.report.edits import Look, sentence_lines
from unslant.report.positions import LineIndex
from unslant.report.printable import clean, clean_lines
from unslant.text.directives import ignore_comment
from unslant.text.edits import apply_edits
from unslant.workspace.run import FixOutcome, save_tracked

__all__ = ["ask"]

_QUESTION = "[a]ccept, [o]ther suggestion, [s]kip, [i]gnore, [e]dit by hand, [q]uit"
_WITHOUT = "[s]kip, [i]gnore, [e]dit by hand, [q]uit"


@dataclass(slots=True)
class _Decisions:
    """The user's answers for one file."""

    edits: list[Edit] = field(default_factory=list)
    ignores: list[Edit] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def free(self, span: Span) -> bool:
        """Return whether no accepted edit changes these words."""
        return not any(span.overlaps(edit.span) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class _Item:
    """One question to the user."""

    name: str
    """The same in the next run, so that what was skipped is not asked again."""
    span: Span
    findings: tuple[Finding, ...]
    edit: Suggestion | None


def ask(outcomes: Iterable[FixOutcome], look: Look) -> int:
    """Ask about all files; write each after its last question, or when the user quits."""
    made = failed = 0
    for outcome in outcomes:
        if outcome.fixed is None or outcome.opened is None:
            failed += 1
            continue
        skipped = _Skipped(outcome.opened.path)
        decisions = _Decisions(skipped=skipped.load())
        finished = _ask_file(outcome.fixed, decisions, look)
        try:
            made += _write(outcome, decisions)
        except InputError as error:
            click.echo(clean_lines(f"unslant: {error}"), err=True)
            failed += 1
        if not finished:
            skipped.save(decisions.skipped)
            click.echo("Your decisions are saved; run the command again to continue here.")
            break
        skipped.clear()
    edits = "1 change" if made == 1 else f"{made} changes"
    click.echo(f"Made {edits}.")
    return Exit.USAGE if failed else Exit.CLEAN


def _write(outcome: FixOutcome, decisions: _Decisions) -> int:
    fixed, opened = outcome.fixed, outcome.opened
    if fixed is not None and fixed.document.format == "paragraphs":
        # a Word document has no inline ignores
        if not decisions.edits:
            return 0
        saved = save_tracked(outcome, sorted(decisions.edits, key=lambda edit: edit.start))
        click.echo(f"Your changes are tracked changes in {clean(str(saved.copy))}.")
        return saved.tracked
    edits = [*decisions.edits, *decisions.ignores]
    if fixed is None or opened is None or not edits:
        return 0
    opened.write(apply_edits(fixed.document.source, edits))
    return len(edits)


def _items(fixed: Fixed) -> Iterator[_Item]:
    answered = {finding for edit in fixed.edits for finding in edit.findings}
    items = [
        _Item(_name(edit.findings, edit.edit), edit.edit.span, edit.findings, edit) for edit in fixed.edits
    ]
    items += [
        _Item(_name((finding,), None), finding.span, (finding,), None)
        for finding in fixed.report.findings
        if finding not in answered
    ]
    return iter(sorted(items, key=lambda item: item.span))


def _name(findings: tuple[Finding, ...], edit: Edit | None) -> str:
    """Return a name that stays when other words of the sentence change."""
    if findings:
        return f"{findings[0].rule or findings[0].kind}: {findings[0].text}"
    return f"edit: {edit.replacement}" if edit else ""


def _ask_file(fixed: Fixed, decisions: _Decisions, look: Look) -> bool:
    """Ask about everything in a file that was not skipped before; return whether every question was answered."""
    lines = LineIndex(fixed.document.source)
    # Everything before the place where the user quit is decided, so the first of equal names are the skipped ones.
    known = Counter(decisions.skipped)
    items = []
    for item in _items(fixed):
        if known[item.name] > 0:
            known[item.name] -= 1
        else:
            items.append(item)
    if items:
        click.echo(f"{look.style(clean(fixed.document.id), '1')}  {len(items)} to decide\n")
    for item in items:
        if not decisions.free(item.span):
            continue
        try:
            if not _ask_item(item, fixed, decisions, (lines, look)):
                return False
        except (click.Abort, EOFError):
            click.echo()
            return False
    return True


def _ask_item(item: _Item, fixed: Fixed, decisions: _Decisions, view: tuple[LineIndex, Look]) -> bool:
    """Ask until there is an answer; return False to quit."""
    offered = [item.edit, *_others(item.edit)] if item.edit else []
    choices = [edit for edit in offered if edit.edit.applicability is not Applicability.DISPLAY]
    number = 0
    _show(item, next(iter((*choices, *offered)), None), fixed, view)
    while True:
        current = choices[number] if choices else None
        answer = click.prompt(_QUESTION if choices else _WITHOUT, prompt_suffix="? ").strip().lower()[:1]
        match answer:
            case "q":
                return False
            case "s":
                decisions.skipped.append(item.name)
                return True
            case "a" if current is not None:
                if decisions.free(current.edit.span):
                    decisions.edits.append(current.edit)
                    return True
                click.echo(
                    "An edit that you accepted already changes these words; skip this one, or edit by hand."
                )
            case "o" if len(choices) > 1:
                number = (number + 1) % len(choices)
                _show(item, choices[number], fixed, view)
            case "o":
                click.echo("No other suggestion.")
            case "e":
                decisions.edits.append(_by_hand(item, current, fixed.document.source))
                return True
            case "i" if item.findings:
                decisions.ignores.append(_ignore_edit(item, fixed))
                return True
            case _:
                click.echo("Answer with one of the letters in brackets.")


def _others(edit: Suggestion) -> Iterator[Suggestion]:
    """Return the alternatives as if each were the edit."""
    for other in edit.alternatives:
        yield replace(edit, edit=other, alternatives=())


def _show(item: _Item, edit: Suggestion | None, fixed: Fixed, view: tuple[LineIndex, Look]) -> None:
    lines, look = view
    for finding in item.findings:
        click.echo(f"          {clean(finding.why)}")
    if edit is not None:
        click.echo("".join(sentence_lines([edit], lines, look)), nl=False)
        return
    line, column = lines.locate(item.span.start)
    source = fixed.document.source
    around = source[max(0, item.span.start - 60) : item.span.end + 60]
    click.echo(f"  {line}:{column}  \u201c{clean(item.findings[0].text)}\u201d in: {clean(around).strip()}")


def _by_hand(item: _Item, current: Suggestion | None, source: str) -> Edit:
    """Ask for a replacement; to delete the words, prefer the suggestion that does so and tidies up."""
    span = item.findings[0].span if len(item.findings) == 1 else item.span
    question = f"Instead of \u201c{clean(source[span.start : span.end])}\u201d (empty to delete it)"
    wording = clean(click.prompt(question, default="", show_default=False))
    if not wording and current is not None and not current.edit.replacement.strip():
        return current.edit
    if not wording and source[span.start - 1 : span.start] == " ":
        span = Span(span.start - 1, span.end)
    return Edit(span.start, span.end, wording)


def _ignore_edit(item: _Item, fixed: Fixed) -> Edit:
    reason = ""
    while not reason.strip():
        reason = click.prompt("Why is this wording fine here")
    names = tuple(dict.fromkeys(finding.rule or finding.kind for finding in item.findings))
    return ignore_comment(fixed.document, item.findings[0].span, names, reason)


class _Skipped:
    """The suggestions that the user skipped in an unfinished file, kept in the cache until the file is done."""

    def __init__(self, path: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
        self._file = cache_folder() / "fix" / f"{name}.json"

    def load(self) -> list[str]:
        """Return the names of the skipped suggestions; none if there is no record or it cannot be read."""
        try:
            names = read_json(self._file)
        except InputError:
            return []
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def save(self, names: list[str]) -> None:
        """Keep the names; if the folder cannot be written, the user is asked about them again."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._file, json.dumps(names).encode(), 0o600, sync=False)

    def clear(self) -> None:
        """Delete the record, so that the next run asks about everything."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
