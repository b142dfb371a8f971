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
    if tools.startswith("archive-v") and _made_by_uv():
        # made by uvx for one run, and gone when its cache is
        return f"uvx --from {_quoted(what)} unslant"
    pip = Path(sys.prefix) / "bin" / "pip"
    if sys.prefix != sys.base_prefix and pip.exists():
        return f"{shlex.quote(str(pip))} install {_quoted(what)}"
    if _made_by_uv():
        return f"uv pip install --python {shlex.quote(sys.executable)} {_quoted(what)}"
    return f"pip install {_quoted(what)}"


def _made_by_uv() -> bool:
    """Return whether uv made this environment, which then has no pip."""
    try:
        settings = (Path(sys.prefix) / "pyvenv.cfg").read_text("utf-8")
    except OSError:
        return False
    return any(line.split("=")[0].strip() == "uv" for line in settings.splitlines())


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
