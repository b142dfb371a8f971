"""Runs the cells of a notebook with plain Python, and writes their outputs: ``python -m tests.notebook FILE``."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["outputs", "run_cells"]


def run_cells(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield each code cell with what it printed and the value of its last expression."""
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # noqa: S102
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
        yield cell, printed.getvalue(), value


def outputs(printed: str, value: Any) -> list[dict[str, Any]]:
    """Return the outputs of a cell in the form of a notebook."""
    found: list[dict[str, Any]] = []
    if printed:
        found.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        plain = repr(value)
        if " at 0x" in plain:  # another address each time
            plain = f"<{type(value).__name__}>"
        data = {"text/plain": plain.splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return found


if __name__ == "__main__":
    path = Path(sys.argv[1])
    notebook = json.loads(path.read_text("utf-8"))
    for cell, printed, value in run_cells(notebook):
        cell["outputs"] = outputs(printed, value)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
