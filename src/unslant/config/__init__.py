"""Settings: read from ``unslant.toml`` or ``[tool.unslant]``, validated, and shown with their origin."""

from __future__ import annotations

from unslant.config.files import find_config
from unslant.config.settings import KnownRules, Settings, SettingsCache, load_settings

__all__ = ["KnownRules", "Settings", "SettingsCache", "find_config", "load_settings", "show"]


def show(settings: Settings) -> str:
    """Return every setting as TOML that can be pasted back, each with a comment that names its origin."""
    from unslant.config.schema import render

    return render(settings) + _plugins()


def _plugins() -> str:
    """Return a comment that names the code of other packages that settings can run; empty if there is none."""
    from unslant.registry import KINDS, plugins

    lines = [
        f"#   {kind} {plugin.name!r}: {plugin.target}, from {plugin.package}"
        for kind in KINDS
        for plugin in plugins(kind)
    ]
    return "\n".join(["", "# plugins, which are code of other packages:", *lines, ""]) if lines else ""
