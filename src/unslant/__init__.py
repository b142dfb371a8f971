"""Finds slanted wording in text, says what kind it is and why, and offers a neutral wording.

>>> import unslant
>>> report = unslant.check("The legendary singer slammed the plan.")
>>> [finding.text for finding in report.findings]
['legendary', 'slammed']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unslant.api import check as check
    from unslant.api import fix as fix
    from unslant.core.errors import InputError as InputError
    from unslant.core.errors import UnslantError as UnslantError
    from unslant.core.types import Applicability as Applicability
    from unslant.core.types import Document as Document
    from unslant.core.types import Edit as Edit
    from unslant.core.types import Finding as Finding
    from unslant.core.types import Note as Note
    from unslant.core.types import Report as Report
    from unslant.core.types import Severity as Severity
    from unslant.core.types import Span as Span
    from unslant.edits.result import Fixed as Fixed
    from unslant.edits.result import Suggestion as Suggestion
    from unslant.lab.debias.model import debias as debias
    from unslant.pipeline import Pipeline as Pipeline
    from unslant.spec import Spec as Spec
    from unslant.tables.many import Reports as Reports
    from unslant.tables.many import check_many as check_many
    from unslant.text.reading import read as read

    __version__: str

_HOME = {
    "Applicability": "core.types",
    "Document": "core.types",
    "Edit": "core.types",
    "Finding": "core.types",
    "Fixed": "edits.result",
    "InputError": "core.errors",
    "Note": "core.types",
    "Pipeline": "pipeline",
    "Report": "core.types",
    "Reports": "tables.many",
    "Severity": "core.types",
    "Span": "core.types",
    "Spec": "spec",
    "Suggestion": "edits.result",
    "UnslantError": "core.errors",
    "check": "api",
    "check_many": "tables.many",
    "debias": "lab.debias.model",
    "fix": "api",
    "read": "text.reading",
}
"""Where each public name lives; it is loaded on first use, so that importing unslant costs next to nothing."""

__all__ = [
    "Applicability",
    "Document",
    "Edit",
    "Finding",
    "Fixed",
    "InputError",
    "Note",
    "Pipeline",
    "Report",
    "Reports",
    "Severity",
    "Span",
    "Spec",
    "Suggestion",
    "UnslantError",
    "__version__",
    "check",
    "check_many",
    "debias",
    "fix",
    "read",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("unslant.version").VERSION
    if name not in _HOME:
        raise AttributeError(f"module 'unslant' has no attribute {name!r}")
    module, _, own_name = _HOME[name].partition(":")
    value = getattr(importlib.import_module(f"unslant.{module}"), own_name or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
