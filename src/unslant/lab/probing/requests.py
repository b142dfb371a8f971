"""What a model is asked to write, and what it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unslant.lab.probing.constraints import Constraint

__all__ = ["END", "Request", "Written"]

END = -1
"""Stands for the end of an answer among the options; a model may end it by any of several tokens."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt, with what may be written after it and how it is drawn."""

    tokens: Sequence[int]
    constraint: Constraint | None = None
    """None: anything may be written."""
    longest: int = 16
    """How many tokens are written at most."""
    temperature: float = 0.0
    """0: always the likeliest token."""
    top_k: int = 0
    """Only so many of the likeliest tokens are drawn from; 0: all."""
    seed: str = ""
    """Whatever else is asked at the same time, the same seed draws the same numbers."""


@dataclass(slots=True)
class Written:
    """What a model wrote."""

    tokens: list[int] = field(default_factory=list)
    state: int = 0
    """Where the constraint stands."""
    ended: bool = False
    """Whether the model ended the answer; if not, it was cut."""
    first: Mapping[int, float] = field(default_factory=dict)
    """The probabilities of the options where the model first had a choice; only of constrained answers."""
    probability: float = 1.0
    """Of the whole answer among all that the constraint allows."""
