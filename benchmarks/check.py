"""Compare the speed of `unslant check` with proselint and alex, on the same files in one run.

    python benchmarks/check.py [throughput] [growth] [memory] [start] [unchanged] --data DIR [--alex PATH]

`throughput`: at least 5 MB of news text: seconds per megabyte, and how many times faster unslant is.
`growth`: time per byte at 1 MB and at 20 MB; linear means a ratio near 1.
`memory`: peak memory for one 50 MB file.
`start`: one page in a cold process.
`unchanged`: a folder that was checked before.

DIR is a folder with `allsides/articles_first250w.jsonl.gz`. --proselint names the proselint command (default: the one
installed next to this Python), --alex the alex command (from npm).
The test files are written to benchmarks/out and are not part of the project.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from operator import truediv
from pathlib import Path

OUT = Path(__file__).with_name("out")
MB = 1_000_000


def articles(data: Path) -> Iterator[str]:
    """Yield article texts, without the spaces that the corpus has before punctuation."""
    path = data / "allsides" / "articles_first250w.jsonl.gz"
    while True:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                text = json.loads(line)["text"]
                for mark in (".", ",", ";", ":", "?", "!", "\u2019", "\u201d", ")"):
                    text = text.replace(" " + mark, mark)
                yield text.replace("\u201c ", "\u201c").replace("( ", "(")


def corpus(data: Path, size: int, name: str, files: int = 1) -> list[Path]:
    """Write text of this many bytes, divided among files, and return their paths."""
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = articles(data)
    paths = []
    for number in range(files):
        path = folder / f"{number:03}.txt"
        written = 0
        with path.open("w", encoding="utf-8") as stream:
            while written < size // files:
                text = next(source) + "\n\n"
                stream.write(text)
                written += len(text.encode())
        paths.append(path)
    return paths


@dataclass(frozen=True)
class Cost:
    """The time and memory that a command took."""

    seconds: float
    cpu: float
    """CPU time in seconds, which other work on the machine disturbs least."""
    peak: int
    """Peak memory in bytes."""


def run(command: list[str]) -> Cost:
    """Run a command and measure it."""
    start = time.perf_counter()
    process = os.fork()
    if process == 0:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        os.execvp(command[0], command)  # noqa: S606
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command[:2])} failed with {status}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def best(command: list[str], times: int = 2) -> Cost:
    """Run a command several times and keep the best of each figure, which other work disturbed least."""
    costs = [run(command) for _ in range(times)]
    return Cost(
        min(cost.seconds for cost in costs), min(cost.cpu for cost in costs), min(cost.peak for cost in costs)
    )


def unslant(*paths: Path, jobs: int = 1) -> list[str]:
    """Return the command that checks with the rules and no cache; 0 jobs: the default number."""
    tool = Path(sys.executable).with_name("unslant")
    return [str(tool), "check", "--no-config", "--no-cache", "--jobs", str(jobs), *map(str, paths)]


def proselint(options: argparse.Namespace, *paths: Path) -> list[str]:
    """Return the proselint command."""
    if shutil.which(options.proselint) is None:
        sys.exit(f"there is no {options.proselint}; name the proselint command with --proselint")
    return [options.proselint, "check", *map(str, paths)]


def throughput(options: argparse.Namespace) -> dict[str, float]:
    """Compare the three on the same 5 MB."""
    paths = corpus(options.data, 5 * MB, "throughput", files=50)
    size = sum(path.stat().st_size for path in paths) / MB
    peers = {"proselint": proselint(options, *paths)}
    if options.alex:
        peers["alex"] = [options.alex, "--text", *map(str, paths)]
    ours, alone = best(unslant(*paths, jobs=0), 5), best(unslant(*paths), 5)
    figures = {
        "megabytes": size,
        "unslant s/MB": ours.seconds / size,
        "unslant, one process, s/MB": alone.seconds / size,
    }
    for name, command in peers.items():
        theirs = best(command)
        figures[f"{name} s/MB"] = theirs.seconds / size
        figures[f"times faster than {name}"] = theirs.seconds / ours.seconds
        figures[f"  in one process, {name}"] = theirs.seconds / alone.seconds
        figures[f"{name}: times our CPU time"] = theirs.cpu / alone.cpu
    return figures


def growth(options: argparse.Namespace) -> dict[str, float]:
    """Compare CPU time per byte on a small and a large file, without start-up."""
    empty = corpus(options.data, 1, "growth-start")
    small, large = corpus(options.data, MB, "growth-1"), corpus(options.data, 20 * MB, "growth-20")
    start = best(unslant(*empty), 5).cpu
    fast = best(unslant(*small), 5).cpu - start
    slow = best(unslant(*large)).cpu - start
    per_small, per_large = fast / small[0].stat().st_size, slow / large[0].stat().st_size
    return {"s/MB at 1 MB": per_small * MB, "s/MB at 20 MB": per_large * MB, "ratio": per_large / per_small}


def memory(options: argparse.Namespace) -> dict[str, float]:
    """Measure peak memory for one 50 MB file."""
    (path,) = corpus(options.data, 50 * MB, "memory")
    cost = run(unslant(path))
    return {"megabytes": path.stat().st_size / MB, "peak MB": cost.peak / MB, "seconds": cost.seconds}


def start(options: argparse.Namespace) -> dict[str, float]:
    """Compare cold processes on one page, alternating; times and ratios are medians over the rounds.

    `unslant check`, as a user would type it, takes the report of a page that has not changed from its cache. With
    `--no-cache` the model reads the page each time, and with `--tier rules` only the rules do.
    """
    (path,) = corpus(options.data, 4000, "start")
    ours = [str(Path(sys.executable).with_name("unslant")), "check", str(path)]
    commands = {
        "proselint": proselint(options, path),
        "unslant": ours,
        "unslant --no-cache": [*ours, "--no-cache"],
        "unslant --no-cache --tier rules": [*ours, "--no-cache", "--tier", "rules"],
    }
    rounds = [{name: run(command) for name, command in commands.items()} for _ in range(options.repeat + 1)][
        1:
    ]  # the first fills caches
    figures: dict[str, float] = {}
    for what in ("seconds", "cpu"):
        theirs = [getattr(costs["proselint"], what) for costs in rounds]
        for name in commands:
            times = [getattr(costs[name], what) for costs in rounds]
            figures[f"{name}, {what}"] = statistics.median(times)
            if times != theirs:
                ratios = map(truediv, times, theirs)
                figures[
                    f"  times proselint's {what}, {name.removeprefix('unslant').strip() or 'default'}"
                ] = statistics.median(ratios)
    return figures


def unchanged(options: argparse.Namespace) -> dict[str, float]:
    """Measure `unslant check` of a folder of 100 pages that have not changed since the last time; medians."""
    paths = corpus(options.data, MB // 2, "unchanged", files=100)
    command = [str(Path(sys.executable).with_name("unslant")), "check", str(paths[0].parent)]
    figures: dict[str, float] = {"files": len(paths)}
    for tier in ("all", "rules"):
        costs = [run([*command, "--tier", tier]) for _ in range(6)][1:]  # the first fills the cache
        figures[f"seconds, {tier}"] = statistics.median(cost.seconds for cost in costs)
        figures[f"cpu, {tier}"] = statistics.median(cost.cpu for cost in costs)
    return figures


MEASURES = {
    "throughput": throughput,
    "growth": growth,
    "memory": memory,
    "start": start,
    "unchanged": unchanged,
}


def main() -> None:
    """Run the named measurements, or all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "measures", nargs="*", choices=[*MEASURES, []], help="the measurements to run (default: all)"
    )
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("UNSLANT_DATA"), required="UNSLANT_DATA" not in os.environ
    )
    parser.add_argument(
        "--proselint",
        default=str(Path(sys.executable).with_name("proselint")),
        help="the proselint command (default: %(default)s)",
    )
    parser.add_argument("--alex", help="the alex command, if it is installed")
    parser.add_argument("--repeat", type=int, default=20, help="the number of cold starts of each tool")
    options = parser.parse_args()
    for name in options.measures or MEASURES:
        print(name)
        for figure, value in MEASURES[name](options).items():
            print(f"  {figure:<54} {value:10.3f}")


if __name__ == "__main__":
    main()
