"""The labels of the edit head: what can happen to some words."""

from __future__ import annotations

from unslant.core.types import Edit, Span

__all__ = ["DELETE", "KEEP", "edit_label", "labelled_edit"]

KEEP, DELETE = "keep", "delete"
_REPLACE, _BEFORE = "replace:", "before:"


def labelled_edit(label: str, span: Span, probability: float | None = None) -> Edit:
    """Return what a label does to the words of a span; a label that is no edit is a ``ValueError``."""
    if label == DELETE:
        return Edit(span.start, span.end, "", probability=probability)
    for prefix, end in ((_REPLACE, span.end), (_BEFORE, span.start)):
        if label.startswith(prefix) and label[len(prefix) :].strip():
            return Edit(span.start, end, label[len(prefix) :], probability=probability)
    raise ValueError(f"no such edit: {label!r}")


def edit_label(edit: Edit) -> str:
    """Return the label of an edit; :func:`labelled_edit` reads it back."""
    if not edit.replacement:
        return DELETE
    return (_BEFORE if edit.start == edit.end else _REPLACE) + edit.replacement
