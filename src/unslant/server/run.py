"""Listening: sockets, signals, and an end that finishes what was taken."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from unslant.core.errors import ConfigError
from unslant.server.app import make_app
from unslant.server.connection import guarded
from unslant.server.logs import LOGGER, Discreet
from unslant.server.settings import ServerSettings

__all__ = ["is_public", "listen", "serve"]

_BACKLOG = 2_048


def is_public(host: str) -> bool:
    """Say whether others than this machine could reach an address; a name that is not known counts as public."""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; an address that cannot be used is told in one sentence."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # inherited by every connection: an answer's second part must not wait for the first to be acknowledged
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"cannot listen on {host} port {port}: {reason}; choose another --port") from None


def serve(settings: ServerSettings, listener: socket.socket, started: Callable[[str], None]) -> None:
    """Answer until a signal comes; ``started`` is told the address."""
    limits = settings.limits
    _set_up_logs(settings.log_requests)
    config = uvicorn.Config(
        make_app(settings),
        http=guarded(limits),
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
    """A server whose end by a signal is an end like any other, and not an error."""

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
    handler.setFormatter(Discreet("%(asctime)s %(levelname)s %(message)s"))
    for logger in (LOGGER, logging.getLogger("uvicorn"), logging.getLogger("asyncio")):
        logger.addHandler(handler)
        logger.propagate = False
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
