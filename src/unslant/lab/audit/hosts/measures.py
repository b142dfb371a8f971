"""What the hosts share: the requests of an audit, and what its replies come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from unslant.core.errors import UnknownName
from unslant.lab.audit.charged import AXES, axis_values, load_charged, measure_charged
from unslant.lab.audit.figures import figures_of
from unslant.lab.audit.hosts.logs import LoggedModel, ReplyLog
from unslant.lab.audit.paired import (
    MEASURES,
    choose_requests,
    compare_replies,
    count_findings,
    list_requests,
    reply_values,
)
from unslant.lab.audit.pairs import PairSet, RequestPair, read_requests
from unslant.lab.stats.bootstrap import Resampling


@dataclass(frozen=True, slots=True)
class HostedAudit:
    """An audit whose replies need no judge, so that any program can ask for them."""

    method: str
    asked: PairSet
    chosen: Sequence[RequestPair]

    def requests(self) -> Iterator[dict[str, str]]:
        """Yield what is asked, each with the key of its pair and its side."""
        for pair, side, request in list_requests(self.chosen):
            yield {"request": request, "key": pair.key, "side": side}

    def values(self, reply: str) -> dict[str, float]:
        """Return the properties of one reply."""
        of, measures = (reply_values, MEASURES) if self.method == "paired" else (axis_values, AXES)
        (row,) = of([reply], count_findings)
        return {measure.name: float(value) for measure, value in zip(measures, row, strict=True)}

    def figures(self, replies: Mapping[tuple[str, str], str]) -> dict[str, float]:
        """Return each figure of the audit with its interval and p, over the pairs that have all their replies."""
        topics = {
            pair.topic for pair, side, _ in list_requests(self.chosen) if (pair.key, side) not in replies
        }
        whole = [
            pair
            for pair in self.chosen
            if all((own.key, side) in replies for own, side, _ in list_requests([pair]))
            and (self.method == "paired" or pair.topic not in topics)
        ]
        if not whole:
            return {}
        model, resampling = LoggedModel("", ReplyLog("", "", replies)), Resampling()
        asked = PairSet(self.asked.name, self.asked.version, "", self.asked.source, (), tuple(whole))
        wire = (
            compare_replies(model, asked, whole, replies, resampling)
            if self.method == "paired"
            else measure_charged(model, asked, replies, resampling)
        ).to_dict()
        return {
            f"{figure.name}{suffix}": float(value)
            for figure in figures_of(wire)
            for suffix, value in zip(
                ("", " low", " high", " p"), (figure.value, figure.low, figure.high, figure.p), strict=True
            )
            if value is not None
        }


def hosted_audit(
    method: str, requests: str = "united-states", pairs: int | None = None, seed: int = 0
) -> HostedAudit:
    """Return ``paired`` or ``charged`` with a set of requests; ``pairs`` takes so many of ``paired`` only."""
    loaders: dict[str, Callable[[str], PairSet]] = {"paired": read_requests, "charged": load_charged}
    if method not in loaders:
        raise UnknownName("audit", method, tuple(loaders))
    asked = loaders[method](requests)
    chosen = choose_requests(asked, pairs, seed) if method == "paired" else asked.requests
    return HostedAudit(method, asked, chosen)
