"""What a server needs to know: what to run, for whom, and how much at most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from unslant.core.errors import ConfigError, nearest
from unslant.spec import Spec

__all__ = ["Limits", "ServerSettings", "read_limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request, and all of them together, may ask for."""

    body_bytes: int = 8_000_000
    """Bytes of a request's body; a longer one is refused before the rest is read."""
    held_bytes: int = 128_000_000
    """Bytes of the bodies of all requests at the same time."""
    text_length: int = 1_000_000
    """Code points of all texts of a request together."""
    items: int = 300
    """Texts in one request."""
    depth: int = 16
    """How deep JSON may be nested."""
    values: int = 20_000
    """Strings, brackets and commas in a body; more are refused before it is parsed."""
    seconds: float = 60.0
    """How long a request may take from its last byte to the first of its answer."""
    header_seconds: float = 10.0
    """How long a client may take to send the head of a request."""
    body_seconds: float = 30.0
    """How long a client may take to send a body, and to take the answer."""
    waiting: int = 256
    """Requests that may wait for a pass; the next is told to come back later."""
    waiting_length: int = 16_000_000
    """Code points that may wait for a pass."""
    connections: int = 500
    """Connections at the same time; the next is told to come back later."""
    batch: int = 64
    """Requests that go through the analyzers together; 1: each on its own."""
    grace_seconds: float = 30.0
    """How long a server that was told to stop goes on with what it has taken."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Everything that decides how the server answers."""

    spec: Spec = field(default_factory=Spec)
    """What is run where a request does not ask for something else."""
    limits: Limits = field(default_factory=Limits)
    token: str = field(default="", repr=False)
    """Who calls must show it; empty: anybody may call."""
    origins: tuple[str, ...] = ()
    """Web pages of these origins may call from a browser; none: only our own."""
    log_requests: bool = False
    """Whether each request is logged, by its route and how it went."""
    page: Path = field(default_factory=lambda: Path(__file__).with_name("page"))
    """The folder of the page."""


def read_limits(pairs: Iterable[str]) -> Limits:
    """Return the limits with those that are given as ``name=value`` in place of the usual ones."""
    usual = asdict(Limits())
    given: dict[str, float] = {}
    for pair in pairs:
        written, _, value = pair.partition("=")
        name = written.strip().replace("-", "_")
        if name not in usual:
            close = nearest(name, usual)
            hint = f"Did you mean {close!r}?" if close else f"There are {', '.join(usual)}."
            raise ConfigError(f"--limit {pair!r} names no limit. {hint}")
        sort = type(usual[name])
        try:
            given[name] = sort(value)
        except ValueError:
            raise ConfigError(f"--limit {pair!r} must be such as {name}={usual[name]}") from None
        if not 0 < given[name] < float("inf"):
            raise ConfigError(f"--limit {pair!r} must be greater than 0")
    return replace(Limits(), **given)  # type: ignore[arg-type]
