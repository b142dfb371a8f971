"""Measure the speed and memory of the harvest, the gain from Ray workers, and whether killing a run does harm.

Usage: python benchmarks/harvest.py DATA WORK [--size MEGABYTES] [--kills TIMES] [--only filter|whole|ray|kills]

DATA holds the corpora (the pairs to plant come from WIKIBIAS train), WORK is a folder for dumps. Every ratio compares
two times from the same run; other work makes it smaller, so use an idle machine.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pyarrow.parquet as pq

from unslant.lab.evaluation.weak_labels import gold_pairs
from unslant.lab.wiki.dump import DumpReader
from unslant.lab.wiki.revisions import comment_list
from unslant.lab.wiki.run import harvest
from unslant.parallel import Engine

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.wiki.generated_dump import generate_dump, is_plantable

PARTS = 4


def main() -> None:
    """Run the named measurements, or all of them, and print one line each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--size", type=int, default=1000, help="the size of the dump in megabytes")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--only", choices=("filter", "whole", "ray", "kills"), action="append")
    options = parser.parse_args()
    only = options.only or ("filter", "whole", "ray", "kills")
    options.work.mkdir(parents=True, exist_ok=True)
    parts, planted = _dumps(options.data, options.work, options.size)
    if "filter" in only:
        _first_filter(parts)
    if "whole" in only:
        _whole(parts, planted, options.work)
    if "ray" in only:
        _ray(parts, options.work)
    if "kills" in only:
        _kills(parts[:2], options.work, options.kills)


def _dumps(data: Path, work: Path, size: int) -> tuple[list[Path], set[tuple[str, str]]]:
    by_source = {
        s.text: t.text for s, t in gold_pairs(data) if s.split == "train" and is_plantable(s.text, t.text)
    }
    pairs = list(by_source.items())
    paths, planted = [], set()
    for part in range(PARTS):
        path = work / f"wiki-pages-meta-history{part + 1}.xml"
        made = generate_dump(path, pairs[part::PARTS], size * 1_000_000 // PARTS, seed=part + 1)
        planted.update(made.planted)
        paths.append(path)
        print(f"{path.name}: {made.bytes / 1e6:.0f} MB, {made.pages} pages, {made.revisions} revisions")
    return paths, planted


def _first_filter(parts: list[Path]) -> None:
    """Read every revision and test whether its comment mentions neutrality: our reader against a plain mwxml loop."""
    import mwxml

    listed = comment_list("en")
    megabytes = sum(path.stat().st_size for path in parts) / 1e6
    start = time.perf_counter()
    ours = 0
    for path in parts:
        for _, revisions in DumpReader(path, frozenset({0})).pages():
            ours += sum(listed.is_neutrality(revision.comment or "") for revision in revisions)
    took = time.perf_counter() - start
    start = time.perf_counter()
    theirs = 0
    for path in parts:
        with path.open("rb") as file:
            for page in mwxml.Dump.from_file(file):
                if page.namespace == 0:
                    theirs += sum(listed.is_neutrality(revision.comment or "") for revision in page)
    plain = time.perf_counter() - start
    assert ours == theirs, (ours, theirs)  # noqa: S101
    print(
        f"first filter: unslant {megabytes / took:.0f} MB/s, mwxml {megabytes / plain:.0f} MB/s, "
        f"ratio {plain / took:.1f} ({ours} comments each)"
    )


def _command(parts: list[Path], out: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "unslant", "harvest", *map(str, parts), "--out", str(out), *options]


def _fresh(work: Path, name: str) -> Path:
    import shutil

    shutil.rmtree(work / name, ignore_errors=True)
    return work / name


def _whole(parts: list[Path], planted: set[tuple[str, str]], work: Path) -> None:
    """Run the whole harvest in a separate process and measure its peak memory."""
    out = _fresh(work, "whole")
    start = time.perf_counter()
    process = subprocess.Popen(_command(parts, out), stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    megabytes = sum(path.stat().st_size for path in parts) / 1e6
    found = {
        (row["source"], row["target"])
        for row in pq.read_table(out / "pairs.parquet", columns=["source", "target"]).to_pylist()
    }
    print(
        f"whole harvest: {megabytes / took:.0f} MB/s, peak {usage.ru_maxrss / 1024:.0f} MB; "
        f"found {len(found & planted) / len(planted):.1%} of {len(planted)} planted pairs, "
        f"{len(found - planted) / max(1, len(found)):.1%} of {len(found)} not planted"
    )


def _ray(parts: list[Path], work: Path) -> None:
    """Compare two workers with one, on Ray and, to see the limit of this machine, as plain processes.

    Each is timed in a separate process, after its workers have started: the start-up of Ray does not count.
    """
    seconds = {}
    for engine in ("local", "ray"):
        for workers in (1, 2):
            out = _fresh(work, f"{engine}-{workers}")
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                seconds[engine, workers] = pool.submit(_timed, parts, out, engine, workers).result()
    for engine in ("local", "ray"):
        first, second = seconds[engine, 1], seconds[engine, 2]
        print(f"{engine}: one worker {first:.1f} s, two {second:.1f} s: {first / second:.2f} times as fast")
    same = len({_bytes(work / f"{engine}-{workers}") for engine, workers in seconds}) == 1
    print(f"the same bytes, whatever the engine and the number of workers: {same}")


def _timed(parts: list[Path], out: Path, engine: str, workers: int) -> float:
    if engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    out.mkdir(parents=True)
    warm = [out / f"warm-{number}.xml" for number in range(2 * workers)]
    for path in warm:
        generate_dump(path, [], 0)
    chosen = Engine(engine, workers)  # type: ignore[arg-type]
    harvest(warm, out / "warm", engine=chosen)
    start = time.perf_counter()
    harvest(parts, out, engine=chosen)
    return time.perf_counter() - start


def _bytes(out: Path) -> tuple[bytes, bytes]:
    return (out / "pairs.parquet").read_bytes(), (out / "manifest.json").read_bytes()


def _kills(parts: list[Path], work: Path, times: int) -> None:
    """Kill a run at random moments, resume it, and compare the final output."""
    calm = _fresh(work, "calm")
    start = time.perf_counter()
    subprocess.run(_command(parts, calm), check=True, stdout=subprocess.DEVNULL)
    takes = time.perf_counter() - start
    chance = random.Random(1)  # noqa: S311
    same = 0
    for _ in range(times):
        out = _fresh(work, "killed")
        process = subprocess.Popen(_command(parts, out), stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, takes))
        process.send_signal(signal.SIGKILL)
        process.wait()
        subprocess.run(_command(parts, out), check=True, stdout=subprocess.DEVNULL)
        same += _bytes(out) == _bytes(calm)
    print(f"killed {times} times at a random moment: {same} times the same bytes as undisturbed")


if __name__ == "__main__":
    main()
