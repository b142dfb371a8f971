"""Connections that do not wait for ever: slow senders, slow readers and too many of them are sent away."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from unslant.server.settings import Limits

__all__ = ["guarded"]

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
_GRACE = 2.0
"""Seconds by which the application's own answer to a slow body may come first."""


def guarded(limits: Limits) -> type[H11Protocol]:
    """Return uvicorn's protocol with a time for each phase of a connection and a bound on their number."""

    class Guarded(H11Protocol):
        """A connection with an end to every wait.

        The time of a phase begins when the phase does: another byte does not give another turn.
        """

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._phase: object = None
            self._timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.write(_FULL)
                transport.close()
                return
            self._enter(h11.IDLE)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._enter(self.conn.their_state)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self.conn.their_state is h11.IDLE:
                self._enter(None)  # uvicorn looks after idle connections, until the first byte

        def pause_writing(self) -> None:
            super().pause_writing()
            self._arm(limits.body_seconds)

        def resume_writing(self) -> None:
            super().resume_writing()
            self._arm(None)

        def connection_lost(self, exc: Exception | None) -> None:
            self._arm(None)
            super().connection_lost(exc)

        def _enter(self, phase: object) -> None:
            if phase is self._phase:
                return
            self._phase = phase
            waits = {h11.IDLE: limits.header_seconds, h11.SEND_BODY: limits.body_seconds + _GRACE}
            self._arm(waits.get(phase))  # type: ignore[call-overload]

        def _arm(self, seconds: float | None) -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self.loop.call_later(seconds, self.transport.abort) if seconds else None

    return Guarded
