"""Real servers on loopback ports, with plugins that are slow or stumble on purpose."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]

PLUGIN = '''
import time

from unslant.core.types import Analysis


class Slow:
    """Takes as long for many sentences as for one."""

    def __init__(self, spec):
        pass

    def analyze(self, sentences):
        if sentences:
            time.sleep(0.05)
        return [Analysis(probability=0.25) for _ in sentences]


class Stumbling:
    """Breaks on one word, and says so in words that no log may repeat."""

    def __init__(self, spec):
        pass

    def analyze(self, sentences):
        for sentence in sentences:
            if "stumble" in sentence.text:
                raise RuntimeError(sentence.text)
        return [Analysis() for _ in sentences]
'''


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    url: str
    client: httpx.Client
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].strip("/"))

    def post(self, path: str, payload: object, **named: object) -> httpx.Response:
        return self.client.post(path, json=payload, **named)  # type: ignore[arg-type]


Start = Callable[..., Server]


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of analyzers as anybody may install one."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "server_test_plugin.py").write_text(PLUGIN)
    about = folder / "server_test_plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: server-test-plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[unslant.analyzers]\nslow = server_test_plugin:Slow\nstumbling = server_test_plugin:Stumbling\n"
    )
    return folder


@contextmanager
def running(
    folder: Path, plugins: Path, options: Sequence[str], analyzers: Sequence[str], env: dict[str, str]
) -> Iterator[Server]:
    (folder / "unslant.toml").write_text(f"analyzers = {list(analyzers)}\n")
    log = folder / "log.txt"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "unslant", "serve", "--port", "0", *options],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{plugins}"} | env,
            stderr=stream,
            text=True,
        )
    try:
        url = _address(process, log)
        with httpx.Client(base_url=url, timeout=120) as client:
            yield Server(process, url, client, log)
    finally:
        process.terminate()
        try:
            process.wait(120)
        finally:
            process.kill()


def _address(process: subprocess.Popen[str], log: Path) -> str:
    import time

    for _ in range(3_600):
        for line in log.read_text().splitlines():
            if line.startswith("unslant serves "):
                return line.removeprefix("unslant serves ").strip()
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A server with nothing unusual about it; it logs what it may."""
    with running(tmp_path_factory.mktemp("server"), plugins, ["--log-requests"], ["rules"], {}) as one:
        yield one


@pytest.fixture(scope="session")
def slow_server(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A server with an analyzer that takes 50 ms for every pass."""
    with running(tmp_path_factory.mktemp("slow"), plugins, [], ["rules", "slow"], {}) as one:
        yield one


@pytest.fixture(scope="session")
def locked_server(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A server that asks for the token ``open sesame``, and lets one other origin in."""
    options, env = ["--allow-origin", "https://example.org"], {"UNSLANT_TOKEN": "open sesame"}
    with running(tmp_path_factory.mktemp("locked"), plugins, options, ["rules"], env) as one:
        yield one


@pytest.fixture
def start(tmp_path: Path, plugins: Path) -> Iterator[Start]:
    """Start a server of one's own: options, and the analyzers that it runs."""
    with ExitStack() as stack:

        def start(*options: str, analyzers: Sequence[str] = ("rules",), key: str = "") -> Server:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            return stack.enter_context(running(folder, plugins, options, analyzers, {"UNSLANT_TOKEN": key}))

        yield start
