"""The requests and notifications of the protocol that the server supports."""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from pygls.exceptions import PyglsError

from unslant.core.types import Edit, Finding
from unslant.editor import actions
from unslant.editor.checker import CheckResult
from unslant.editor.configuration import editor_options
from unslant.editor.diagnostics import diagnostics, findings_in, hover
from unslant.editor.server import EditorServer

__all__ = ["register"]

_WATCHED = "**/*.toml"
"""Configuration files and rule files."""


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
            code_action_kinds=[types.CodeActionKind.QuickFix, actions.FIX_ALL], resolve_provider=True
        ),
    )(_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolve)


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
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
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
    checked = await ls.checked(uri)
    if checked is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    result = "-".join(map(str, checked.key))
    if params.previous_result_id == result:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
    return types.RelatedFullDocumentDiagnosticReport(items=diagnostics(checked), result_id=result)


async def _hover(ls: EditorServer, params: types.HoverParams) -> types.Hover | None:
    checked = await ls.checked(params.text_document.uri)
    if checked is None:
        return None
    text_document = ls.client_capabilities.text_document
    formats = text_document.hover.content_format if text_document and text_document.hover else None
    return hover(checked, params.position, markdown=types.MarkupKind.Markdown in (formats or ()))


async def _code_action(ls: EditorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    checked = await ls.checked(params.text_document.uri)
    if checked is None or checked.report is None:
        return []
    only = params.context.only
    offered: list[types.CodeAction] = []
    if actions.wants_kind(only, types.CodeActionKind.QuickFix):
        found = list(findings_in(checked, params.range))
        edits = await ls.run_in_worker(ls.checker.suggestions, checked, found)
        # ignore comments are tested before they are offered, which means parsing the document again
        offered += await asyncio.to_thread(_quick_actions, checked, edits, _supports_versions(ls))
    if actions.wants_kind(only, actions.FIX_ALL) and checked.report.findings:
        lazily = actions.fix_all(checked, None, versioned=_supports_versions(ls))
        fix = (
            await _fixed(ls, checked.document.uri)
            if only is not None
            else lazily
            if _can_resolve(ls)
            else None
        )
        offered += [fix] if fix is not None else []
    return offered


def _quick_actions(
    checked: CheckResult, found: dict[Finding, tuple[Edit, ...]], versioned: bool
) -> list[types.CodeAction]:
    offered: list[types.CodeAction] = []
    for finding, edits in found.items():
        offered += actions.quick_fixes(checked, finding, edits, versioned=versioned)
    for finding in found:
        offered += actions.ignores(checked, finding, versioned=versioned)
    return offered


async def _resolve(ls: EditorServer, action: types.CodeAction) -> types.CodeAction:
    data: Any = action.data
    if action.kind != actions.FIX_ALL or not isinstance(data, dict):
        return action
    return await _fixed(ls, str(data.get("uri"))) or action


async def _fixed(ls: EditorServer, uri: str) -> types.CodeAction | None:
    """Return the safe edits for the current state of a document, or None if it is closed."""
    while (checked := await ls.checked(uri)) is not None:
        edits, problem = await ls.run_in_worker(ls.checker.safe_edits, checked)
        ls.show_error(problem)
        if await ls.checked(uri) is checked:
            return actions.fix_all(checked, edits, versioned=_supports_versions(ls))
    return None


def _supports_versions(ls: EditorServer) -> bool:
    workspace = ls.client_capabilities.workspace
    return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def _can_resolve(ls: EditorServer) -> bool:
    text_document = ls.client_capabilities.text_document
    support = (
        text_document.code_action.resolve_support if text_document and text_document.code_action else None
    )
    return support is not None and "edit" in support.properties
