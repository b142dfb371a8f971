"""``unslant serve`` as it is typed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from unslant.cli.serve import serve
from unslant.core.errors import ConfigError
from unslant.server.run import is_public, listen
from unslant.server.settings import Limits, read_limits

from .conftest import ROOT, Start


def _run(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "unslant", "serve", "--no-config", *options],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")} | env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])  # noqa: S104 - that is the point
def test_a_public_address_needs_a_token_or_a_clear_word(host: str) -> None:
    done = _run("--host", host)
    assert done.returncode == 2
    assert "--insecure-public" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_public_address_with_a_token_is_served(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("open sesame\n")
    server = start("--host", "0.0.0.0", "--token-file", str(file))  # noqa: S104
    assert server.client.get("/v1/rules").status_code == 401
    shown = {"authorization": "Bearer open sesame"}
    assert server.client.get("/v1/rules", headers=shown).status_code == 200


def test_by_default_only_this_machine_is_served() -> None:
    (host,) = (option.default for option in serve.params if option.name == "host")
    assert isinstance(host, str)
    assert not is_public(host)


def test_loopback_is_known_by_all_its_names() -> None:
    assert [is_public(host) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost")] == [False] * 4
    assert [is_public(host) for host in ("0.0.0.0", "::", "10.0.0.1", "example.org", "")] == [True] * 5  # noqa: S104


def test_a_port_in_use_gives_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = _run("--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "choose another --port" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_invalid_token_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for name in ("empty", "absent"):
        done = _run("--token-file", str(tmp_path / name))
        assert (done.returncode, name in done.stderr) == (2, True)


def test_limits_are_read_by_name() -> None:
    assert read_limits([]) == Limits()
    assert read_limits(["body-bytes=10", "seconds=1.5"]) == Limits(body_bytes=10, seconds=1.5)
    for pair, hint in (
        ("body_byte=1", "Did you mean 'body_bytes'?"),
        ("zzz=1", "Limits: body_bytes"),
        ("items=many", "items=300"),
        ("items", "items=300"),
        ("seconds=0", "greater than 0"),
        ("seconds=nan", "greater than 0"),
    ):
        with pytest.raises(ConfigError, match=hint.replace("?", r"\?")):
            read_limits([pair])


def test_every_limit_is_documented() -> None:
    page = (ROOT / "docs" / "server.md").read_text("utf-8")
    assert [field.name for field in fields(Limits) if f"`{field.name}`" not in page] == []


def test_without_the_extra_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError('no', name='fastapi')\n")
    done = _run(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT / 'src'}")
    assert done.returncode == 2
    assert f"pip install '{ROOT}[server]'" in done.stderr


def test_an_answer_does_not_wait_for_acknowledgements() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
