"""Real servers on loopback ports, with plugins that are slow or stumble on purpose."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]

PLUGIN = '''
import time
from pathlib import Path

from unslant.core.types import Analysis


class Held:
    """Stops at a text about a hold, and goes on when it is let go; everything is judged alike."""

    def __init__(self, spec):
        pass

    def analyze(self, sentences):
        if any("hold" in sentence.text for sentence in sentences):
            Path("held").touch()
            while not Path("go").exists():
                time.sleep(0.01)
        with open("seen", "a") as stream:
            stream.write("." * len(sentences))
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
    def held(self) -> bool:
        """Whether the analyzer *held* has stopped at a text."""
        return (self.log.parent / "held").exists()

    def let_go(self) -> None:
        """Let the analyzer *held* go on, now and from here on."""
        (self.log.parent / "go").touch()

    @property
    def seen(self) -> int:
        """How many sentences the analyzer *held* has seen."""
        return len((self.log.parent / "seen").read_text())

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].strip("/"))

    def post(self, path: str, payload: object, **named: object) -> httpx.Response:
        return self.client.post(path, json=payload, **named)  # type: ignore[arg-type]


Start = Callable[..., Server]


def wait_until(condition: Callable[[], object], seconds: float = 120) -> None:
    """Return as soon as a condition holds; fail if it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what the test waits for did not happen"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of analyzers as anybody may install one."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "server_test_plugin.py").write_text(PLUGIN)
    about = folder / "server_test_plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: server-test-plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[unslant.analyzers]\nheld = server_test_plugin:Held\nstumbling = server_test_plugin:Stumbling\n"
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
    def found() -> str:
        assert process.poll() is None, log.read_text()
        lines = (line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n"))
        return next((line for line in lines if line.startswith("unslant serves ")), "")

    wait_until(found)
    return found().removeprefix("unslant serves ").strip()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A server with nothing unusual about it; it logs what it may."""
    with running(tmp_path_factory.mktemp("server"), plugins, ["--log-requests"], ["rules"], {}) as one:
        yield one


@pytest.fixture(scope="session")
def judging_server(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[Server]:
    """A server with an analyzer that gives every sentence a probability."""
    with running(tmp_path_factory.mktemp("judging"), plugins, [], ["rules", "held"], {}) as one:
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
