"""Which heads speak together: one marks the words, one says how likely their sentence is slanted.

A network may have learned the same question from several corpora, a head for each. A head that marks words is believed
as far as the head that judged whole sentences of the same corpora agrees.
"""

from __future__ import annotations

from dataclasses import dataclass

from unslant.core.errors import ModelError
from unslant.neural.checkpoint import Package

__all__ = ["Voice", "first_of", "voices"]

_PARTNERS = {"spans": "revision", "rationale": "abuse"}
"""Who judges sentences for whom, in our own recipes; the head ``sentence`` does for all others."""
_KINDS = {"rationale": "demographic"}


@dataclass(frozen=True, slots=True)
class Voice:
    """A head that marks words."""

    spans: str
    sentence: str | None = None
    """The head that says how likely the sentence is slanted."""
    kind: str | None = None
    """How everything slants that it marks; None: the heads for kinds decide."""


def first_of(package: Package, type_: str) -> str | None:
    """Return the head that answers a question: the one that bears its name, or the first of its type."""
    named = [name for name, head in package.heads.items() if head.type == type_]
    return type_ if type_ in named else (named[0] if named else None)


def voices(package: Package) -> list[Voice]:
    """Return what the folder says, or by the names of our own recipes."""
    if package.span_heads:
        found = [
            Voice(one.get("spans", ""), one.get("sentence"), one.get("kind")) for one in package.span_heads
        ]
        for voice in found:
            for name in (voice.spans, voice.sentence):
                if name is not None and name not in package.heads:
                    raise ModelError(
                        f"the model in {str(package.folder)!r} has no head {name!r}, which it names"
                    )
        return found
    general = first_of(package, "sentence")
    return [
        Voice(
            name, partner if (partner := _PARTNERS.get(name)) in package.heads else general, _KINDS.get(name)
        )
        for name, head in package.heads.items()
        if head.type == "spans"
    ]
