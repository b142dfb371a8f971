"""The command that installs an extra, for the way in which unslant itself is installed here."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install_command(extra: str) -> str:
    """Return what to type, such as ``pip install '/home/ann/unslant[server]'`` for an installation from a folder."""
    what = f"{_origin()}[{extra}]"
    tools = Path(sys.prefix).parent.name
    if tools == "tools" and "uv" in Path(sys.prefix).parts:
        return f"uv tool install --force {_quoted(what)}"
    if tools == "venvs" and "pipx" in Path(sys.prefix).parts:
        return f"pipx install --force {_quoted(what)}"
    pip = "pip" if sys.prefix == sys.base_prefix else f"{shlex.quote(str(Path(sys.prefix) / 'bin' / 'pip'))}"
    if sys.platform == "win32" or not (Path(sys.prefix) / "bin" / "pip").exists():
        pip = "pip"
    return f"{pip} install {_quoted(what)}"


def _quoted(what: str) -> str:
    # brackets mean something to shells
    return f"'{what}'" if "'" not in what else shlex.quote(what)


def _origin() -> str:
    """Return where unslant was installed from: a folder or a file on this machine, else its name."""
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "pyproject.toml").is_file() and (checkout / "src" / "unslant").is_dir():
        return str(checkout)
    try:
        found = distribution("unslant").read_text("direct_url.json")
        address = urlsplit(json.loads(found or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError):
        return "unslant"
    path = url2pathname(address.path)
    return path if address.scheme == "file" and Path(path).exists() else "unslant"
