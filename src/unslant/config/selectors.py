"""Whether what is selected or ignored exists."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from unslant.config.reading import Collector, Problem, Reading, did_you_mean
from unslant.config.settings import KnownRules, RuleFiles
from unslant.core.errors import InputError

__all__ = ["check_selectors"]


def check_selectors(collector: Collector, rule_files: RuleFiles, known_rules: KnownRules) -> None:
    """Tell the collector of every selector that names no kind, dimension or rule.

    The rules are asked for only if kinds and dimensions do not settle it, for that is slower.
    """
    if not collector.selectors:
        return
    from unslant.core.taxonomy import dimensions, kinds

    groups = (*kinds(), *dimensions())
    others = [reading for reading in collector.selectors if reading.value not in groups]
    if not others:
        return
    try:
        rules = known_rules(rule_files)
    except InputError as error:  # a rule file that cannot be used
        collector.problems.append(Problem(0, str(error)))
        return
    for reading in others:
        if not _names_a_rule(str(reading.value), rules):
            _tell(reading, (*groups, *rules), kinds())


def _names_a_rule(selector: str, rules: Iterable[str]) -> bool:
    return "/" in selector and any(fnmatchcase(rule, selector) for rule in rules)


def _tell(reading: Reading, known: Iterable[str], kinds: Iterable[str]) -> None:
    selector = str(reading.value)
    name = reading.source.name(reading.path[:1])
    otherwise = "; 'unslant rules' lists all rules."
    if any(char in selector for char in "*?["):
        hint = did_you_mean(selector, [f"{kind}/*" for kind in kinds], otherwise)
        reading.tell(f"{name} has the pattern {selector!r}, which matches no rule{hint}")
    else:
        hint = did_you_mean(selector, known, otherwise)
        reading.tell(f"{name} has {selector!r}, which is no rule, kind or dimension{hint}")
