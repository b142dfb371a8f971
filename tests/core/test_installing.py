"""What to type to install an extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unslant.core import installing
from unslant.core.installing import install_command

ROOT = Path(__file__).resolve().parents[2]


def test_a_checkout_is_named() -> None:
    assert install_command("server").endswith(f"pip install '{ROOT}[server]'")


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ann/.local/share/pipx/venvs/unslant", "pipx install --force '"),
        ("/home/ann/.local/share/uv/tools/unslant", "uv tool install --force '"),
        ("/home/ann/venv", "pip install '"),
    ],
)
def test_the_tool_that_made_the_environment(
    monkeypatch: pytest.MonkeyPatch, prefix: str, command: str
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert install_command("server").startswith(command)


def test_environments_of_uv_have_no_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    once = tmp_path / "archive-v0" / "H8FFN9uIqo"
    lasting = tmp_path / "venv"
    for prefix in (once, lasting):
        prefix.mkdir(parents=True)
        (prefix / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.13.8\n", "utf-8")
    monkeypatch.setattr(sys, "prefix", str(once))
    assert install_command("server") == f"uvx --from '{ROOT}[server]' unslant"
    monkeypatch.setattr(sys, "prefix", str(lasting))
    monkeypatch.setattr(sys, "executable", str(lasting / "bin" / "python"))
    assert install_command("server") == f"uv pip install --python {lasting}/bin/python '{ROOT}[server]'"


def test_a_release_is_named_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installing, "__file__", str(tmp_path / "a" / "b" / "c" / "installing.py"))
    monkeypatch.setattr(
        installing, "distribution", lambda _: Distribution('{"url": "https://x.example/u.whl"}')
    )
    assert install_command("server").endswith("pip install 'unslant[server]'")
    wheel = tmp_path / "unslant-1-py3-none-any.whl"
    wheel.touch()
    monkeypatch.setattr(installing, "distribution", lambda _: Distribution(f'{{"url": "{wheel.as_uri()}"}}'))
    assert install_command("server").endswith(f"pip install '{wheel}[server]'")


class Distribution:
    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, _: str) -> str:
        return self._text
