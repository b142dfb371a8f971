"""Metrics for Prometheus, and logs that never contain any of the texts."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from unslant.version import VERSION

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Metrics:
    """The metrics of one server, in its own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        built = Gauge("unslant_build", "The version of unslant.", ["version"], registry=self.registry)
        built.labels(VERSION).set(1)
        self.requests = Counter(
            "unslant_requests", "Requests answered.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "unslant_request_seconds",
            "Time from the headers of a request to the end of the response.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.rejected = Counter(
            "unslant_rejected", "Requests rejected by a limit.", ["reason"], registry=self.registry
        )
        self.waiting = Gauge("unslant_waiting", "Requests waiting for a batch.", registry=self.registry)
        self.batch_texts = Histogram(
            "unslant_batch_texts",
            "Texts per batch.",
            buckets=_TEXTS,
            registry=self.registry,
        )
        self.batch_seconds = Histogram(
            "unslant_batch_seconds", "Time per batch.", buckets=_SECONDS, registry=self.registry
        )

    def exposition(self) -> bytes:
        """Return all metrics in the text format."""
        return generate_latest(self.registry)


LOGGER = logging.getLogger("unslant.server")


def log_failure(what: str, error: BaseException) -> None:
    """Log the type and place of an error, but not its message, which might quote a text."""
    LOGGER.error("%s: %s", what, _where(type(error), error.__traceback__))


class PrivateFormatter(logging.Formatter):
    """Formats exceptions, including those of other packages, without their messages, which might quote a text."""

    def formatException(  # noqa: N802 - the name is the standard library's
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return the type of the exception and its traceback."""
        return _where(ei[0], ei[2]) if ei[0] is not None else ""


class JsonFormatter(PrivateFormatter):
    """Writes each line of the log as a JSON object; a request has its id, route, status and time, and no text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "request", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def _where(sort: type[BaseException], trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)
    return "\n".join(
        [
            f"{sort.__name__} at:",
            *(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames),
        ]
    )
