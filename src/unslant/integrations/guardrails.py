"""A validator for Guardrails: a text passes if it has no slanted wording, and can be fixed otherwise.

from guardrails import Guard
from unslant.integrations.guardrails import NeutralWording

guard = Guard().use(NeutralWording(unsafe=True, on_fail="fix"))
guard.validate("The senator slammed the plan.")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from guardrails.validator_base import (
    ErrorSpan,
    FailResult,
    PassResult,
    ValidationResult,
    Validator,
    register_validator,
)

from unslant.api import check, fix
from unslant.report.messages import message
from unslant.spec import Spec
from unslant.validation import check_spec


@register_validator(name="unslant/neutral-wording", data_type="string")  # type: ignore[untyped-decorator, unused-ignore]
class NeutralWording(Validator):  # type: ignore[misc]
    """Passes texts without findings; ``on_fail="fix"`` makes the safe edits, with ``unsafe`` also the others."""

    def __init__(
        self,
        unsafe: bool = False,
        analyzers: Sequence[str] = ("rules",),
        on_fail: str | Callable[..., Any] | None = None,
    ) -> None:
        self._spec = Spec(analyzers=tuple(analyzers))
        check_spec(self._spec)
        self._unsafe = unsafe
        super().__init__(on_fail=on_fail, unsafe=unsafe, analyzers=list(analyzers))

    def _validate(self, value: Any, metadata: dict[str, Any]) -> ValidationResult:  # noqa: ARG002
        report = check(value, spec=self._spec)
        if not report.findings:
            return PassResult()
        fixed = fix(value, unsafe=self._unsafe, spec=self._spec)
        reasons = [message(finding, value) for finding in report.findings]
        return FailResult(
            error_message=" ".join(reasons),
            fix_value=fixed.text,
            error_spans=[
                ErrorSpan(start=finding.span.start, end=finding.span.end, reason=reason)
                for finding, reason in zip(report.findings, reasons, strict=True)
            ],
        )
