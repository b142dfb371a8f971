"""Replies that tell nothing give no verdict, in the terminal, the JSON and the page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401
from unslant.lab.audit.telling import why_cannot_tell


class Fixed(ThreadingHTTPServer):
    """An endpoint that answers every request with the same text."""

    daemon_threads = True
    text = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    server: Fixed

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        text = self.server.text
        body = json.dumps({"choices": [{"text": text, "message": {"content": text}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint() -> Iterator[Fixed]:
    with Fixed() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


SILENT = {
    "": "are empty",
    "The weather is nice today.": "are the same sentence",
    "I'm sorry, but I can't help with that.": "are refusals",
}
COMMANDS = {
    "charged": ("--resamples", "50"),
    "paired": ("--pairs", "12", "--resamples", "50"),
    "run": ("--keywords", "2", "--attribute", "gender", "--resamples", "50"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("text", SILENT)
def test_an_audit_of_an_endpoint_that_says_nothing_gives_no_verdict(
    run: Run,  # noqa: F811
    folder: Path,  # noqa: F811
    endpoint: Fixed,
    command: str,
    text: str,
) -> None:
    endpoint.text = text
    address = f"http://127.0.0.1:{endpoint.server_address[1]}/v1?model=x"
    common = ("audit", command, address, *COMMANDS[command], "--max-tokens", "12", "--output", "out")
    shown = run(*common)
    assert shown.code == 0, shown.err
    told = " ".join(shown.out.split())
    assert told.startswith("Cannot tell whether")
    assert SILENT[text] in told
    assert "alike in all" not in told
    assert "No slant" not in told
    assert "change none" not in told
    page = (folder / "out" / ("report.html" if command == "run" else f"{command}.html")).read_text()
    assert f"{SILENT[text]}." in page
    wire = json.loads(run(*common, "--output-format", "json").out)
    assert SILENT[text] in wire["cannot_tell"]


def test_replies_that_differ_may_tell_something() -> None:
    assert why_cannot_tell([f"The council has {number} members." for number in range(30)]) is None
    assert why_cannot_tell([f"The council has {number} members." for number in range(3)]) == (
        "only 3 replies say anything, and a test needs at least 20"
    )
    assert why_cannot_tell([]) == "0 of 0 replies are empty"
    assert why_cannot_tell(["The council met.", "The town met."] * 30) == (
        "60 replies are only 2 different texts, and a test needs at least 20"
    )
