"""``unslant fix --interactive``: ask about each finding, and remember the answers of an unfinished file."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.core.errors import InputError
from unslant.core.files import cache_folder, read_json, write_atomic
from unslant.core.types import Applicability, Document, Edit, Finding, Span
from unslant.edits.actions import attribute, deletion, quote
from unslant.edits.combine import by_sentence
from unslant.edits.result import Fixed, Suggestion
from unslant.report.edits import Look, marked_lines, wording
from unslant.report.positions import LineIndex
from unslant.report.printable import cells, clean, clean_lines, wrap
from unslant.text.directives import ignore_comment
from unslant.text.edits import apply_edits, move_offset, sort_edits
from unslant.text.kept import keep_words
from unslant.workspace.ignore_file import add_kept
from unslant.workspace.run import FixOutcome, save_tracked

_MARGIN = " " * 10
_HELP = """\
  a      accept the wording that is marked with >; 1, 2 and 3 accept that wording
  o      mark the other wording
  d      delete the words, if the sentence stands without them
  e      write something else
  k      keep the words: list them in .unslant-ignore, and do not report them again
  i      the same, with a reason
  c      keep the words with a comment in the text (an inline ignore), with a reason
  m      mark the words as quoted, and say whose they are
  t      tell who says so: “…, according to …”
  s      skip: decide another time
  b      go back to the question before; Enter leaves its answer as it is
  u      undo the last answer
  q      write what was decided, and quit
  x      leave this file as it is, and quit
"""


class _End(Enum):
    """How the questions about a file end."""

    DONE = "done"
    QUIT = "quit"
    """What was decided is written."""
    LEAVE = "leave"
    """Nothing is written."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One question to the user."""

    name: str
    """The same in the next run, so that what was skipped is not asked again."""
    span: Span
    findings: tuple[Finding, ...]
    choices: tuple[Edit, ...]
    """The wordings that can be accepted, the best first."""
    sentence: Span


@dataclass(frozen=True, slots=True)
class _GivenAnswer:
    """What the user decided about a question."""

    said: str
    """In words, for a user who comes back to it."""
    edits: tuple[Edit, ...] = ()
    kept: bool = False
    """Whether the findings go to the list of what is kept."""
    comment: bool = False
    """Whether they get an inline ignore."""
    reason: str = ""
    skipped: bool = False


@dataclass(slots=True)
class _GivenAnswers:
    """The answers for one file, by the number of the question."""

    given: dict[int, _GivenAnswer] = field(default_factory=dict)
    """In the order in which they were given."""

    def set(self, number: int, answer: _GivenAnswer) -> None:
        """Take an answer; it replaces an earlier one to the same question."""
        self.given.pop(number, None)
        self.given[number] = answer

    def undo(self) -> int | None:
        """Withdraw the last answer and return its question; None if there is none."""
        return self.given.popitem()[0] if self.given else None

    def edits(self, without: int | None = None) -> list[Edit]:
        """Return the edits of all answers, in order of their position, or of all but one."""
        return sort_edits(
            edit for number, answer in self.given.items() if number != without for edit in answer.edits
        )

    def free(self, number: int, span: Span) -> bool:
        """Return whether no other answer changes these words."""
        return not any(span.overlaps(edit.span) for edit in self.edits(number))


def ask(outcomes: Iterable[FixOutcome], look: Look, list_for: Callable[[Path], Path]) -> int:
    """Ask about all files; write each after its last question, or when the user quits.

    ``list_for`` names the file that lists what is kept in a text.
    """
    made = kept = failed = 0
    for outcome in outcomes:
        if outcome.fixed is None or outcome.opened is None:
            failed += 1
            continue
        skipped = _Skipped(outcome.opened.path)
        file = _FileQuestions(outcome.fixed, skipped.load(), look)
        end = file.ask()
        if end is _End.LEAVE:
            click.echo(f"{clean(outcome.path)} is left as it is.")
            break
        try:
            written, listed = _write(outcome, file, list_for)
            made, kept = made + written, kept + listed
        except InputError as error:
            click.echo(clean_lines(f"unslant: {error}"), err=True)
            failed += 1
        if end is _End.QUIT:
            skipped.save(file.skipped)
            click.echo("Your decisions are saved; run the command again to continue here.")
            break
        skipped.clear()
    edits = "1 change" if made == 1 else f"{made} changes"
    listed_too = f", and listed {kept} in .unslant-ignore" if kept else ""
    click.echo(f"Made {edits}{listed_too}.")
    return Exit.USAGE if failed else Exit.CLEAN


class _FileQuestions:
    """The questions about one file, and the answers so far."""

    def __init__(self, fixed: Fixed, skipped: Sequence[str], look: Look) -> None:
        self.fixed = fixed
        self.skipped = list(skipped)
        """The names of the questions that were skipped, in this run or in one that was not finished."""
        self.answers = _GivenAnswers()
        self._look = look
        self._lines = LineIndex(fixed.document.source)
        self._keys = sys.stdin.isatty()
        # everything before the place where the user quit is decided, so the first of equal names are the skipped ones
        known = Counter(skipped)
        self.items: list[_Item] = []
        for item in _items(fixed):
            if known[item.name] > 0:
                known[item.name] -= 1
            else:
                self.items.append(item)

    @property
    def document(self) -> Document:
        """The text as it was read."""
        return self.fixed.document

    def ask(self) -> _End:
        """Ask everything; the answers are in ``answers``."""
        if not self.items:
            return _End.DONE
        title = self._look.style(clean(self.document.id), "1")
        click.echo(f"{title}  {len(self.items)} to decide\n")
        try:
            end = self._ask_all()
        except (click.Abort, EOFError, KeyboardInterrupt):
            click.echo()
            end = _End.QUIT
        self.skipped += [
            self.items[number].name for number, answer in sorted(self.answers.given.items()) if answer.skipped
        ]
        return end

    def _ask_all(self) -> _End:
        at, step = 0, 1
        while True:
            while 0 <= at < len(self.items) and not self._open(at):
                at += step
            if at < 0:
                at, step = 0, 1
                continue
            match self._ask_item(at) if at < len(self.items) else self._ask_to_write():
                case "w":
                    return _End.DONE
                case "q":
                    return _End.QUIT
                case "x":
                    return _End.LEAVE
                case "b":
                    at, step = at - 1, -1
                case "u":
                    last = self.answers.undo()
                    if last is None:
                        click.echo("Nothing to undo.")
                    else:
                        at, step = last, 1
                case _:
                    at, step = at + 1, 1

    def _open(self, number: int) -> bool:
        """Return whether there is something to ask: an edit of other words may have answered it."""
        return number in self.answers.given or self.answers.free(number, self.items[number].span)

    def _ask_to_write(self) -> str:
        """Ask whether to write the answers; where keys are pressed, the last one can be taken back as well."""
        if not self._keys:
            return "w"
        given = self.answers.given.values()
        count = sum(bool(answer.edits or answer.comment) for answer in given)
        kept = sum(answer.kept for answer in given)
        click.echo(f"All decided: {count} to change, {kept} to keep.")
        while True:
            answer = self._key("[w]rite, [b]ack, [u]ndo, [x] leave the file as it is")
            if answer in ("w", "b", "u", "x", "q"):
                return "w" if answer == "q" else answer

    # --- one question -------------------------------------------------------------------------------------------------

    def _ask_item(self, number: int) -> str:
        """Ask until there is an answer or a wish to go elsewhere; return the key."""
        item = self.items[number]
        before = self.answers.given.get(number)
        current = 0
        self._show(number, current)
        while True:
            key = self._key(self._question(item), empty=before is not None)
            if key in ("q", "x", "b", "u") or (key == "" and before):
                return key
            if key == "?":
                click.echo(_HELP, nl=False)
            elif key == "o" and len(item.choices) > 1:
                current = (current + 1) % len(item.choices)
                self._show(number, current)
            else:
                answer = self._answer(item, key, current)
                if isinstance(answer, str):
                    click.echo(answer)
                elif any(
                    edit.conflicts(other) for edit in answer.edits for other in self.answers.edits(number)
                ):
                    click.echo(
                        "An edit that you accepted already changes these words; skip this one, or go back."
                    )
                else:
                    self.answers.set(number, answer)
                    return key

    def _question(self, item: _Item) -> str:
        keys = ["[a]ccept", "[o]ther"][: min(len(item.choices), 2)]
        if self._deletion(item) is not None:
            keys.append("[d]elete")
        keys += (
            ["[e]dit", "[k]eep", "[m]ark as quoted", "[t]ell who says so"] if item.findings else ["[e]dit"]
        )
        return ", ".join((*keys, "[s]kip", "[b]ack", "[u]ndo", "[q]uit", "[?]"))

    def _answer(self, item: _Item, key: str, current: int) -> _GivenAnswer | str:
        """Return what a key decides, or what to say if it decides nothing."""
        if key == "a" and item.choices:
            return self._take(item.choices[current])
        if key in ("1", "2", "3") and int(key) <= len(item.choices):
            return self._take(item.choices[int(key) - 1])
        if key == "s":
            return _GivenAnswer("skipped", skipped=True)
        if key == "d":
            edit = self._deletion(item)
            return (
                self._take(edit)
                if edit
                else "The sentence does not stand without these words; edit it by hand."
            )
        if key == "e":
            return self._by_hand(item, current)
        if key == "o":
            return "No other suggestion."
        if not item.findings or key not in ("k", "i", "c", "m", "t"):
            return "Answer with one of the letters in brackets, or ? for help."
        if key in ("k", "i", "c"):
            return self._keep(key)
        return self._attribute(item, key)

    def _take(self, edit: Edit) -> _GivenAnswer:
        return _GivenAnswer(wording(self.document.source, edit, 0), (edit,))

    def _deletion(self, item: _Item) -> Edit | None:
        if len(item.findings) != 1:
            return None
        return deletion(self.document, item.sentence, item.findings[0])

    def _keep(self, key: str) -> _GivenAnswer | str:
        if key == "c" and self.document.format == "paragraphs":
            return "A Word document has no comments of this kind; keep the words with k or i."
        reason = "" if key == "k" else self._text("Why is this wording fine here")
        if key != "k" and not reason:
            return "Nothing was changed: without a reason, keep the words with k."
        return _GivenAnswer("kept", kept=key != "c", comment=key == "c", reason=reason)

    def _attribute(self, item: _Item, key: str) -> _GivenAnswer | str:
        if key == "m" and len(item.findings) == 1:
            who = self._text("Whose words are they (empty if the text says so already)", empty=True)
            edit = quote(self.document, item.sentence, item.findings[0], who)
            return self._take(edit) if edit else "The marks would not make a quotation here; edit it by hand."
        if key == "m":
            return "Several findings would change; edit it by hand."
        if attribute(self.document, item.sentence) is None:
            return "This is not a plain statement; edit it by hand."
        who = self._text("Who says so")
        edit = attribute(self.document, item.sentence, who) if who else None
        return _GivenAnswer(f"according to {who}", (edit,)) if edit else "Nothing was changed."

    def _by_hand(self, item: _Item, current: int) -> _GivenAnswer | str:
        """Ask for a replacement; to delete the words, prefer the edit that does so and tidies up."""
        source = self.document.source
        span = item.findings[0].span if len(item.findings) == 1 else item.span
        question = f"Instead of \u201c{clean(source[span.start : span.end])}\u201d (empty to delete it)"
        words = self._text(question, empty=True)
        if not words:
            chosen = item.choices[current] if item.choices else None
            tidy = chosen if chosen is not None and not chosen.replacement.strip() else self._deletion(item)
            if tidy is not None:
                return self._take(tidy)
            if source[span.start - 1 : span.start] == " ":
                span = Span(span.start - 1, span.end)
        return self._take(Edit(span.start, span.end, words))

    # --- the terminal -------------------------------------------------------------------------------------------------

    def _key(self, question: str, *, empty: bool = False) -> str:
        """Return the key that the user presses, or the first letter of a line where keys cannot be read."""
        if not self._keys:
            default = "" if empty else None
            line: str = click.prompt(question, prompt_suffix="? ", default=default, show_default=False)
            return line.strip()[:1].lower()
        for line in wrap(f"{question}? ", self._look.width)[:-1]:
            click.echo(line)
        click.echo(wrap(f"{question}? ", self._look.width)[-1].rstrip() + " ", nl=False)
        pressed = click.getchar()
        key = "" if pressed in ("\r", "\n") else pressed[:1].lower()
        click.echo(clean(key))
        return key

    def _text(self, question: str, *, empty: bool = False) -> str:
        """Return a line that the user types; nothing if the user takes the question back with Ctrl-C."""
        try:
            default = "" if empty or self._keys else None
            return clean(click.prompt(question, default=default, show_default=False)).strip()
        except click.Abort:
            if not self._keys:
                raise
            click.echo()
            return ""

    def _show(self, number: int, current: int) -> None:
        """Show the sentence with the words marked, the reason, the rule and the wordings."""
        item, look, source = self.items[number], self._look, self.document.source
        rules = ", ".join(dict.fromkeys(finding.id for finding in item.findings))
        counter = f"{number + 1} of {len(self.items)}"
        spans = [finding.span for finding in item.findings] or [item.span]
        line, column = self._lines.locate(spans[0].start)
        head = f"  {line}:{column}".ljust(len(_MARGIN))
        gap = " " * max(2, look.width - cells(head + counter + rules))
        click.echo(look.style(head, "2") + look.style(counter, "1") + gap + look.style(clean(rules), "2"))
        start, end = item.sentence.start, item.sentence.end
        marked = [Span(span.start - start, min(span.end, end) - start) for span in spans]
        for row in marked_lines(source[start:end], marked, look):
            click.echo(_MARGIN + row)
        for finding in item.findings:
            for row in wrap(clean(finding.why), look.room):
                click.echo(_MARGIN + row)
        for place, edit in enumerate(item.choices):
            mark = ">" if place == current else " "
            said = f"{mark} {place + 1}  {wording(source, edit, 0)}"
            click.echo(f"{_MARGIN}{said}  {look.style(edit.applicability.value, '2')}")
            for row in wrap(clean(edit.note), look.room - 5) if edit.note else ():
                click.echo(f"{_MARGIN}     {look.style(row, '2')}")
        if not item.choices:
            click.echo(_MARGIN + look.style("No wording is offered.", "2"))
        answer = self.answers.given.get(number)
        if answer is not None:
            click.echo(f"{_MARGIN}Your answer: {answer.said}. Enter leaves it so.")


def _items(fixed: Fixed) -> Iterator[_Item]:
    sentences = {
        finding: sentence for sentence, findings in by_sentence(fixed.report) for finding in findings
    }
    answered = {finding for edit in fixed.edits for finding in edit.findings}
    items = [
        _Item(_name(edit.findings, edit.edit), edit.edit.span, edit.findings, _choices(edit), edit.sentence)
        for edit in fixed.edits
    ]
    items += [
        _Item(_name((finding,), None), finding.span, (finding,), (), sentences.get(finding, finding.span))
        for finding in fixed.report.findings
        if finding not in answered
    ]
    return iter(sorted(items, key=lambda item: item.span))


def _choices(suggestion: Suggestion) -> tuple[Edit, ...]:
    edits = (suggestion.edit, *suggestion.alternatives)
    return tuple(edit for edit in edits if edit.applicability is not Applicability.DISPLAY)[:3]


def _name(findings: tuple[Finding, ...], edit: Edit | None) -> str:
    """Return a name that stays when other words of the sentence change."""
    if findings:
        return f"{findings[0].rule or findings[0].kind}: {findings[0].text}"
    return f"edit: {edit.replacement}" if edit else ""


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(outcome: FixOutcome, file: _FileQuestions, list_for: Callable[[Path], Path]) -> tuple[int, int]:
    """Write the answers about a file; return how many changes were made in it, and how many findings were listed.

    The text is replaced in one step, then the list of what is kept.
    """
    opened = outcome.opened
    if opened is None:
        return 0, 0
    edits = file.answers.edits()
    made = len(edits)
    if file.document.format == "paragraphs":
        if edits:
            saved = save_tracked(outcome, edits)
            click.echo(f"Your changes are tracked changes in {clean(str(saved.copy))}.")
            if saved.refusal:
                click.echo(saved.refusal)
            made = saved.tracked
    else:
        text, comments = _with_comments(file, edits)
        made += comments
        if text != file.document.source:
            opened.write(text)
    kept = [
        keep_words(
            finding, _sentence_after(file.document.source, file.items[number].sentence, edits), answer.reason
        )
        for number, answer in sorted(file.answers.given.items())
        if answer.kept
        for finding in file.items[number].findings
    ]
    if kept:
        add_kept(list_for(opened.path), opened.path, kept)
    return made, len(kept)


def _with_comments(file: _FileQuestions, edits: Sequence[Edit]) -> tuple[str, int]:
    """Return the text with its edits and inline ignores, and the number of these."""
    text = apply_edits(file.document.source, edits)
    comments = [
        (move_offset(item.findings[0].span.start, edits), item, answer)
        for number, answer in file.answers.given.items()
        if answer.comment and (item := file.items[number])
    ]
    # from the last to the first, so that no place moves before its turn
    for start, item, answer in sorted(comments, key=lambda each: -each[0]):
        names = tuple(dict.fromkeys(finding.rule or finding.kind for finding in item.findings))
        written = Document(text, text, format=file.document.format)
        text = apply_edits(text, [ignore_comment(written, Span(start, start + 1), names, answer.reason)])
    return text, len(comments)


def _sentence_after(source: str, sentence: Span, edits: Sequence[Edit]) -> str:
    own = [edit.shift(-sentence.start) for edit in edits if sentence.contains(edit.span)]
    return apply_edits(source[sentence.start : sentence.end], own)


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
