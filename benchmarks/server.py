"""Measure the server on loopback: throughput, latency, batching and memory.

    python benchmarks/server.py soak --seconds 600
    python benchmarks/server.py mixed --seconds 60
    python benchmarks/server.py stop --rounds 50
    python benchmarks/server.py mix --seconds 30
    python benchmarks/server.py hostile --seconds 30
    python benchmarks/server.py load --tier rules --seconds 30
    python benchmarks/server.py batching --seconds 30
    python benchmarks/server.py memory --requests 10000

``soak`` keeps 16 clients busy with checks of one sentence, of 20 comments and of 2,500 words, fixes, explanations and
profiles, beside connections that send a body or headers a byte at a time, or never read an answer. It prints the memory
and the number of answers of each kind after every tenth of the time, then the latency of each kind. The exit code is 1
if memory grows by more than a tenth after the third tenth, if a kind gets no answer in any tenth, if a request fails,
or if the server keeps a slow connection for longer than its limits say. ``mixed`` measures the latency of 16 clients at
once: ten with one sentence, four with 20 comments in one request and two with texts of 2,500 words, no sentence twice.
The exit code is 1 if the 99th percentile of one sentence is more than four times its median, or that of 20 comments
more than three seconds: run it while the machine does nothing else. It prints
how many cores other programs used meanwhile. ``stop`` sends SIGTERM to a server that twelve
clients keep asking over open connections, again and again, and the exit code is 1 if any request of any round ends
otherwise than with an answer or with a refused connection. ``mix`` measures the latency of one-sentence requests with
1, 8 and 32 clients, each without and with six more clients that send texts of 2,500 words. ``hostile`` does the same
beside three clients that have texts fixed which are made to be slow; then it sends SIGTERM in the middle of their work,
and the exit code is 1 if the latency is more than five times as high or if the server outlives its grace. ``load``
measures the throughput of two-sentence requests with 1, 8 and 32 clients. ``batching`` compares passes that hold all
waiting requests with passes of one request: for the rules, for an analyzer with a fixed cost per pass (``--pass-ms``,
like a call to another process or an accelerator), and for the model. ``memory`` compares the server's memory after a
tenth of the requests and after all of them. Rules and model run unless ``--tier rules`` is given. Every client sends
its next request when the last one has been answered. Anything but a response, or a 503 with a ``Retry-After``, counts
as failed.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from unslant.server.settings import Limits

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
    errors: Counter[str] = field(default_factory=Counter)
    """How connections failed, and when."""


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
def serving(
    analyzers: Sequence[str], batch: int, model: str, pass_ms: float, limits: Sequence[str] = ()
) -> Iterator[Running]:
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
        options = ["--port", "0"]
        for limit in (f"batch={batch}", *limits):
            options += ["--limit", limit]
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
            process.wait(120)  # its grace, and the time that a busy machine takes


def two_sentences(number: int) -> str:
    """Return a text of two sentences, different each time."""
    second = SENTENCES[(number // len(SENTENCES)) % len(SENTENCES)]
    return f"{one_sentence(number)} {second} It was the {number}th time."


def new_sentence(number: int) -> str:
    """Return a sentence that differs each time, so that no answer is remembered."""
    return f"{one_sentence(number).removesuffix('.')}, for the {number}th time."


def comments(number: int) -> list[str]:
    """Return 20 comments of two sentences each, all different."""
    return [f"{new_sentence(40 * number + at)} {new_sentence(40 * number + 20 + at)}" for at in range(20)]


def new_text(number: int) -> str:
    """Return a text of about 2,500 words without a sentence that was in another one."""
    sentences = [new_sentence(1_000_000_000 + 160 * number + at) for at in range(160)]
    return "\n\n".join(" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6))


def one_sentence(number: int) -> str:
    """Return one of the sentences."""
    return SENTENCES[number % len(SENTENCES)]


def long_text(number: int) -> str:
    """Return a text of about 2,500 words."""
    return "\n\n".join(" ".join(SENTENCES) for _ in range(35)) + f" It was the {number}th time.\n"


MOST_RATIO = 5.0
"""How much longer others may wait while texts are fixed that are made to be slow."""
MOST_SPREAD = 4.0
"""How many times its median the 99th percentile of one-sentence requests may be among mixed clients."""
MOST_SECONDS = 3.0
"""The 99th percentile of requests with 20 comments among mixed clients."""
LAST_SECONDS = 5.0
"""What a stop may take after the grace."""
HOSTILE = (
    "legendary and " * 1000 + "le",
    "\n".join(["slammed", "legendary", "chairman", "so-called"] * 100),
    "claimed that " * 1000,
)
"""Texts that used to keep fixing busy for minutes."""


def hostile_text(number: int) -> str:
    """Return one of the texts that are made to be slow."""
    return HOSTILE[number % len(HOSTILE)]


def request(path: str, text: str | list[str]) -> bytes:
    """Return the bytes of a request with one text or with several."""
    items = {"items": [{"text": one} for one in text]} if isinstance(text, list) else {"text": text}
    body = json.dumps(items).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def client(port: int, tally: Tally, load: Load, until: float, first: int) -> None:
    """Send requests on one connection until the time or the number is reached."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for number in range(first, first + load.most):
            if time.perf_counter() >= until:
                break
            sent = request(load.path, load.text(number))
            began = time.perf_counter()
            writer.write(sent)
            head = await _read_answer(reader)
            status = int(head[9:12])
            tally.statuses[status] += 1
            tally.seconds.append(time.perf_counter() - began)
            if status == 503 and b"retry-after" not in head:
                tally.unannounced += 1
    except (OSError, asyncio.IncompleteReadError):
        tally.failed += 1
    finally:
        writer.close()


async def _read_answer(reader: asyncio.StreamReader) -> bytes:
    """Read an answer to its end, and return its head in lower case."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"content-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)
    return head


async def keep_asking(port: int, tally: Tally, first: int) -> None:
    """Ask over one connection as long as somebody is there, as pools do; connect again where that is asked for."""
    number = first
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            return  # the client knows that its request was not read
        except OSError as error:
            tally.failed += 1
            tally.errors[f"{type(error).__name__} on connecting"] += 1
            return
        asked = 0
        try:
            closing = False
            while not closing:
                writer.write(request("/v1/check", one_sentence(number + asked)))
                head = await _read_answer(reader)
                tally.statuses[int(head[9:12])] += 1
                closing = b"connection: close" in head
                asked += 1
        except (OSError, asyncio.IncompleteReadError) as error:
            tally.failed += 1
            tally.errors[f"{type(error).__name__} after {'some answers' if asked else 'connecting'}"] += 1
            return
        finally:
            writer.close()


Text = Callable[[int], str | list[str]]


@dataclass(frozen=True)
class Load:
    """How many clients send what, and for how long."""

    clients: int
    text: Text = two_sentences
    seconds: float = 1e9
    most: int = sys.maxsize
    path: str = "/v1/check"
    first: int = 0
    """The number of the first text."""


async def run(port: int, *loads: Load) -> list[Tally]:
    """Run all clients at the same time, and return what those of each load received."""
    tallies = [Tally() for _ in loads]
    now = time.perf_counter()
    await asyncio.gather(
        *(
            client(port, tally, load, now + load.seconds, load.first + 1_000_000 * number)
            for load, tally in zip(loads, tallies, strict=True)
            for number in range(load.clients)
        )
    )
    return tallies


def failures(tally: Tally) -> int:
    """Return the number of requests that got neither a response nor an announced refusal."""
    others = sum(count for status, count in tally.statuses.items() if status not in (200, 503))
    return tally.failed + tally.unannounced + others


def milliseconds(tally: Tally, share: float) -> float:
    """Return a quantile of the latency."""
    ordered = sorted(tally.seconds)
    return round(1_000 * ordered[min(int(len(ordered) * share), len(ordered) - 1)], 1)


def measured(running: Running, clients: int, seconds: float) -> dict[str, float]:
    """Warm up, apply the load and return the figures."""
    asyncio.run(run(running.port, Load(clients, seconds=min(1.0, seconds))))
    began, busy = time.perf_counter(), running.processor_seconds()
    (tally,) = asyncio.run(run(running.port, Load(clients, seconds=seconds)))
    took, busy = time.perf_counter() - began, running.processor_seconds() - busy
    return {
        "clients": clients,
        "requests": len(tally.seconds),
        "a second": round(tally.statuses[200] / took, 1),
        "p50 ms": milliseconds(tally, 0.5),
        "p99 ms": milliseconds(tally, 0.99),
        "CPU ms each": round(1_000 * busy / len(tally.seconds), 2),
        "503": tally.statuses[503],
        "failed": failures(tally),
    }


def analyzers_of(options: argparse.Namespace) -> list[str]:
    """Return the analyzers to run."""
    return ["rules"] if options.tier == "rules" else ["rules", "model"]


def run_load(options: argparse.Namespace) -> None:
    """Print throughput and latency with 1, 8 and 32 clients."""
    with serving(analyzers_of(options), 64, options.model, 0) as running:
        for clients in (1, 8, 32):
            print(json.dumps(measured(running, clients, options.seconds)), flush=True)


def compare_latency(running: Running, clients: int, beside: Load) -> float:
    """Print the latency of one-sentence requests, alone and beside another load; return the ratio of the medians."""
    alone: tuple[float, float] | None = None
    for load in (replace(beside, clients=0), beside):
        short, others = asyncio.run(run(running.port, Load(clients, one_sentence, beside.seconds), load))
        p50, p99 = milliseconds(short, 0.5), milliseconds(short, 0.99)
        alone = alone or (p50, p99)
        figures = {
            "clients": clients,
            "others": load.clients,
            "requests": len(short.seconds),
            "p50 ms": p50,
            "p99 ms": p99,
            "p50 ratio": round(p50 / alone[0], 2),
            "p99 ratio": round(p99 / alone[1], 2),
            "others' requests": len(others.seconds),
            "503": short.statuses[503] + others.statuses[503],
            "failed": failures(short) + failures(others),
        }
        print(json.dumps(figures), flush=True)
    return p50 / alone[0] if alone else 0.0


def run_mixed(options: argparse.Namespace) -> None:
    """Print the latency of each kind of request while 16 clients send all kinds."""
    loads = {
        "one sentence": Load(10, new_sentence, options.seconds),
        "20 comments": Load(4, comments, options.seconds),
        "2,500 words": Load(2, new_text, options.seconds),
    }
    with serving(analyzers_of(options), 64, options.model, 0) as running:
        asyncio.run(run(running.port, Load(1, one_sentence, seconds=2)))
        with measuring_cores(running) as cores:
            tallies = dict(zip(loads, asyncio.run(run(running.port, *loads.values())), strict=True))
    for name, tally in tallies.items():
        print(json.dumps(_latency(name, loads[name].clients, tally)), flush=True)
    short, several = tallies["one sentence"], tallies["20 comments"]
    ratio = milliseconds(short, 0.99) / milliseconds(short, 0.5)
    print(json.dumps({"p99 / p50 of one sentence": round(ratio, 2)} | cores), flush=True)
    slow = ratio > MOST_SPREAD or milliseconds(several, 0.99) > 1_000 * MOST_SECONDS
    if slow or any(map(failures, tallies.values())):
        sys.exit(1)


@contextmanager
def measuring_cores(running: Running) -> Iterator[dict[str, float]]:
    """Measure how many cores the server and other programs use meanwhile, and warn if the others use much."""
    cores: dict[str, float] = {}
    began, own = time.perf_counter(), time.process_time()
    busy, all_of_it = running.processor_seconds(), machine_seconds()
    yield cores
    took, busy = time.perf_counter() - began, running.processor_seconds() - busy
    others = machine_seconds() - all_of_it - busy - (time.process_time() - own)
    cores |= {
        "cores of the server": round(busy / took, 2),
        "cores of other programs": round(others / took, 2),
    }
    if others > 0.2 * took:
        print(
            "other programs were busy, so these latencies are not those of an idle machine", file=sys.stderr
        )


def machine_seconds() -> float:
    """Return the CPU time that all programs on this machine have used since it started."""
    user, nice, system, _idle, _waiting, *more = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + sum(more[:3])) / os.sysconf("SC_CLK_TCK")


async def hold(port: int, first: bytes, then: bytes, until: float, lives: list[float]) -> None:
    """Open one connection after another that is slow, never read from it, and note how long the server keeps each."""
    while time.perf_counter() < until:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        transport = writer.transport
        assert isinstance(transport, asyncio.Transport)  # noqa: S101
        transport.pause_reading()
        began = time.perf_counter()
        writer.write(first)
        try:
            while time.perf_counter() < until:
                await asyncio.sleep(0.5)
                # a reset shows when something is written, an orderly end only when something is read
                writer.write(then)
                await writer.drain()
                if not first.startswith(b"GET"):
                    transport.resume_reading()
                if reader.at_eof() or transport.is_closing():
                    lives.append(time.perf_counter() - began)
                    break
        except OSError:
            lives.append(time.perf_counter() - began)
        finally:
            transport.abort()


_SLOW = {
    "slow headers": (b"POST /v1/check HTTP/1.1\r\nX-Slow: ", b"a"),
    "slow bodies": (
        b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100000\r\n\r\n{",
        b" ",
    ),
    "slow readers": (b"GET /v1/rules HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400, b"\r\n"),
}
"""What slow connections send at first, and then twice a second."""
_SLOW_EACH = 4
_SLOW_SECONDS = 5.0
"""The limits for headers, bodies and answers during a soak, so that even a short one sees many connections end."""
_LATE_SECONDS = 5.0
"""How much longer a slow connection may live: the server's own grace, and this process waiting for its turn."""
_MOST_GROWTH = 1.1
_SETTLED = 2
"""The number of the tenth after which memory should not grow: caches are full, threads have started."""


def run_soak(options: argparse.Namespace) -> None:
    """Print memory and answers over time, and the latency of each kind, with 16 clients and slow connections."""
    loads = {
        "one sentence": Load(5, new_sentence),
        "20 comments": Load(2, comments),
        "2,500 words": Load(2, new_text),
        "fix": Load(4, two_sentences, path="/v1/fix"),
        "explain": Load(2, one_sentence, path="/v1/explain"),
        "profile": Load(1, new_text, path="/v1/profile"),
    }
    if options.tier == "rules":
        del loads["explain"]  # it is the model that is explained
    whole = {name: Tally() for name in loads}
    lives: dict[str, list[float]] = {name: [] for name in _SLOW}
    memory: list[int] = []
    starved: list[str] = []
    limits = [f"header_seconds={_SLOW_SECONDS}", f"body_seconds={_SLOW_SECONDS}"]

    async def soak(running: Running) -> None:
        seconds = options.seconds / 10
        until = time.perf_counter() + options.seconds
        slow = [
            asyncio.ensure_future(hold(running.port, *_SLOW[name], until, lives[name]))
            for name in _SLOW
            for _ in range(_SLOW_EACH)
        ]
        for number in range(10):
            # other numbers each time: no answer is remembered
            parts = [replace(load, seconds=seconds, first=100_000 * number) for load in loads.values()]
            tallies = dict(zip(loads, await run(running.port, *parts), strict=True))
            memory.append(running.memory())
            for name, tally in tallies.items():
                whole[name].seconds += tally.seconds
                whole[name].statuses += tally.statuses
                whole[name].failed += tally.failed
                whole[name].unannounced += tally.unannounced
            starved.extend(name for name, tally in tallies.items() if not tally.statuses[200])
            answered = {name: tally.statuses[200] for name, tally in tallies.items()}
            print(json.dumps({"tenth": number + 1, "MB": round(memory[-1] / 1e6, 1)} | answered), flush=True)
        await asyncio.gather(*slow)

    with serving(analyzers_of(options), 64, options.model, 0, limits) as running:
        asyncio.run(run(running.port, *(replace(load, seconds=1.0) for load in loads.values())))
        with measuring_cores(running) as cores:
            asyncio.run(soak(running))
    print(json.dumps(cores), flush=True)
    for name, tally in whole.items():
        print(json.dumps(_latency(name, loads[name].clients, tally)), flush=True)
    for name, seconds in lives.items():
        longest = round(max(seconds, default=0.0), 1)
        print(json.dumps({"connections": name, "closed by the server": len(seconds), "longest s": longest}))
    growth = max(memory[_SETTLED:]) / memory[_SETTLED]
    print(json.dumps({"memory after the third tenth, times": round(growth, 3), "starved": starved}))
    kept = max((max(seconds, default=0.0) for seconds in lives.values()), default=0.0)
    if (
        growth > _MOST_GROWTH
        or starved
        or any(map(failures, whole.values()))
        or kept > _SLOW_SECONDS + _LATE_SECONDS
        or not all(lives.values())
    ):
        sys.exit(1)


def _latency(name: str, clients: int, tally: Tally) -> dict[str, float | str]:
    return {
        "request": name,
        "clients": clients,
        "requests": len(tally.seconds),
        "p50 ms": milliseconds(tally, 0.5),
        "p99 ms": milliseconds(tally, 0.99),
        "most ms": milliseconds(tally, 1.0),
        "503": tally.statuses[503],
        "failed": failures(tally),
    }


def run_stop(options: argparse.Namespace) -> None:
    """Print how the requests of clients with open connections end when the server is stopped."""
    whole, clean = Tally(), 0
    for _ in range(options.rounds):
        with serving(analyzers_of(options), 64, options.model, 0) as running:
            tally = asyncio.run(_stop_beside_clients(running))
        clean += not failures(tally)
        whole.statuses += tally.statuses
        whole.failed += tally.failed
        whole.errors += tally.errors
    figures = {"rounds": options.rounds, "without a failed request": clean, "failed": failures(whole)}
    print(json.dumps(figures | {"answers": dict(whole.statuses), "errors": dict(whole.errors)}))
    if clean < options.rounds:
        sys.exit(1)


async def _stop_beside_clients(running: Running) -> Tally:
    """Stop a server beside twelve clients that keep asking."""
    tally = Tally()
    asking = [asyncio.ensure_future(keep_asking(running.port, tally, 1_000 * at)) for at in range(12)]
    await asyncio.sleep(0.5)
    running.process.terminate()
    await asyncio.to_thread(running.process.wait)
    await asyncio.gather(*asking)
    return tally


def run_mix(options: argparse.Namespace) -> None:
    """Print the latency of one-sentence requests, alone and beside six clients with long texts."""
    with serving(analyzers_of(options), 64, options.model, 0) as running:
        asyncio.run(run(running.port, Load(1, one_sentence, seconds=2)))
        for clients in (1, 8, 32):
            compare_latency(running, clients, Load(6, long_text, options.seconds))


def run_hostile(options: argparse.Namespace) -> None:
    """Print the latency of one-sentence requests beside slow fixes, and how long a stop takes amid them."""
    with serving(analyzers_of(options), 64, options.model, 0) as running:
        asyncio.run(run(running.port, Load(1, one_sentence, seconds=2)))
        slow = Load(3, hostile_text, options.seconds, path="/v1/fix")
        ratios = [compare_latency(running, clients, slow) for clients in (1, 8)]
        took = asyncio.run(_stop_amid(running, replace(slow, seconds=1e9)))
    grace = Limits().grace_seconds
    print(json.dumps({"seconds from SIGTERM to the end": round(took, 1), "grace": grace}))
    if max(ratios) > MOST_RATIO or took > grace + LAST_SECONDS:
        sys.exit(1)


async def _stop_amid(running: Running, load: Load) -> float:
    """Stop a server that is at work, and return how many seconds it takes to end."""
    working = asyncio.ensure_future(run(running.port, load))
    await asyncio.sleep(2)
    began = time.perf_counter()
    running.process.terminate()
    await asyncio.to_thread(running.process.wait)
    took = time.perf_counter() - began
    await working
    return took


def run_batching(options: argparse.Namespace) -> None:
    """Print the ratio between passes of many requests and passes of one, at 32 clients."""
    kinds = {"rules": ["rules"], f"rules and {options.pass_ms:g} ms per pass": ["rules", "fixed"]}
    if options.tier != "rules":
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
    """Print the memory after each tenth of the requests."""
    with serving(analyzers_of(options), 64, options.model, 0) as running:
        early = failed = 0
        for tenth in range(1, 11):
            (tally,) = asyncio.run(run(running.port, Load(8, most=max(options.requests // 80, 1))))
            failed += failures(tally)
            late = running.memory()
            early = early or late
            figures = {
                "requests": 8 * max(options.requests // 80, 1) * tenth,
                "MB": round(late / 1e6, 1),
                "ratio": round(late / early, 3),
                "failed": failed,
            }
            print(json.dumps(figures), flush=True)


def main() -> None:
    """Parse the options and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", choices=["soak", "mixed", "stop", "mix", "hostile", "load", "batching", "memory"]
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="the duration of each load in seconds")
    parser.add_argument("--rounds", type=int, default=50, help="the number of stops of 'stop'")
    parser.add_argument("--pass-ms", type=float, default=10.0, help="the cost of a pass of the test analyzer")
    parser.add_argument("--requests", type=int, default=10_000, help="the number of requests of 'memory'")
    parser.add_argument("--tier", choices=["all", "rules"], default="all", help="what the server runs")
    parser.add_argument("--model", default="", help="the folder of a model instead of the one that ships")
    options = parser.parse_args()
    runs = {
        "soak": run_soak,
        "mixed": run_mixed,
        "stop": run_stop,
        "mix": run_mix,
        "hostile": run_hostile,
        "load": run_load,
        "batching": run_batching,
        "memory": run_memory,
    }
    runs[options.what](options)


if __name__ == "__main__":
    main()
