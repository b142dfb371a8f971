"""Compare the page with an earlier commit's in Chromium: size, first paint, and what a keystroke costs.

    npm --prefix tests/page ci
    python benchmarks/page.py --against COMMIT --rounds 9

Both servers run at the same time, with the rules, and are loaded in turn, each time in a new browser. The figures are
medians and their ratio: bytes and requests of a load; CPU time of the main thread until the page has nothing to do;
time until the first paint of content; and, while the writer types in the middle of 5,000 words, CPU time per key with
everything that it sets off, and time from a key to the next frame. The exit code is 1 if a ratio of CPU time or of
size is above ``--most``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAYWRIGHT = ROOT / "tests" / "page" / "node_modules" / "playwright-core" / "index.js"
FIGURES = {
    "requests": "requests of a load",
    "sent": "bytes sent",
    "decoded": "bytes unpacked",
    "start": "CPU ms of a load",
    "paint": "ms until the first paint",
    "key": "CPU ms per key",
    "frame": "ms from a key to the next frame",
}
JUDGED = ("sent", "start", "key")


@contextmanager
def serving(source: Path) -> Iterator[str]:
    """Serve the page of a source folder on a free port, and yield its address."""
    command = [sys.executable, "-m", "unslant", "serve", "--no-config", "--port", "0", "--tier", "rules"]
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        lines = server.stdout or ()
        found = next(filter(None, (re.search(r"http://\S+", line) for line in lines)), None)
        if found is None:
            raise SystemExit(f"the server of {source} did not start")
        try:
            yield found[0]
        finally:
            server.terminate()


def measure(address: str, words: int) -> dict[str, float]:
    """Load the page in a new browser and type into it."""
    script = Path(__file__).with_suffix(".mjs")
    done = subprocess.run(
        ["node", str(script), str(PLAYWRIGHT), address, str(words)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", default="HEAD~1", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--words", type=int, default=5_000)
    parser.add_argument("--most", type=float, default=1.1)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        packed = subprocess.run(
            ["git", "archive", options.against, "src"], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        sources = {"then": Path(folder) / "src", "now": ROOT / "src"}
        addresses = {name: stack.enter_context(serving(source)) for name, source in sources.items()}
        found: dict[str, list[dict[str, float]]] = {name: [] for name in addresses}
        for _ in range(options.rounds):
            for name, address in addresses.items():
                found[name].append(measure(address, options.words))
    print(f"{'median of ' + str(options.rounds):<32} {options.against:>10} {'now':>10} {'ratio':>6}")
    worse = False
    for key, title in FIGURES.items():
        then, now = (statistics.median(row[key] for row in found[name]) for name in ("then", "now"))
        worse = worse or (key in JUDGED and now > options.most * then)
        print(f"{title:<32} {then:>10,.1f} {now:>10,.1f} {now / then:>6.2f}")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
