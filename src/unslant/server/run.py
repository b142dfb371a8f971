"""Running the server: sockets, signals, timeouts of connections, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import ipaddress
import logging
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unslant.core.errors import ConfigError
from unslant.core.workers import end_with_parent, worker_context
from unslant.server.app import make_app
from unslant.server.monitoring import LOGGER, JsonFormatter, PrivateFormatter
from unslant.server.settings import Limits, ServerSettings, ServerState

_BACKLOG = 2_048
_POLL_SECONDS = 0.01
_WATCH_SECONDS = 0.2
"""How often the processes of a server are looked after."""
_SETTLE_SECONDS = 5.0
"""How long connections that are in use may take to end by themselves after the last one was accepted."""
_QUIET_SECONDS = 1.0
"""A connection on which nothing has arrived for this long is idle."""
_HANDSHAKE_SECONDS = 0.1
"""How long a client may take from its first packet to a connection that can be accepted."""
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


_ATTACH_FILTER = 26
"""Linux's number for the option of a socket that Python has no name for."""
_DROP_FIRST_PACKETS = b"".join(
    struct.pack("HBBI", *line)
    for line in (
        (0x30, 0, 0, 13),  # load the flags of the TCP header
        (0x45, 0, 1, 0x02),  # skip the next line unless this is the first packet of a connection
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFF_FFFF),  # keep
    )
)


def refuse_connections(listener: socket.socket) -> None:
    """Let no further connection come into the queue of a socket; those that are in it can be accepted.

    A connection that comes in between the last one that is accepted and the end of the socket would be reset. The
    first packet of a client is dropped instead, and when it sends the packet again, nobody is there any more.
    """
    if sys.platform != "linux":
        return
    lines = ctypes.create_string_buffer(_DROP_FIRST_PACKETS)
    program = struct.pack("HP", len(_DROP_FIRST_PACKETS) // 8, ctypes.addressof(lines))
    with contextlib.suppress(OSError):  # a sandbox may forbid it
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)


def serve(settings: ServerSettings, listener: socket.socket, started: Callable[[str], None]) -> None:
    """Serve until a signal arrives; ``started`` is called with the address."""
    limits = settings.limits
    state = ServerState()
    _set_up_logs(settings)
    sys.setswitchinterval(_SWITCH_SECONDS)
    config = uvicorn.Config(
        make_app(settings, state),
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
    asyncio.run(_Server(config, state, limits.drain_seconds).serve([listener]))


def serve_in_processes(
    settings: ServerSettings, listener: socket.socket, started: Callable[[str], None], workers: int
) -> None:
    """Serve in several processes that share a socket, until a signal arrives; one that dies is started again."""
    context = worker_context()
    stopping: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: stopping.append(received))
    processes = [context.Process(target=_serve_worker, args=(settings, listener)) for _ in range(workers)]
    for process in processes:
        process.start()
    started(_address(listener))
    while not stopping:
        time.sleep(_WATCH_SECONDS)
        for at, process in enumerate(processes):
            if not process.is_alive() and not stopping:
                LOGGER.error(
                    "a worker ended unexpectedly with code %s and is started again", process.exitcode
                )
                processes[at] = context.Process(target=_serve_worker, args=(settings, listener))
                processes[at].start()
    listener.close()
    for process in processes:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, stopping[0])
    for process in processes:
        process.join()


def _serve_worker(settings: ServerSettings, listener: socket.socket) -> None:
    end_with_parent()
    serve(settings, listener, lambda _: None)


class _Server(uvicorn.Server):
    """A server for which a signal is a normal end, not an error, and which lets no client down when it stops.

    Clients keep connections open. One that is closed while the next request is on its way gives its client a reset, so
    after SIGTERM every response asks the client to close, and connections are closed from here only if they are idle.
    """

    def __init__(self, config: uvicorn.Config, state: ServerState, drain_seconds: float) -> None:
        super().__init__(config)
        self._state = state
        self._drain_seconds = drain_seconds
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig != signal.SIGTERM or self._state.draining or not self.started:
            super().handle_exit(sig, frame)  # Ctrl-C, or a second signal: stop now
            return
        self._state.draining = True
        # uvicorn makes the first list from the second every second; responses that are being prepared share the first
        for headers in (self.server_state.default_headers, self.config.encoded_headers):
            headers.append((b"connection", b"close"))
        self._draining = asyncio.get_running_loop().create_task(self._drain(sig))

    async def _drain(self, sig: int) -> None:
        until = time.monotonic() + self._drain_seconds
        while time.monotonic() < until and self.server_state.connections:
            await asyncio.sleep(_POLL_SECONDS)
        super().handle_exit(sig, None)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, let those that are in use end by themselves, and close the rest."""
        late = await self._accept_the_last(sockets or []) if self._state.draining else []
        for server in self.servers:
            server.close()
        until = time.monotonic() + _SETTLE_SECONDS
        while self._state.draining and time.monotonic() < until:
            quiet = time.monotonic() - _QUIET_SECONDS
            if all(getattr(each, "last_active", 0.0) < quiet for each in self.server_state.connections):
                break
            await asyncio.sleep(_POLL_SECONDS)
        await asyncio.gather(*late, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept_the_last(self, sockets: Sequence[socket.socket]) -> list[asyncio.Task[Any]]:
        """Accept what is in the queues of the system right before the sockets close, which would reset it."""
        loop = asyncio.get_running_loop()
        for listener in sockets:
            loop.remove_reader(listener.fileno())
            refuse_connections(listener)
        # what asyncio has accepted needs the open server to get its protocol, and handshakes have to end
        await asyncio.sleep(_HANDSHAKE_SECONDS)

        def make_protocol() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        late = []
        for listener in sockets:
            with contextlib.suppress(BlockingIOError):
                while True:
                    connection, _ = listener.accept()
                    connection.setblocking(False)
                    late.append(loop.create_task(loop.connect_accepted_socket(make_protocol, connection)))
        return late

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, self.handle_exit, number, None)
            except NotImplementedError:  # not on every system
                signal.signal(number, self.handle_exit)
        yield


def _set_up_logs(settings: ServerSettings) -> None:
    LOGGER.setLevel(logging.INFO if settings.log_requests else logging.WARNING)
    handler = logging.StreamHandler()
    form = JsonFormatter() if settings.log_format == "json" else None
    handler.setFormatter(form or PrivateFormatter("%(asctime)s %(levelname)s %(message)s"))
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
            self.last_active = time.monotonic()

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.write(_FULL)
                transport.close()
                return
            self._enter(h11.IDLE)

        def data_received(self, data: bytes) -> None:
            self.last_active = time.monotonic()
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
