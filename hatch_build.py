"""Compiles the rule catalogue and the list of wordings when the package is built, so that a check starts sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogue(BuildHookInterface[Any]):
    """Writes ``compiled.json`` into the packages ``unslant.rules`` and ``unslant.edits`` of the tree that is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile; what is imported needs nothing but the standard library."""
        source = Path(self.root) / "src"
        sys.path.insert(0, str(source))
        try:
            from unslant.edits import propose
            from unslant.rules import compiled

            compiled.write_compiled(source / "unslant" / "rules" / "compiled.json")
            propose.write_compiled(source / "unslant" / "edits" / "compiled.json")
        finally:
            sys.path.remove(str(source))
        for package in ("rules", "edits"):
            build_data["artifacts"].append(f"src/unslant/{package}/compiled.json")
