"""From what a request asks for to a spec, by the same road as configuration files and options."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from unslant.config.reading import Collector, KeyPath, Reading
from unslant.config.schema import build, read_table
from unslant.config.selectors import check_selectors
from unslant.config.settings import Settings
from unslant.server.refusal import Refusal
from unslant.server.requests import Tuning
from unslant.spec import TIERS, Spec

__all__ = ["tuned"]


class _RequestSource:
    """A request as the place that settings come from."""

    root = base = Path()

    def line(self, path: KeyPath) -> int:  # noqa: ARG002 - a file needs the path
        return 0

    def origin(self, path: KeyPath, value: object) -> str:  # noqa: ARG002 - others need them
        return "request"

    def where(self, path: KeyPath) -> str:  # noqa: ARG002 - a file needs the path
        return ""

    def name(self, path: KeyPath) -> str:
        return "settings." + ".".join(str(part) for part in path if isinstance(part, str))


def tuned(spec: Spec, tuning: Tuning) -> Spec:
    """Return the spec with what a request asks for in place of the server's own."""
    asked = tuning.model_dump(exclude_defaults=True, exclude={"tier"})
    if tuning.tier is not None:
        asked["analyzers"] = _analyzers(spec, tuning.tier)
    if not asked:
        return spec
    collector = Collector()
    found = read_table(Reading(asked, (), _RequestSource(), collector))
    check_selectors(collector, spec.rule_files, _known_rules)
    if collector.problems:
        raise Refusal(422, "invalid", "; ".join(problem.sentence for problem in collector.problems)[:1_000])
    return build(Settings(spec=spec), found, {}).spec


def _analyzers(spec: Spec, tier: str) -> list[str]:
    """Return the analyzers of a tier; a request may ask for less than the server runs, never for more."""
    if tier not in TIERS:
        raise Refusal(422, "invalid", f"settings.tier: must be one of {', '.join(TIERS)}")
    absent = [name for name in TIERS[tier] if name not in spec.analyzers]
    if absent and tier != "all":
        raise Refusal(422, "invalid", f"settings.tier: this server does not run {absent[0]!r}")
    return [name for name in spec.analyzers if name in TIERS[tier]]


def _known_rules(rule_files: tuple[tuple[str, str], ...]) -> Collection[str]:
    from unslant.rules.analyzer import rule_cards

    return [*rule_cards(Spec(rule_files=rule_files)), "vocabulary/flag", "vocabulary/suggest"]
