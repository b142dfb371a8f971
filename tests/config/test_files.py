"""A project's configuration cannot make unslant load a model or send text away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that remembers what reached it."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(f"{self.headers} {self.rfile.read(int(self.headers['Content-Length'] or 0))!r}")
            self.send_response(500)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1?model=x", seen
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("key", ["analyzers", "rewriter"])
def test_a_server_named_by_a_project_never_gets_text_or_keys(
    run: Run,  # noqa: F811
    folder: Path,  # noqa: F811
    listener: tuple[str, list[str]],
    key: str,
    trusted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, seen = listener
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    value = f'["llm:{url}"]' if key == "analyzers" else f'"llm:{url}"'
    (folder / "unslant.toml").write_text(f"{key} = {value}\n")
    (folder / "page.txt").write_text("The legendary singer slammed the plan.\n")
    if trusted:
        assert run("trust", ".").code == 0
    command = "check" if key == "analyzers" else "fix"
    result = run(command, "page.txt")
    assert result.code == 2
    assert "unslant.toml:1" in result.err
    assert "sends text to a server, which a project's file cannot ask for" in result.err
    assert seen == []


@pytest.mark.parametrize(
    "setting",
    [
        'analyzers = ["rules", "hf:evil"]',
        'rewriter = "mlm:evil"',
        'rewriter = "trained:evil"',
        'model = "evil"',
    ],
)
def test_a_model_named_by_a_project_needs_trust(run: Run, folder: Path, setting: str) -> None:  # noqa: F811
    (folder / "unslant.toml").write_text(setting + "\n")
    (folder / "page.txt").write_text("The council met.\n")
    refused = run("check", "page.txt")
    assert refused.code == 2
    assert (
        "loads a model, which only a trusted folder can ask for; see 'unslant trust --help'." in refused.err
    )
    assert run("trust", ".").code == 0
    assert "trusted folder" not in run("check", "page.txt").err
    assert run("trust", "--list").out.strip() == str(folder.resolve())
    assert run("trust", ".", "--remove").code == 0
    assert "trusted folder" in run("check", "page.txt").err


def test_the_command_line_and_a_named_file_count(run: Run, folder: Path) -> None:  # noqa: F811
    (folder / "mine.toml").write_text('model = "gone"\n')
    (folder / "page.txt").write_text("The council met.\n")
    assert "trusted folder" not in run("check", "page.txt", "--config", "mine.toml").err
    assert "trusted folder" not in run("check", "page.txt", "--model", "gone").err


def test_a_damaged_list_of_folders_is_named(run: Run, folder: Path, tmp_path: Path) -> None:  # noqa: F811
    store = tmp_path / "config" / "trusted.json"
    store.parent.mkdir()
    store.write_text("{")
    (folder / "unslant.toml").write_text('model = "evil"\n')
    (folder / "page.txt").write_text("The council met.\n")
    result = run("check", "page.txt")
    assert result.code == 2
    assert "trusted.json' is not valid JSON (line 1): " in result.err
    assert result.err.endswith("; delete it and trust the folders again\n")
