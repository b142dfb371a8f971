"""Code actions: apply a suggestion, or ignore a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from unslant.core.types import Applicability, Document, Edit, Finding
from unslant.editor.checker import CheckResult
from unslant.editor.diagnostics import diagnostic
from unslant.report.printable import shorten
from unslant.text.reading import read

__all__ = ["FIX_ALL", "fix_all", "ignores", "quick_fixes", "wants_kind", "workspace_edit"]

FIX_ALL = "source.fixAll.unslant"
"""The kind that editors request to fix a file on save."""

_REASON = "kept by the author"
_LONG = 60


def wants_kind(only: Sequence[str] | None, kind: str) -> bool:
    """Return whether a request wants actions of a kind; kinds are nested by dots."""
    # some kinds are enum members, which are strings but format differently
    return only is None or any(kind == wanted or kind.startswith(wanted[:] + ".") for wanted in only)


def quick_fixes(
    checked: CheckResult, finding: Finding, edits: Sequence[Edit], *, versioned: bool
) -> Iterator[types.CodeAction]:
    """Yield one action for each edit of a finding, the best first."""
    for number, edit in enumerate(edits):
        yield types.CodeAction(
            title=_title(edit, checked.document.text),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(checked, finding)],
            is_preferred=number == 0 and edit.applicability is Applicability.SAFE,
            edit=workspace_edit(checked, [edit], versioned=versioned),
        )


def _title(edit: Edit, source: str) -> str:
    old = shorten(" ".join(source[edit.span.start : edit.span.end].split()), _LONG)
    new = shorten(" ".join(edit.replacement.split()), _LONG)
    return f"Replace “{old}” with “{new}”" if new else f"Delete “{old}”"


def ignores(checked: CheckResult, finding: Finding, *, versioned: bool) -> Iterator[types.CodeAction]:
    """Yield the action that ignores a finding with an inline comment; the writer can replace the reason in it."""
    selector = finding.rule or finding.kind
    at = _place(checked, finding, selector)
    if at is None:
        return
    place = checked.positions.place(at)
    change = types.TextEdit(types.Range(place, place), _comment(selector))
    yield types.CodeAction(
        title=f"Ignore {selector} here…",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(checked, finding)],
        edit=_workspace_edit(checked, [change], versioned=versioned),
    )


def _comment(selector: str) -> str:
    return f" <!-- unslant: ignore {selector} -- {_REASON} -->"


def _place(checked: CheckResult, finding: Finding, selector: str) -> int | None:
    """Return where a comment applies to a finding and changes no other prose, or None.

    The end of the line is the least disruptive place. If that is inside a tag or a table, the comment goes directly
    after the words.
    """
    document = checked.report.document if checked.report else None
    if document is None:
        return None
    line = checked.positions.place(finding.span.end - 1).line
    start, end = checked.positions.line(line)
    written = document.source[start:end].rstrip(" \t")
    if document.format == "markdown":
        written = written.removesuffix("\\")  # a line break, like two blanks at the end
    places = (start + len(written), finding.span.end)
    comment = _comment(selector)
    return next(
        (at for at in places if at >= finding.span.end and _comment_covers(document, finding, comment, at)),
        None,
    )


def _comment_covers(document: Document, finding: Finding, comment: str, at: int) -> bool:
    after = read(document.source[:at] + comment + document.source[at:], document.format, document.id)
    if after.prose[:at] != document.prose[:at] or after.prose[at + len(comment) :] != document.prose[at:]:
        return False
    return any(
        at <= directive.span.start < at + len(comment) and directive.scope.overlaps(finding.span)
        for directive in after.directives
    )


def fix_all(checked: CheckResult, edits: Sequence[Edit] | None, *, versioned: bool) -> types.CodeAction:
    """Return the action that applies all safe edits; if ``edits`` is None, they are computed on demand."""
    return types.CodeAction(
        title="Apply all safe edits of unslant",
        kind=FIX_ALL,
        edit=None if edits is None else workspace_edit(checked, edits, versioned=versioned),
        data={"uri": checked.document.uri},
    )


def workspace_edit(checked: CheckResult, edits: Sequence[Edit], *, versioned: bool) -> types.WorkspaceEdit:
    """Return edits in the client's format; all positions refer to the unchanged document."""
    changes = [types.TextEdit(checked.positions.range(edit.span), edit.replacement) for edit in edits]
    return _workspace_edit(checked, changes, versioned=versioned)


def _workspace_edit(
    checked: CheckResult, changes: Sequence[types.TextEdit], *, versioned: bool
) -> types.WorkspaceEdit:
    document = checked.document
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: list(changes)})
    named = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, list(changes))])
