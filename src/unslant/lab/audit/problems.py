"""What can be wrong with what an audit is given."""

from __future__ import annotations

from unslant.core.errors import InputError

__all__ = ["AuditError", "JudgeError", "SuiteError"]


class AuditError(InputError):
    """A run folder, or what was asked of it, cannot be used."""


class SuiteError(InputError):
    """A suite of prompts cannot be used."""


class JudgeError(InputError):
    """A judge cannot be used, or says something that is not a probability."""
