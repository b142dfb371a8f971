"""The requests and notifications of the protocol that the server supports.

Code actions apply a wording, do what a writer can do without one, or ignore a finding; commands set the profile and
keep words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import PyglsError

from unslant.core.errors import ConfigError
from unslant.core.types import Applicability, Document, Edit, Finding
from unslant.editor.checker import CheckResult, sentences_with
from unslant.editor.diagnostics import diagnostic, diagnostics, findings_in, hover
from unslant.editor.documents import editor_options
from unslant.editor.server import EditorServer
from unslant.edits.actions import WHO, attribute, deletion, quote
from unslant.report.printable import shorten
from unslant.text.edits import deleted_words, minimal_change
from unslant.text.reading import read
from unslant.workspace.ignore_file import NAME as IGNORE_FILE

FIX_ALL = "source.fixAll.unslant"
"""The kind that editors request to fix a file on save."""

SET_PROFILE, KEEP, SELECT = "unslant.setProfile", "unslant.keep", "unslant.select"
"""The commands of the server."""

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
    gone = deleted_words(source, edit)
    if gone:
        return f"Delete “{_short(gone)}”"
    old, new = _short(source[edit.start : edit.end]), _short(edit.replacement)
    return f"Replace “{old}” with “{new}”" if new else f"Delete “{old}”"


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), _LONG)


def further_actions(
    checked: CheckResult, finding: Finding, edits: Sequence[Edit], *, versioned: bool, selects: bool
) -> Iterator[types.CodeAction]:
    """Yield what can be done about a finding besides taking a wording.

    The words can be left out if the sentence stands without them. Where no wording is offered, they can also be marked
    as quoted or attributed, with a gap for the writer to fill, or, if the editor ``selects`` text on request, typed
    over.
    """
    report = checked.report
    if report is None:
        return
    document, words = report.document, _short(finding.text)
    sentence = next(iter(sentences_with(report, [finding])), finding.span)
    offered: list[tuple[str, Edit | None]] = [
        (f"Delete “{words}”", deletion(document, sentence, finding)),
    ]
    if not edits:
        offered += [
            (
                f"Mark “{words}” as quoted, according to {WHO}",
                quote(document, sentence, finding, WHO),
            ),
            (f"Attribute the sentence: according to {WHO}", attribute(document, sentence)),
        ]
    known = {minimal_change(document.source, edit) for edit in edits}
    for title, edit in offered:
        if edit is not None and minimal_change(document.source, edit) not in known:
            yield types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(checked, finding)],
                edit=workspace_edit(checked, [edit], versioned=versioned),
            )
    commands = [(SELECT, f"Write something else for “{words}”")] if selects and not edits else []
    if checked.document.path is not None:
        commands.append((KEEP, f"Keep “{words}”: list it in {IGNORE_FILE}"))
    for command, title in commands:
        yield types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(checked, finding)],
            command=types.Command(title, command, arguments=[checked.document.uri, finding.fingerprint]),
        )


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


_WATCHED = ("**/*.toml", f"**/{IGNORE_FILE}")
"""Configuration files, rule files, and lists of what is kept."""


def register(server: EditorServer) -> None:
    """Register all handlers."""
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_did_change_watched_files)
    server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier="unslant"
        ),
    )(_diagnostic)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
        ),
    )(_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolve)
    server.command(SET_PROFILE)(_set_profile)
    server.command(KEEP)(_keep)
    server.command(SELECT)(_select)


def _initialize(ls: EditorServer, params: types.InitializeParams) -> None:
    ls.documents.encoding = str(
        getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding)
    )
    options = editor_options(params.initialization_options)
    ls.configuration.reload({} if options is None else options)


async def _initialized(ls: EditorServer, _: types.InitializedParams) -> None:
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching and watching.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(glob) for glob in _WATCHED]
        )
        wanted = types.Registration("unslant-toml", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        ls.client_register_capability(types.RegistrationParams([wanted]))
    changing = workspace.did_change_configuration if workspace else None
    if changing and changing.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions(section="unslant")
        wanted = types.Registration("unslant-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section)
        ls.client_register_capability(types.RegistrationParams([wanted]))
    await _request_options(ls)


async def _request_options(ls: EditorServer) -> bool:
    """Request the editor's settings; return whether it sent any."""
    workspace = ls.client_capabilities.workspace
    if not workspace or not workspace.configuration:
        return False
    items = [types.ConfigurationItem(section="unslant")]
    try:
        answer = await ls.workspace_configuration_async(types.ConfigurationParams(items))
    except PyglsError:
        return False
    options = answer[0] if answer else None
    if options:
        ls.reload(options)
    return bool(options)


async def _did_change_configuration(ls: EditorServer, params: types.DidChangeConfigurationParams) -> None:
    if not await _request_options(ls):
        sent: Any = params.settings
        ls.reload(editor_options(sent) or None)


def _did_change_watched_files(ls: EditorServer, _: types.DidChangeWatchedFilesParams) -> None:
    ls.reload()


async def _diagnostic(
    ls: EditorServer, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    uri = params.text_document.uri
    first = await ls.glance(uri) if ls.refreshes else None
    if first is not None and first.report is not None:
        ls.finish_later(uri)
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics(first))
    checked = await ls.result_of(uri)
    if checked is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    result = "-".join(map(str, checked.key))
    if params.previous_result_id == result:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
    return types.RelatedFullDocumentDiagnosticReport(items=diagnostics(checked), result_id=result)


async def _hover(ls: EditorServer, params: types.HoverParams) -> types.Hover | None:
    checked = await ls.result_of(params.text_document.uri)
    if checked is None:
        return None
    text_document = ls.client_capabilities.text_document
    formats = text_document.hover.content_format if text_document and text_document.hover else None
    return hover(checked, params.position, markdown=types.MarkupKind.Markdown in (formats or ()))


async def _code_action(ls: EditorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    checked = await ls.result_of(params.text_document.uri)
    if checked is None or checked.report is None:
        return []
    only = params.context.only
    offered: list[types.CodeAction] = []
    if wants_kind(only, types.CodeActionKind.QuickFix):
        found = list(findings_in(checked, params.range))
        edits = await ls.run_in_worker(ls.checker.suggestions, checked, found)
        # ignore comments are tested before they are offered, which means parsing the document again
        offered += await asyncio.to_thread(
            _quick_actions, checked, edits, _supports_versions(ls), _can_select(ls)
        )
    if wants_kind(only, FIX_ALL) and checked.report.findings:
        lazily = fix_all(checked, None, versioned=_supports_versions(ls))
        fix = (
            await _fix_all(ls, checked.document.uri)
            if only is not None
            else lazily
            if _can_resolve(ls)
            else None
        )
        offered += [fix] if fix is not None else []
    return offered


def _quick_actions(
    checked: CheckResult, found: dict[Finding, tuple[Edit, ...]], versioned: bool, selects: bool
) -> list[types.CodeAction]:
    offered: list[types.CodeAction] = []
    for finding, edits in found.items():
        offered += quick_fixes(checked, finding, edits, versioned=versioned)
    for finding, edits in found.items():
        offered += further_actions(checked, finding, edits, versioned=versioned, selects=selects)
    for finding in found:
        offered += ignores(checked, finding, versioned=versioned)
    return offered


async def _resolve(ls: EditorServer, action: types.CodeAction) -> types.CodeAction:
    data: Any = action.data
    if action.kind != FIX_ALL or not isinstance(data, dict):
        return action
    return await _fix_all(ls, str(data.get("uri"))) or action


async def _fix_all(ls: EditorServer, uri: str) -> types.CodeAction | None:
    """Return the safe edits for the current state of a document, or None if it is closed."""
    while (checked := await ls.result_of(uri)) is not None:
        edits, problem = await ls.run_in_worker(ls.checker.safe_edits, checked)
        ls.show_error(problem)
        if await ls.result_of(uri) is checked:
            return fix_all(checked, edits, versioned=_supports_versions(ls))
    return None


def _set_profile(ls: EditorServer, name: str) -> None:
    """Judge all documents by another profile."""
    try:
        ls.configuration.set_profile(name)
    except ConfigError as error:
        ls.show_error(str(error))
        return
    ls.reload()


async def _keep(ls: EditorServer, uri: str, fingerprint: str) -> None:
    """Add a finding to the list of what is kept, and check again."""
    checked, finding = await _named(ls, uri, fingerprint)
    if checked is None or finding is None:
        return
    problem = await ls.run_in_worker(ls.checker.keep, checked, finding)
    ls.show_error(problem)
    if not problem:
        ls.reload()


async def _select(ls: EditorServer, uri: str, fingerprint: str) -> None:
    """Select the words of a finding, so that the writer types over them."""
    checked, finding = await _named(ls, uri, fingerprint)
    if checked is not None and finding is not None:
        words = checked.positions.range(finding.span)
        ls.window_show_document(types.ShowDocumentParams(uri, take_focus=True, selection=words))


async def _named(ls: EditorServer, uri: str, fingerprint: str) -> tuple[CheckResult | None, Finding | None]:
    checked = await ls.result_of(uri)
    found = checked.report.findings if checked is not None and checked.report is not None else ()
    return checked, next((finding for finding in found if finding.fingerprint == fingerprint), None)


def _can_select(ls: EditorServer) -> bool:
    window = ls.client_capabilities.window
    return bool(window and window.show_document and window.show_document.support)


def _supports_versions(ls: EditorServer) -> bool:
    workspace = ls.client_capabilities.workspace
    return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def _can_resolve(ls: EditorServer) -> bool:
    text_document = ls.client_capabilities.text_document
    support = (
        text_document.code_action.resolve_support if text_document and text_document.code_action else None
    )
    return support is not None and "edit" in support.properties
