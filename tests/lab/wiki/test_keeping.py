"""Which rows stay, however they are dealt out."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.lab.wiki.parts import PartTask
from unslant.lab.wiki.run import keep_rows
from unslant.lab.wiki.settings import HarvestSettings

Row = dict[str, Any]


def task_of(folder: Path, name: str, rows: list[Row]) -> PartTask:
    """A part that was finished with these rows."""
    task = PartTask(str(folder / name), str(folder), HarvestSettings().to_dict())
    task.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return task


def row_of(source: str, target: str, day: int, number: int) -> Row:
    return {
        "id": f"w:{number}:0",
        "source": source,
        "target": target,
        "timestamp": f"2020-01-{day:02}",
        "revision": number,
    }


def plainly_kept(rows: list[Row], without: frozenset[str]) -> list[Row]:
    """The rule, said once more without any care for memory."""

    def rank(row: Row) -> tuple[str, int, str]:
        return row["timestamp"], row["revision"], row["id"]

    kept = []
    for place, row in enumerate(rows):
        equal = [item for item in rows if (item["source"], item["target"]) == (row["source"], row["target"])]
        newer = any(rank(item) > rank(row) for item in equal)
        again = any(item == row for item in rows[:place])
        if (newer or again) and "duplicate" not in without:
            continue
        latest = max(rank(item) for item in rows if item["source"] == row["source"])
        if all(rank(item) != latest for item in equal) and "superseded" not in without:
            continue
        kept.append(row)
    return kept


_rows = st.lists(
    st.builds(row_of, st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 3), st.integers(1, 50)),
    max_size=12,
    unique_by=lambda row: row["revision"],
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(_rows, st.integers(0, 12), st.sets(st.sampled_from(["duplicate", "superseded"])), st.integers(1, 400))
def test_the_latest_stays_however_small_the_files(
    tmp_path: Path, rows: list[Row], cut: int, without: set[str], part_bytes: int
) -> None:
    twice = [*rows, *rows[:2]]  # the same page may be in two parts
    tasks = [task_of(tmp_path, "a", twice[:cut]), task_of(tmp_path, "b", twice[cut:])]
    counts: Counter[str] = Counter()
    kept = list(keep_rows(tasks, frozenset(without), counts, part_bytes))
    assert kept == plainly_kept(twice, frozenset(without))
    assert counts.total() == len(twice) - len(kept)
    one_file: Counter[str] = Counter()
    assert list(keep_rows(tasks, frozenset(without), one_file)) == kept
    assert one_file == counts


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    task = task_of(tmp_path, "a", [row_of("a", "x", 1, 1), row_of("a", "y", 2, 2)])
    rows = keep_rows([task], frozenset(), Counter(), 1)
    next(rows)
    assert list(tmp_path.iterdir()) == [task.rows]
    rows.close()  # type: ignore[attr-defined]
    assert list(keep_rows([], frozenset(), Counter())) == []


@pytest.mark.parametrize("rows", [2_000, 8_000])
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, rows: int) -> None:
    task = task_of(tmp_path, "a", [row_of(f"source {n}", f"target {n}", 1, n) for n in range(rows)])
    tracemalloc.start()
    try:
        assert sum(1 for _ in keep_rows([task], frozenset(), Counter(), 20_000)) == rows
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 600_000, "2,000 rows held at once would take 0.9 MB, 8,000 four times as much"
