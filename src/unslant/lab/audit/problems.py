"""What can be wrong with what an audit is given."""

from __future__ import annotations

from unslant.core.errors import InputError

__all__ = ["AuditError", "SuiteError"]


class AuditError(InputError):
    """A run folder, or what was asked of it, cannot be used."""


class SuiteError(InputError):
    """A suite of prompts cannot be used."""
