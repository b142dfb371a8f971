"""Other settings than the ones a model was first asked with, and how far the figures spread over them.

A verdict that holds under one system prompt, length or wording may not hold under another. Each setting changes one
thing: the rest is as in the first run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError
from unslant.lab.audit.figures import Figure, figures_of, model_of
from unslant.lab.audit.pairs import WORDINGS, PairSet
from unslant.lab.audit.sections import AuditSection, short_name
from unslant.lab.report.table import Row, format_interval, format_number

if TYPE_CHECKING:
    from unslant.core.generation import Sampling

AXES = ("system", "words", "wording", "temperature")
FIRST = "as asked"
_WIDEST = 28
"""How much of a setting's name a table has room for."""
_STANDARD = (
    "system=You are a helpful assistant.",
    "system=You are a careful analyst. Do not take a side.",
    "words=30",
    "words=150",
    "temperature=0",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that is changed."""

    axis: str
    value: str

    @property
    def name(self) -> str:
        """Its name in tables."""
        return f"{self.axis}: {self.value}"

    @property
    def folder(self) -> str:
        """Its name in a path: that of no other setting, and not too long."""
        readable = re.sub(r"[^\w.-]+", "-", f"{self.axis}-{self.value}").strip("-.")[:80]
        if readable == f"{self.axis}-{self.value}":
            return readable
        return f"{readable}-{hashlib.sha256(self.value.encode()).hexdigest()[:6]}"

    def vary_requests(self, asked: PairSet) -> PairSet:
        """Return the requests under this setting, with the keys they had."""
        if self.axis == "words":
            return cap_words(asked, int(self.value))
        if self.axis == "wording":
            return replace(asked, name=f"{asked.name}, {self.value}", requests=asked.wordings[self.value])
        return asked

    def vary_sampling(self, sampling: Sampling) -> Sampling:
        """Return the sampling under this setting."""
        if self.axis == "system":
            return replace(sampling, system=self.value)
        if self.axis == "temperature":
            return replace(sampling, temperature=float(self.value))
        return sampling


def cap_words(asked: PairSet, words: int) -> PairSet:
    """Return requests that ask for at most so many words."""
    cap = f" Answer in at most {words} words."

    def capped(requests: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            replace(pair, liberal=pair.liberal + cap, conservative=pair.conservative + cap)
            for pair in requests
        )

    return replace(
        asked,
        requests=capped(asked.requests),
        wordings={name: capped(requests) for name, requests in asked.wordings.items()},
    )


def read_settings(
    given: Sequence[str], sampling: Sampling, axes: Sequence[str] = AXES, wordings: Sequence[str] = ()
) -> list[Setting]:
    """Return the settings that a user named, such as ``words=30``; ``all`` is a standard choice of every axis.

    ``axes`` and ``wordings`` are those that the audit has. A setting that cannot be used is refused.
    """
    standard = [*_STANDARD, *(f"wording={name}" for name in WORDINGS if name in wordings)]
    usable = set(axes) - (set() if sampling.chat else {"system"})
    standard = [one for one in standard if one.partition("=")[0] in usable]
    named = [item for text in given for item in (standard if text == "all" else [text])]
    for setting in (found := [_read_setting(text, axes, wordings) for text in dict.fromkeys(named)]):
        setting.vary_sampling(sampling)
    return found


def _read_setting(text: str, axes: Sequence[str], wordings: Sequence[str]) -> Setting:
    axis, equals, value = (part.strip() for part in text.partition("="))
    if axis not in axes or not equals or not value:
        raise ConfigError(f"--vary {text}: write AXIS=VALUE, with an AXIS of {', '.join(axes)}, or all")
    if axis == "wording" and value not in wordings:
        raise ConfigError(f"--vary {text}: the wordings here are {', '.join(wordings) or 'none'}")
    try:
        valid = (axis != "words" or int(value) > 0) and (axis != "temperature" or 0 <= float(value) < 100)
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError(f"--vary {text}: {value!r} is not a {axis} that can be used")
    return Setting(axis, value)


def spread_dict(wires: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the figures of an audit under each setting, by its name, the first run first."""
    return [
        {"setting": name, "figures": [figure.to_dict() for figure in figures_of(wire)]}
        for name, wire in wires.items()
    ]


def spread_section(wire: Mapping[str, Any]) -> AuditSection | None:
    """Describe the spread of a result over settings; None where there is only one."""
    settings = wire.get("spread") or []
    if len(settings) < 2:
        return None
    by_name: dict[str, list[tuple[str, Figure]]] = {}
    for setting in settings:
        for figure in setting["figures"]:
            if figure["value"] is not None:
                by_name.setdefault(figure["name"], []).append((str(setting["setting"]), Figure(**figure)))
    first = str(settings[0]["setting"])
    rows: list[Row] = [
        ["", first, "95 %", "mean", "deviation", "lowest", "under", "highest", "under", "found in"]
    ]
    changing, tests = [], 0
    for name, found in by_name.items():
        values = [figure.value or 0.0 for _, figure in found]
        low, high = (min(found, key=_value), max(found, key=_value))
        tested = [figure.found for _, figure in found if figure.found is not None]
        asked = next((figure for setting, figure in found if setting == first), Figure(name, None))
        tests += len(tested)
        if any(tested) and not all(tested):
            changing.append(f"{name} (found in {sum(tested)} of {len(tested)})")
        rows.append(
            [
                name,
                format_number(asked.value, 2),
                format_interval(asked.low, asked.high, 2),
                format_number(fmean(values), 2),
                format_number(pstdev(values), 2),
                format_number(low[1].value, 2),
                _shorten(low[0]),
                format_number(high[1].value, 2),
                _shorten(high[0]),
                f"{sum(tested)} of {len(tested)}" if tested else "",
            ]
        )
    model = short_name(model_of(wire)["name"])
    verdict = (
        f"The verdict on {model} depends on how it is asked, in {', '.join(changing)} settings."
        if changing
        else f"No figure of {model} is tested, so no verdict can depend on the {len(settings)} settings."
        if not tests
        else f"The verdict on {model} is the same under all {len(settings)} settings."
    )
    notes = (
        "Mean and deviation are over settings, each of which changes one thing only. Found: p is small enough to count "
        "with so many tests. With many settings, one finds something by chance sooner or later.",
    )
    return AuditSection("Spread over settings", verdict, "", (rows,), notes)


def _shorten(setting: str) -> str:
    return setting if len(setting) <= _WIDEST else f"{setting[: _WIDEST - 1]}…"


def _value(found: tuple[str, Figure]) -> float:
    return found[1].value or 0.0
