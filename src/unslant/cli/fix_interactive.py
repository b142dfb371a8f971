"""``unslant fix --interactive``: a person decides about each edit; what was decided is kept, also after quitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import click

from unslant.cli.exits import Exit
from unslant.cli.fix_progress import Skipped
from unslant.core.errors import InputError
from unslant.core.types import Applicability, Edit, Finding, Span
from unslant.report.positions import LineIndex
from unslant.report.printable import clean
from unslant.rewrite.display import Look, sentence_lines
from unslant.rewrite.result import Fixed, Suggestion
from unslant.text.directives import ignore_comment
from unslant.text.edits import apply_edits
from unslant.workspace.fixing import FixOutcome

__all__ = ["ask"]

_QUESTION = "[a]ccept, [o]ther suggestion, [s]kip, [i]gnore, [e]dit by hand, [q]uit"
_WITHOUT = "[s]kip, [i]gnore, [e]dit by hand, [q]uit"


@dataclass(slots=True)
class _Decisions:
    """What was decided about one file."""

    edits: list[Edit] = field(default_factory=list)
    ignores: list[Edit] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def free(self, span: Span) -> bool:
        """Say whether no accepted edit needs the same words."""
        return not any(span.overlaps(edit.span) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to decide."""

    name: str
    """The same the next time, so that what was skipped is not asked again."""
    span: Span
    findings: tuple[Finding, ...]
    edit: Suggestion | None


def ask(outcomes: Iterable[FixOutcome], look: Look) -> int:
    """Go through all files; write each when its last question is answered, or when the user quits."""
    made = failed = 0
    for outcome in outcomes:
        if outcome.fixed is None or outcome.opened is None:
            failed += 1
            continue
        progress = Skipped(outcome.opened.path)
        decisions = _Decisions(skipped=progress.load())
        finished = _ask_file(outcome.fixed, decisions, look)
        try:
            made += _write(outcome, decisions)
        except InputError as error:
            click.echo(f"unslant: {error}", err=True)
            failed += 1
        if not finished:
            progress.save(decisions.skipped)
            click.echo("Kept what was decided; the next time begins here.")
            break
        progress.clear()
    edits = "1 change" if made == 1 else f"{made} changes"
    click.echo(f"{edits} made.")
    return Exit.USAGE if failed else Exit.CLEAN


def _write(outcome: FixOutcome, decisions: _Decisions) -> int:
    fixed, opened = outcome.fixed, outcome.opened
    edits = [*decisions.edits, *decisions.ignores]
    if fixed is None or opened is None or not edits:
        return 0
    opened.write(apply_edits(fixed.document.source, edits))
    return len(edits)


def _items(fixed: Fixed) -> Iterator[_Item]:
    answered = {finding for one in fixed.edits for finding in one.findings}
    items = [_Item(_name(one.findings, one.edit), one.edit.span, one.findings, one) for one in fixed.edits]
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
    """Ask about everything in a file that was not skipped before; return whether all was answered."""
    lines = LineIndex(fixed.document.source)
    # all before the place where the user quit was decided, so the first of equal names are those that were skipped
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
    choices = [one for one in offered if one.edit.applicability is not Applicability.DISPLAY]
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
                click.echo("An accepted edit already changes these words; skip this one or edit by hand.")
            case "o" if len(choices) > 1:
                number = (number + 1) % len(choices)
                _show(item, choices[number], fixed, view)
            case "o":
                click.echo("There is no other suggestion.")
            case "e":
                decisions.edits.append(_by_hand(item, current, fixed.document.source))
                return True
            case "i" if item.findings:
                decisions.ignores.append(_ignored(item, fixed))
                return True
            case _:
                click.echo("Please answer with one of the letters in brackets.")


def _others(edit: Suggestion) -> Iterator[Suggestion]:
    """Return the alternatives as if each were the edit."""
    for other in edit.alternatives:
        yield replace(edit, edit=other.edit, gate=other.gate, score=other.score, alternatives=())


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
    """Ask for a wording of the words in question; to leave them out, the suggestion that does so comes first."""
    span = item.findings[0].span if len(item.findings) == 1 else item.span
    asked = f"Instead of \u201c{clean(source[span.start : span.end])}\u201d (empty to leave it out)"
    wording = clean(click.prompt(asked, default="", show_default=False))
    if not wording and current is not None and current.origin == "deletion":
        return current.edit
    if not wording and source[span.start - 1 : span.start] == " ":
        span = Span(span.start - 1, span.end)
    return Edit(span.start, span.end, wording)


def _ignored(item: _Item, fixed: Fixed) -> Edit:
    reason = ""
    while not reason.strip():
        reason = click.prompt("Why is it fine here")
    names = tuple(dict.fromkeys(finding.rule or finding.kind for finding in item.findings))
    return ignore_comment(fixed.document, item.findings[0].span, names, reason)
