"""Running the server: sockets, signals, timeouts of connections, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unslant.core.errors import ConfigError
from unslant.server.app import make_app
from unslant.server.monitoring import LOGGER, PrivateFormatter
from unslant.server.settings import Limits, ServerSettings

__all__ = ["is_public", "listen", "serve", "timed_protocol"]

_BACKLOG = 2_048
_SWITCH_SECONDS = 0.001
"""How long one thread may keep the others waiting, so that a long text does not slow down short requests."""


def is_public(host: str) -> bool:
    """Return whether other machines could reach an address; an unknown name counts as public."""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise an error if the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # inherited by every connection: the second part of a response must not wait for an acknowledgement of the first
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"cannot listen on {host} port {port}: {reason}; choose another --port") from None


def serve(settings: ServerSettings, listener: socket.socket, started: Callable[[str], None]) -> None:
    """Serve until a signal arrives; ``started`` is called with the address."""
    limits = settings.limits
    _set_up_logs(settings.log_requests)
    sys.setswitchinterval(_SWITCH_SECONDS)
    config = uvicorn.Config(
        make_app(settings),
        http=timed_protocol(limits),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(limits.grace_seconds),
    )
    started(_address(listener))
    asyncio.run(_Server(config).serve([listener]))


class _Server(uvicorn.Server):
    """A server for which a signal is a normal end, not an error."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, self.handle_exit, number, None)
            except NotImplementedError:  # not on every system
                signal.signal(number, self.handle_exit)
        yield


def _set_up_logs(requests: bool) -> None:
    LOGGER.setLevel(logging.INFO if requests else logging.WARNING)
    handler = logging.StreamHandler()
    handler.setFormatter(PrivateFormatter("%(asctime)s %(levelname)s %(message)s"))
    for logger in (LOGGER, logging.getLogger("uvicorn"), logging.getLogger("asyncio")):
        logger.addHandler(handler)
        logger.propagate = False
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
_GRACE = 2.0
"""Extra seconds, so that the application's own response to a slow body can come first."""


def timed_protocol(limits: Limits) -> type[H11Protocol]:
    """Return uvicorn's protocol with a timeout for each phase of a connection and a limit on connections."""

    class TimedProtocol(H11Protocol):
        """A connection with a timeout for every wait.

        The timer starts with the phase; receiving another byte does not restart it.
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
                self._enter(None)  # uvicorn handles idle connections until the first byte

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

    return TimedProtocol
