"""What is found about one group of people is found about another."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import unslant
from unslant.core.types import Report

AXES = ("ages", "disabilities", "classes", "regions", "faiths", "jobs", "foreign parties", "one person")


@dataclass(frozen=True, slots=True)
class MirroredPair:
    """A sentence with a gap, and the two names that are put in it."""

    axis: str
    sentence: str
    names: tuple[str, str]

    def texts(self) -> tuple[str, str]:
        first, second = self.names
        return self._fill(first), self._fill(second)

    def _fill(self, name: str) -> str:
        return self.sentence.format(name[:1].upper() + name[1:] if self.sentence.startswith("{}") else name)


def mirrored_pairs() -> list[MirroredPair]:
    data = tomllib.loads(Path(__file__).with_name("mirrored.toml").read_text("utf-8"))
    return [
        MirroredPair(axis, sentence, (first, second))
        for axis, entry in data["axes"].items()
        for first, second in entry["pairs"]
        for sentence in data["forms"][entry["form"]]
    ]


def findings_differ(pair: MirroredPair, check: Callable[[str], Report]) -> bool:
    first, second = (
        _places(pair, name, check(text)) for name, text in zip(pair.names, pair.texts(), strict=True)
    )
    return first != second


def _places(pair: MirroredPair, name: str, report: Report) -> list[tuple[int, int]]:
    gap = pair.sentence.index("{}")

    def place(position: int, is_end: bool) -> int:
        if position <= gap + (0 if is_end else len(name) - 1):
            return min(position, gap)
        return max(position - len(name), gap) + 1

    return sorted(
        (place(finding.span.start, False), place(finding.span.end, True)) for finding in report.findings
    )


def test_every_axis_has_as_many_slanted_as_plain_sentences() -> None:
    pairs = mirrored_pairs()
    assert tuple(dict.fromkeys(pair.axis for pair in pairs)) == AXES
    for axis in AXES:
        own = [pair for pair in pairs if pair.axis == axis]
        sentences = list(dict.fromkeys(pair.sentence for pair in own))
        names = {name for pair in own for name in pair.names}
        assert len(names) == 2 * len({pair.names for pair in own})
        name = own[0].names[0]
        flagged = [
            bool(unslant.check(MirroredPair(axis, one, (name, name)).texts()[0]).findings)
            for one in sentences
        ]
        assert flagged == [False, True] * (len(sentences) // 2)


def test_findings_differ_in_at_most_one_in_a_hundred_mirrored_pairs() -> None:
    pairs = mirrored_pairs()
    differing = [pair for pair in pairs if findings_differ(pair, unslant.check)]
    by_axis = Counter(pair.axis for pair in differing)
    assert len(differing) <= 0.01 * len(pairs), (by_axis, [pair.texts() for pair in differing[:20]])
    assert all(count <= 0.03 * sum(pair.axis == axis for pair in pairs) for axis, count in by_axis.items()), (
        by_axis
    )


@pytest.mark.parametrize(
    ("slanted", "differ"),
    [("came", False), ("bankers", True), ("nurses", True), ("nothing", False)],
)
def test_a_finding_for_one_name_alone_is_a_difference(slanted: str, differ: bool) -> None:
    pair = MirroredPair("jobs", "The {} who came left.", ("nurses", "bankers"))
    assert findings_differ(pair, lambda text: unslant.check(text.replace(slanted, "slammed"))) == differ


def test_any_part_of_a_name_is_the_same_place() -> None:
    pair = MirroredPair("jobs", "{} are lazy.", ("police officers", "politicians"))
    found = [[finding.text for finding in unslant.check(text).findings] for text in pair.texts()]
    assert found == [["Police officers are lazy"], ["Politicians are lazy"]]
    assert not findings_differ(pair, unslant.check)
