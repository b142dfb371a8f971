"""Compiles the rule catalogue and the list of wordings when the package is built, so that a check starts sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogue(BuildHookInterface[Any]):
    """Writes the compiled files into ``unslant.rules`` and ``unslant.edits`` of the tree that is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile; what is imported needs nothing but the standard library."""
        source = Path(self.root) / "src"
        sys.path.insert(0, str(source))
        try:
            from unslant.edits import wordings
            from unslant.rules import compiled

            compiled.write_compiled(source / "unslant" / "rules" / "compiled.json")
            wordings.write_compiled()
        finally:
            sys.path.remove(str(source))
        for name in ("rules/compiled.json", "edits/compiled.json", "edits/compiled_words.json"):
            build_data["artifacts"].append(f"src/unslant/{name}")
