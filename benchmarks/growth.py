"""Measure how the time of `check` and `fix` grows with the text, for shapes of text and markup made to be slow.

    python benchmarks/growth.py [--shapes NAME ...] [--formats NAME ...] [--tasks check fix] [--model] [--shortest N]
                                [--resume FILE]

Each shape is repeated to n, 2n and 4n characters and read in each format. The table shows the CPU time per thousand
characters and the ratios of both doublings; linear time means 2. The exit code is 1 if a ratio exceeds 2.3 in every one
of several attempts, also at two and four times the length. `--model` uses the model in addition to the rules. With
`--resume`, rows are added to FILE, and those that it already has are counted instead of measured again.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from growth_shapes import SENTENCE, dress, shapes

from unslant.core.types import Document, Report
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.formats import CHECK_ONLY, FORMATS
from unslant.text.reading import read

BOUND = 2.3
"""The ratio at each doubling that still counts as linear."""
SHORTEST = {"check": 4_000, "fix": 2_000}
LONGEST = 32_000
"""The smallest and the largest n."""
ENOUGH = 0.003
"""Seconds of CPU time that n characters should take, so that the clock is precise enough."""
ATTEMPTS = 4
DOUBLINGS = 3
"""How often to measure, and at how many lengths, before a shape counts as worse than linear."""
TOO_LONG = 300
"""Seconds after which a single measurement is given up."""


class Slow(Exception):
    """A measurement took too long."""


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise Slow


Run = Callable[[Iterable[Document]], Iterable[Report | Fixed]]


def measure(run: Callable[[], Run], text: str, form: str) -> float:
    """Return the CPU time that one text takes."""
    runner = run()
    gc.collect()
    signal.alarm(TOO_LONG)
    try:
        began = time.process_time()
        for _ in runner([read(text, form)]):
            pass
        return time.process_time() - began
    finally:
        signal.alarm(0)


@dataclass(frozen=True)
class Growth:
    """The times at n, 2n and 4n characters."""

    length: int
    times: tuple[float, float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        """How much longer each doubling takes."""
        first, second, third = self.times
        return second / first, third / second

    @property
    def linear(self) -> bool:
        """Whether both are within the bound."""
        return max(self.ratios) <= BOUND


def grow(run: Callable[[], Run], make: Callable[[int], str], form: str, shortest: int) -> Growth:
    """Measure a shape; while it seems worse than linear, measure again, then at twice the length.

    Noise goes away with repetition and length, while a shape that is worse than linear becomes worse.
    """
    length = shortest
    while measure(run, make(length), form) < ENOUGH and length < LONGEST:
        length *= 2
    for doubled in range(DOUBLINGS):
        growth = _measure_three(run, make, form, length << doubled)
        if growth.linear:
            break
    return growth


def _measure_three(run: Callable[[], Run], make: Callable[[int], str], form: str, length: int) -> Growth:
    """Measure three lengths, keeping the best time of each, until they look linear."""
    times = [float("inf")] * 3
    for _ in range(ATTEMPTS):
        again = [measure(run, make(length * factor), form) for factor in (1, 2, 4)]
        times = [min(pair) for pair in zip(times, again, strict=True)]
        growth = Growth(length, (times[0], times[1], times[2]))
        if growth.linear:
            break
    return growth


WORSE = "  <<<"
"""Ends the row of a cell that is worse than linear."""
Cell = tuple[str, str, str]
"""A task, a format and a shape."""


def _row(cell: Cell, run: Callable[[], Run], make: Callable[[int], str], shortest: int) -> str:
    """Measure one cell and return its row."""
    task, form, name = cell
    start = f"{task:6} {form:11} {name:28}"
    try:
        growth = grow(run, lambda length: dress(make(length), form, name), form, shortest)
    except Slow:
        return f"{start} more than {TOO_LONG} seconds{WORSE}"
    return (
        f"{start} {growth.length:6} {1e6 * growth.times[0] / growth.length:11.2f}"
        f" {growth.ratios[0]:5.2f} {growth.ratios[1]:5.2f}{'' if growth.linear else WORSE}"
    )


def _measured(path: Path | None) -> dict[Cell, str]:
    """Return the whole rows of an earlier run."""
    if path is None or not path.exists():
        return {}
    rows = [row for row in path.read_text(encoding="utf-8").splitlines(keepends=True) if row.endswith("\n")]
    return {(row[:6].strip(), row[7:18].strip(), row[19:47].strip()): row.rstrip("\n") for row in rows}


def _cells(arguments: argparse.Namespace) -> Iterator[tuple[Cell, Callable[[int], str]]]:
    """Yield the cells that were asked for, and how to make the text of each."""
    for task in arguments.tasks:
        for form in arguments.formats:
            if task == "fix" and form in CHECK_ONLY:
                continue
            for name, make in shapes(task).items():
                if not arguments.shapes or name in arguments.shapes:
                    yield (task, form, name), make


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shapes", nargs="*", default=[])
    parser.add_argument("--formats", nargs="*", default=FORMATS)
    parser.add_argument("--tasks", nargs="*", default=["check", "fix"])
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--shortest", type=int, metavar="N", help="begin with texts of this many characters")
    parser.add_argument(
        "--resume", type=Path, metavar="FILE", help="keep rows in this file, and go on from it"
    )
    return parser.parse_args()


def main() -> int:
    """Print the table; return 1 if something grows faster than the text."""
    arguments = _arguments()
    spec = Spec() if arguments.model else Spec(analyzers=("rules",))
    pipeline = Pipeline(spec)
    runs: dict[str, Callable[[], Run]] = {"check": lambda: pipeline.check, "fix": lambda: Fixer(spec).fix}
    signal.signal(signal.SIGALRM, _give_up)
    measured = _measured(arguments.resume)
    rows: dict[Cell, str] = {}
    ready: set[tuple[str, str]] = set()
    print(f"{'task':6} {'format':11} {'shape':28} {'n':>6} {'ms per 1000':>11} {'2n/n':>5} {'4n/2n':>5}")
    for cell, make in _cells(arguments):
        task, form, _ = cell
        if cell not in measured and (task, form) not in ready:
            measure(runs[task], SENTENCE, form)
            ready.add((task, form))
        row = measured.get(cell) or _row(cell, runs[task], make, arguments.shortest or SHORTEST[task])
        if arguments.resume and cell not in measured:
            with arguments.resume.open("a", encoding="utf-8") as kept:
                kept.write(row + "\n")
        print(row, flush=True)
        rows[cell] = row
    bad = sum(row.endswith(WORSE) for row in rows.values())
    print(f"\n{len(rows)} cells ({len({name for _, _, name in rows})} shapes), {bad} worse than linear")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
