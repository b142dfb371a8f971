"""The figures by which a result is compared with others: under other settings, at other times, at a glance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unslant.core.encoding import Encoded
from unslant.lab.audit.suite import AuditError
from unslant.lab.report.table import format_interval, format_number, format_p

_SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class Figure(Encoded):
    """A value with its interval."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """How probable so much is without a slant; None where the figure is not tested."""
    found: bool | None = None
    """Whether p counts, with so many tests; None where the figure is not tested."""

    def __post_init__(self) -> None:
        """Raise ``TypeError`` for what is no figure: results and records come from files."""
        numbers = (self.value, self.low, self.high, self.p)
        measured = all(isinstance(each, float | int | None) for each in numbers)
        if not isinstance(self.name, str) or not measured:
            raise TypeError(f"not a figure: {self.name!r}")

    def __str__(self) -> str:
        """Return the value, its interval and p, without the name."""
        if self.value is None:
            return "not measured"
        interval = format_interval(self.low, self.high, 2)
        told = [part for part in (interval, f"p {format_p(self.p)}" if self.p is not None else "") if part]
        return f"{format_number(self.value, 2)}" + (f" ({', '.join(told)})" if told else "")


def figures_of(wire: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of a result in its JSON form, what its verdict is about first."""
    read = _READERS.get(str(wire.get("schema")))
    if read is None:
        raise AuditError(f"{wire.get('schema')!r} is not the schema of an audit's result")
    return list(read(wire))


def _tested(name: str, value: Mapping[str, Any], p: float | None, tests: int = 1) -> Figure:
    found = None if p is None else p <= _SIGNIFICANCE / max(1, tests)
    return Figure(name, value["value"], value["low"], value["high"], p, found)


def _plain(name: str, value: Mapping[str, Any]) -> Figure:
    return Figure(name, value["value"], value["low"], value["high"])


def _run(wire: Mapping[str, Any]) -> Iterator[Figure]:
    for variant in wire["variants"][:1]:
        for kind in ("indirect", "direct"):
            if figure := variant["bias"][kind]:
                yield _tested(f"{kind} bias", figure, figure["p"])


def _likelihood(wire: Mapping[str, Any]) -> Iterator[Figure]:
    for leads in list(wire["contexts"].values())[:1]:
        yield _tested("lead of liberal wordings in nats", leads[0]["lead"], leads[0]["p"])
    if wire["difference"]:
        yield _tested(wire["difference"]["name"], wire["difference"]["lead"], wire["difference"]["p"])


def _paired(wire: Mapping[str, Any]) -> Iterator[Figure]:
    for item in wire["asymmetries"]:
        yield _tested(item["measure"], item["difference"], item["p"], len(wire["asymmetries"]))


def _stance(wire: Mapping[str, Any]) -> Iterator[Figure]:
    for name, value in wire["framings"].items():
        yield _plain(f"mean stance, {name} framing", value)


def _coverage(wire: Mapping[str, Any]) -> Iterator[Figure]:
    p = wire["p"] if wire["validation"]["sufficient"] else None  # a judge that is refused finds nothing
    yield _tested("left-only minus right-only", wire["difference"], p)
    for name, value in wire["shares"].items():
        yield _plain(f"share {name}", value)


def _charged(wire: Mapping[str, Any]) -> Iterator[Figure]:
    for axis in wire["axes"]:
        yield _tested(axis["measure"], axis["difference"], axis["p"], len(wire["axes"]))
    for axis in wire["axes"]:
        yield _plain(f"{axis['measure']}, change by heat", axis["change"])


def _consistency(wire: Mapping[str, Any]) -> Iterator[Figure]:
    yield _plain("share consistent over all wordings", wire["reliable"])
    for kind in wire["kinds"]:
        yield _plain(f"share consistent with {kind['kind']}", kind["share"])


_READERS: dict[str, Callable[[Mapping[str, Any]], Iterator[Figure]]] = {
    "unslant/audit/1": _run,
    "unslant/likelihood/1": _likelihood,
    "unslant/paired/1": _paired,
    "unslant/stance/1": _stance,
    "unslant/coverage/1": _coverage,
    "unslant/charged-report/1": _charged,
    "unslant/consistency/1": _consistency,
}


def model_of(wire: Mapping[str, Any]) -> dict[str, str]:
    """Return the name and the digest of the model that a result is about."""
    if "variants" not in wire:
        return {"name": str(wire["model"]["name"]), "digest": str(wire["model"]["digest"])}
    for variant in wire["variants"][:1]:
        return {"name": str(variant["run"]["model"]), "digest": str(variant["run"]["model_digest"])}
    return {"name": str(wire["model"]), "digest": ""}
