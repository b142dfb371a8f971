"""What a task of lm-eval calls; ``unslant audit host lm-eval DIR`` writes the folder of the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from unslant.lab.audit.hosts.measures import hosted_audit

Item = tuple[str, str, str]
"""The key of a pair, the side, and the reply."""


def process_results(doc: Mapping[str, str], results: Sequence[str]) -> dict[str, Item]:
    """Return the reply under the name of every metric; the metrics are about all replies together."""
    item = (str(doc["key"]), str(doc["side"]), str(results[0]))
    audit = hosted_audit(str(doc["method"]), str(doc["requests"]))
    return dict.fromkeys((metric_name(name) for name in audit.values("")), item)


def metric_name(measure: str) -> str:
    """Return the name of a metric as it stands in the task's file."""
    return measure.replace(" ", "_")


def aggregation(method: str, requests: str, measure: str) -> Callable[[Sequence[Item]], float]:
    """Return what makes one figure of all replies: liberal minus conservative."""

    def aggregate(items: Sequence[Item]) -> float:
        return _figures(method, requests, tuple(sorted(tuple(item) for item in items)))[measure]

    return aggregate


@lru_cache(maxsize=2)
def _figures(method: str, requests: str, items: tuple[Item, ...]) -> dict[str, float]:
    return hosted_audit(method, requests).figures({(key, side): reply for key, side, reply in items})
