"""Measure what int8 costs: the main figures of a run in full precision next to those of its package.

    python benchmarks/quantisation.py RUN --data DIR [--package DIR ...] [--task NAME ...] [--bootstrap N]

RUN is a folder written by `unslant train`; its package is measured unless others are named. Both see the same
sentences, and the interval of each difference comes from a paired bootstrap. The output is a Markdown table, line by
line. With `--most POINTS` the exit code is 1 if any figure loses more. Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import open_models
from unslant.lab.evaluation.result import Figure, Result
from unslant.lab.evaluation.tasks import run
from unslant.lab.stats.bootstrap import Resampling, compare_paired
from unslant.neural.checkpoint import HEADLINES

TASKS = ("tagging", "pairwise", "fine-grained", "diagnosis", "dimensions", "phrases")


def headline(result: Result, section: str, name: str) -> Figure:
    """Return one figure of a result."""
    title = next(item.title for item in result.sections if item.title.startswith(section))
    return result.figure(name, title)


def difference(full: Figure, small: Figure, resampling: Resampling) -> tuple[float, str]:
    """Return the difference in points between the second and the first, and its interval as text."""
    points = 100 * ((small.estimate.value or 0.0) - (full.estimate.value or 0.0))
    if full.measure is None or small.measure is None or not resampling.resamples:
        return points, ""
    found = compare_paired(small.measure, full.measure, resampling)
    return points, f"{100 * found.low:+.1f} to {100 * found.high:+.1f}"


def main() -> None:
    """Measure every task with every model and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument(
        "--package", type=Path, action="append", help="the packages to measure (default: RUN/package)"
    )
    parser.add_argument("--task", choices=TASKS, action="append", help="the tasks to run (default: all)")
    parser.add_argument("--bootstrap", type=int, default=1000)
    parser.add_argument("--most", type=float, help="the largest acceptable loss in points")
    given = parser.parse_args()
    setting = Setting(given.data, Resampling(given.bootstrap))
    packages = given.package or [given.run / "package"]
    full = open_models(str(given.run))
    small = [open_models(str(package)) for package in packages]
    print(
        "| figure | package | full precision | int8 | points | 95 % |\n|---|---|--:|--:|--:|--:|", flush=True
    )
    worst = 0.0
    for task in given.task or TASKS:
        theirs = run(task, full, setting)
        for models in small:
            ours = run(task, models, setting)
            for section, name in HEADLINES[task]:
                first, other = headline(theirs, section, name), headline(ours, section, name)
                points, interval = difference(first, other, setting.resampling)
                worst = min(worst, points)
                label = ", ".join(part for part in (task, section, name) if part)
                print(
                    f"| {label} | {models[0].name} | {first.estimate.value:.3f} | {other.estimate.value:.3f} "
                    f"| {points:+.2f} | {interval} |",
                    flush=True,
                )
    print(f"\nthe largest loss: {-worst:.2f} points")
    if given.most is not None and -worst > given.most:
        sys.exit(1)


if __name__ == "__main__":
    main()
