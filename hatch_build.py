"""Compiles the rule catalogue when the package is built, so that a check starts sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogue(BuildHookInterface[Any]):
    """Writes ``unslant/rules/compiled.json`` into the tree that is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile; the rule code needs nothing but the standard library."""
        source = Path(self.root) / "src"
        sys.path.insert(0, str(source))
        try:
            from unslant.rules.compiled import write_compiled

            target = source / "unslant" / "rules" / "compiled.json"
            write_compiled(target)
        finally:
            sys.path.remove(str(source))
        build_data["artifacts"].append("src/unslant/rules/compiled.json")
