"""What a writer can do about a finding without typing: take a wording, or ignore it for a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from unslant.core.types import Applicability, Document, Edit, Finding
from unslant.editor.checker import Checked
from unslant.editor.diagnostics import diagnostic
from unslant.report.printable import shorten
from unslant.text.reading import read

__all__ = ["FIX_ALL", "edits_of", "fix_all", "ignores", "quick_fixes", "wants"]

FIX_ALL = "source.fixAll.unslant"
"""Asked for by editors that fix on saving."""

_REASONS = ("a title or a name", "a term of the field")
_LONG = 60


def wants(only: Sequence[str] | None, kind: str) -> bool:
    """Say whether a request asks for actions of a kind; kinds are nested by dots."""
    # some kinds come as members of an enumeration, which are strings but are not written as such
    return only is None or any(kind == one or kind.startswith(one[:] + ".") for one in only)


def quick_fixes(
    checked: Checked, finding: Finding, edits: Sequence[Edit], *, versioned: bool
) -> Iterator[types.CodeAction]:
    """Yield one action for each edit that answers a finding, the best first."""
    for number, edit in enumerate(edits):
        yield types.CodeAction(
            title=_title(edit, checked.document.text),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(checked, finding)],
            is_preferred=number == 0 and edit.applicability is Applicability.SAFE,
            edit=edits_of(checked, [edit], versioned=versioned),
        )


def _title(edit: Edit, source: str) -> str:
    old = shorten(" ".join(source[edit.span.start : edit.span.end].split()), _LONG)
    new = shorten(" ".join(edit.replacement.split()), _LONG)
    return f"Write “{new}” for “{old}”" if new else f"Leave out “{old}”"


def ignores(checked: Checked, finding: Finding, *, versioned: bool) -> Iterator[types.CodeAction]:
    """Yield actions that ignore a finding where it stands, each with a reason.

    The last leaves the reason to the writer; until it is written, the finding stays, and a note asks for it.
    """
    selector = finding.rule or finding.kind
    at = _place(checked, finding, selector)
    if at is None:
        return
    for reason in (*_REASONS, ""):
        comment = _comment(selector, reason)
        place = checked.positions.place(at)
        change = types.TextEdit(types.Range(place, place), comment)
        yield types.CodeAction(
            title=f"Ignore {selector} here: {reason or 'another reason, to be written'}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(checked, finding)],
            edit=_workspace_edit(checked, [change], versioned=versioned),
        )


def _comment(selector: str, reason: str) -> str:
    return f" <!-- unslant: ignore {selector} -- {reason}{' ' if reason else ''}-->"


def _place(checked: Checked, finding: Finding, selector: str) -> int | None:
    """Return where a comment covers a finding and leaves all other prose as it was, or None.

    The end of the line is where a comment disturbs least. There it may fall into a tag or a table: then it goes right
    behind the words.
    """
    document = checked.report.document if checked.report else None
    if document is None:
        return None
    line = checked.positions.place(finding.span.end - 1).line
    start, end = checked.positions.line(line)
    written = document.source[start:end].rstrip(" \t")
    if document.format == "markdown":
        written = written.removesuffix("\\")  # a line break, as two blanks at the end are
    places = (start + len(written), finding.span.end)
    comment = _comment(selector, _REASONS[0])
    return next(
        (at for at in places if at >= finding.span.end and _covers(document, finding, comment, at)), None
    )


def _covers(document: Document, finding: Finding, comment: str, at: int) -> bool:
    after = read(document.source[:at] + comment + document.source[at:], document.format, document.id)
    if after.prose[:at] != document.prose[:at] or after.prose[at + len(comment) :] != document.prose[at:]:
        return False
    return any(
        at <= one.span.start < at + len(comment) and one.scope.overlaps(finding.span)
        for one in after.directives
    )


def fix_all(checked: Checked, edits: Sequence[Edit] | None, *, versioned: bool) -> types.CodeAction:
    """Return the action that makes all safe edits; None: they are found when the action is chosen."""
    return types.CodeAction(
        title="Make all safe edits of unslant",
        kind=FIX_ALL,
        edit=None if edits is None else edits_of(checked, edits, versioned=versioned),
        data={"uri": checked.document.uri},
    )


def edits_of(checked: Checked, edits: Sequence[Edit], *, versioned: bool) -> types.WorkspaceEdit:
    """Return edits as a client makes them; all positions are those before any of them."""
    changes = [types.TextEdit(checked.positions.range(edit.span), edit.replacement) for edit in edits]
    return _workspace_edit(checked, changes, versioned=versioned)


def _workspace_edit(
    checked: Checked, changes: Sequence[types.TextEdit], *, versioned: bool
) -> types.WorkspaceEdit:
    document = checked.document
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: list(changes)})
    named = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, list(changes))])
