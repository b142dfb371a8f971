"""Measure the server on loopback: throughput, latency, batching and memory.

    python benchmarks/server.py load --seconds 30
    python benchmarks/server.py batching --seconds 30
    python benchmarks/server.py memory

``load`` runs the rules (and the model that ``--model`` names) with 1, 8 and 32 clients at once. ``batching`` compares
passes that hold all waiting requests with passes of one request: for the rules, for an analyzer with a fixed cost per
pass (``--pass-ms``, like a call to another process or an accelerator), and for a model if one is named. ``memory``
compares the server's memory after 1,000 and after 10,000 requests. Every client sends its next request when the last
one has been answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]

PLUGIN = """
import time
from unslant.core.types import Analysis

class Fixed:
    def __init__(self, spec):
        pass

    def analyze(self, sentences):
        if sentences:
            time.sleep({seconds})
        return [Analysis() for _ in sentences]
"""

SENTENCES = (
    "The committee met on Tuesday to talk about the budget of the coming year.",
    "Critics slammed the plan, which the legendary mayor had called a triumph.",
    "A spokesman said that the figures would be published in the spring.",
    "It is obviously the best proposal that the council has ever seen.",
    "The library opens at nine and closes at six on weekdays.",
    "Some people say that the project was doomed from the start.",
)


@dataclass
class Tally:
    """The responses that the clients received."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    failed: int = 0
    unannounced: int = 0
    """503 responses without a Retry-After header."""


@dataclass(frozen=True)
class Running:
    """A running server and its address."""

    process: subprocess.Popen[bytes]
    port: int

    def processor_seconds(self) -> float:
        """Return the CPU time that it has used."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Return its resident memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) * 1024 if found else 0


@contextmanager
def serving(analyzers: Sequence[str], batch: int, model: str, pass_ms: float) -> Iterator[Running]:
    """Start a server in a separate process, with a test analyzer installed as a plugin."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bench_plugin.py").write_text(PLUGIN.format(seconds=pass_ms / 1_000))
        about = folder / "bench_plugin-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-plugin\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[unslant.analyzers]\nfixed = bench_plugin:Fixed\n")
        lines = [f"analyzers = {list(analyzers)}", *([f"model = {json.dumps(model)}"] if model else [])]
        (folder / "unslant.toml").write_text("\n".join(lines))
        options = ["--port", "0", "--limit", f"batch={batch}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "unslant", "serve", *options],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{folder}"},
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None  # noqa: S101
        line = process.stderr.readline().decode()
        try:
            yield Running(process, int(line.rstrip("/\n").rpartition(":")[2]))
        finally:
            process.terminate()
            process.wait(30)


def request(number: int) -> bytes:
    """Return a request with two sentences, different each time."""
    first = SENTENCES[number % len(SENTENCES)]
    second = SENTENCES[(number // len(SENTENCES)) % len(SENTENCES)]
    body = json.dumps({"text": f"{first} {second} It was the {number}th time."}).encode()
    return b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


async def client(port: int, tally: Tally, until: float, most: int, offset: int) -> None:
    """Send requests on one connection until the time or the number is reached."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for number in range(most):
            if time.perf_counter() >= until:
                break
            began = time.perf_counter()
            writer.write(request(offset + number))
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head.lower())
            await reader.readexactly(int(length[1]) if length else 0)
            status = int(head[9:12])
            tally.statuses[status] += 1
            tally.seconds.append(time.perf_counter() - began)
            if status == 503 and b"retry-after" not in head.lower():
                tally.unannounced += 1
    except (OSError, asyncio.IncompleteReadError):
        tally.failed += 1
    finally:
        writer.close()


async def load(port: int, clients: int, seconds: float = 1e9, most: int = sys.maxsize) -> Tally:
    """Run several clients at the same time."""
    tally = Tally()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, tally, until, most, 1_000_000 * number) for number in range(clients)))
    return tally


def measured(running: Running, clients: int, seconds: float) -> dict[str, float]:
    """Warm up, apply the load and return the figures; anything but a response or an announced refusal is an error."""
    asyncio.run(load(running.port, clients, min(1.0, seconds)))
    began, busy = time.perf_counter(), running.processor_seconds()
    tally = asyncio.run(load(running.port, clients, seconds))
    took, busy = time.perf_counter() - began, running.processor_seconds() - busy
    others = sum(count for status, count in tally.statuses.items() if status not in (200, 503))
    ordered = sorted(tally.seconds)
    return {
        "clients": clients,
        "requests": len(ordered),
        "a second": round(tally.statuses[200] / took, 1),
        "p50 ms": round(1_000 * ordered[len(ordered) // 2], 1),
        "p99 ms": round(1_000 * ordered[int(len(ordered) * 0.99)], 1),
        "CPU ms each": round(1_000 * busy / len(ordered), 2),
        "503": tally.statuses[503],
        "failed": tally.failed + tally.unannounced + others,
    }


def run_load(options: argparse.Namespace) -> None:
    """Print throughput and latency with 1, 8 and 32 clients."""
    analyzers = ["rules", "model"] if options.model else ["rules"]
    with serving(analyzers, 64, options.model, 0) as running:
        for clients in (1, 8, 32):
            print(json.dumps(measured(running, clients, options.seconds)), flush=True)


def run_batching(options: argparse.Namespace) -> None:
    """Print the ratio between passes of many requests and passes of one, at 32 clients."""
    kinds = {"rules": ["rules"], f"rules and {options.pass_ms:g} ms per pass": ["rules", "fixed"]}
    if options.model:
        kinds["rules and model"] = ["rules", "model"]
    for name, analyzers in kinds.items():
        model = options.model if "model" in analyzers else ""
        figures = {}
        for batch in (1, 64):
            with serving(analyzers, batch, model, options.pass_ms) as running:
                figures[batch] = measured(running, 32, options.seconds)
        ratio = figures[64]["a second"] / figures[1]["a second"]
        print(
            json.dumps(
                {"analyzers": name, "alone": figures[1], "together": figures[64], "ratio": round(ratio, 2)}
            )
        )


def run_memory(options: argparse.Namespace) -> None:
    """Print the memory after 1,000 and after 10,000 requests."""
    analyzers = ["rules", "model"] if options.model else ["rules"]
    with serving(analyzers, 64, options.model, 0) as running:
        early = 0
        for thousand in range(1, 11):
            asyncio.run(load(running.port, 8, most=125))
            late = running.memory()
            early = early or late
            figures = {
                "requests": 1_000 * thousand,
                "MB": round(late / 1e6, 1),
                "ratio": round(late / early, 3),
            }
            print(json.dumps(figures), flush=True)


def main() -> None:
    """Parse the options and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["load", "batching", "memory"])
    parser.add_argument("--seconds", type=float, default=30.0, help="the duration of each load in seconds")
    parser.add_argument("--pass-ms", type=float, default=10.0, help="the cost of a pass of the test analyzer")
    parser.add_argument("--model", default="", help="the folder of a model to run next to the rules")
    options = parser.parse_args()
    {"load": run_load, "batching": run_batching, "memory": run_memory}[options.what](options)


if __name__ == "__main__":
    main()
