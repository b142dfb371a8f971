"""Settings of the server: what to run, who may call, and the limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from unslant.core.errors import ConfigError, nearest
from unslant.spec import Spec

LogFormat = Literal["text", "json"]


@dataclass(slots=True)
class ServerState:
    """What changes while a server runs."""

    draining: bool = False
    """Whether it was told to stop, and answers only what still comes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one request, and on all requests together."""

    body_bytes: int = 8_000_000
    """Bytes of a body; a longer one is rejected before the rest is read."""
    held_bytes: int = 128_000_000
    """Bytes of all bodies in memory at the same time."""
    text_length: int = 1_000_000
    """Code points of all texts in a request."""
    items: int = 300
    """Texts in one request."""
    depth: int = 16
    """Nesting depth of the JSON."""
    values: int = 20_000
    """Strings, brackets and commas in a body; checked before parsing."""
    seconds: float = 60.0
    """Time from the last byte of a request to the first byte of the response."""
    header_seconds: float = 10.0
    """Time for a client to send the request headers."""
    body_seconds: float = 30.0
    """Time for a client to send a body, and to read on in a response."""
    waiting: int = 256
    """Requests waiting for a batch; the next is rejected."""
    waiting_length: int = 16_000_000
    """Code points waiting for a batch."""
    connections: int = 500
    """Simultaneous connections; the next is rejected."""
    batch: int = 64
    """Requests per batch; 1: no batching."""
    drain_seconds: float = 1.0
    """Time in which a server that was told to stop still accepts requests, while ``/readyz`` says so."""
    grace_seconds: float = 30.0
    """Time to finish accepted requests when the server stops."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of the server."""

    spec: Spec = field(default_factory=Spec)
    """What to run, unless a request overrides it."""
    limits: Limits = field(default_factory=Limits)
    token: str = field(default="", repr=False)
    """The token that clients must send; empty: none."""
    origins: tuple[str, ...] = ()
    """Origins whose web pages may call the server; empty: only our own page."""
    local: bool = False
    """Whether only this machine may call, so that every other ``Host`` is refused."""
    log_requests: bool = False
    """Whether to log the route and status of each request."""
    log_format: LogFormat = "text"
    """How lines of the log are written."""
    page: Path = field(default_factory=lambda: Path(__file__).with_name("page"))
    """The folder of the page."""


def read_limits(pairs: Iterable[str]) -> Limits:
    """Return the default limits, overridden by ``name=value`` pairs."""
    defaults = asdict(Limits())
    given: dict[str, float] = {}
    for pair in pairs:
        written, _, value = pair.partition("=")
        name = written.strip().replace("-", "_")
        if name not in defaults:
            close = nearest(name, defaults)
            hint = f"Did you mean {close!r}?" if close else f"Limits: {', '.join(defaults)}."
            raise ConfigError(f"--limit {pair!r}: no such limit. {hint}")
        number_type = type(defaults[name])
        try:
            given[name] = number_type(value)
        except ValueError:
            raise ConfigError(
                f"--limit {pair!r}: not a number; write, for example, {name}={defaults[name]}"
            ) from None
        if not 0 < given[name] < float("inf"):
            raise ConfigError(f"--limit {pair!r}: must be greater than 0")
    return replace(Limits(), **given)  # type: ignore[arg-type]
