"""What Prometheus is told."""

from __future__ import annotations

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

__all__ = ["Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Metrics:
    """The counts of one server, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        built = Gauge("unslant_build", "Which version runs.", ["version"], registry=self.registry)
        built.labels(VERSION).set(1)
        self.requests = Counter(
            "unslant_requests", "Answered requests.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "unslant_request_seconds",
            "From the head of a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.refused = Counter(
            "unslant_refused", "Requests that a limit refused.", ["reason"], registry=self.registry
        )
        self.waiting = Gauge(
            "unslant_waiting", "Requests that wait for a pass of the analyzers.", registry=self.registry
        )
        self.pass_texts = Histogram(
            "unslant_pass_texts",
            "Texts that went through one pass together.",
            buckets=_TEXTS,
            registry=self.registry,
        )
        self.pass_seconds = Histogram(
            "unslant_pass_seconds", "How long a pass took.", buckets=_SECONDS, registry=self.registry
        )

    def exposition(self) -> bytes:
        """Return all of it in the text format."""
        return generate_latest(self.registry)
