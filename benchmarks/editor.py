"""Measure the language server on a long file of news text, as an editor sees it.

    python benchmarks/editor.py --data DIR [--lines N] [--repeat N] [--tier rules]

Starts `unslant lsp`, opens a Markdown file of N lines (2,000 unless told), and prints the seconds until the first
marks, until all marks, from a keystroke in the middle until the marks are up to date, and from asking for all safe
edits until they are there. The pause that the server waits for a writer to stop typing is part of the time after a
keystroke. Shown is the median of `--repeat` keystrokes, each followed by a request for the safe edits.

DIR is a folder with `allsides/articles_first250w.jsonl.gz`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

sys.path.insert(0, str(Path(__file__).parent))

from check import articles

SOURCE = Path(__file__).parents[1] / "src"
WIDTH = 80
FIX_ALL = "source.fixAll.unslant"


def long_file(data: Path, lines: int) -> list[str]:
    """Return the lines of news articles, each article a paragraph."""
    written: list[str] = []
    for text in articles(data):
        written += [*textwrap.wrap(" ".join(text.split()), WIDTH), ""]
        if len(written) >= lines:
            return written[:lines]
    return written


class Editor:
    """A client that has one file open."""

    def __init__(self, folder: Path) -> None:
        self.client = LanguageClient("benchmark", "1")
        self.marks: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.uri = (folder / "long.md").as_uri()
        self.version = 1

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.marks.put_nowait(params)

    async def start(self, folder: Path, tier: str) -> None:
        """Start the server."""
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        await self.client.start_io(sys.executable, "-m", "unslant", "lsp", cwd=str(folder), env=environment)
        options = {"analyzers": ["rules"]} if tier == "rules" else {}
        await self.client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(), initialization_options=options, root_uri=folder.as_uri()
            )
        )
        self.client.initialized(types.InitializedParams())

    def open(self, text: str) -> None:
        """Open the file."""
        item = types.TextDocumentItem(self.uri, "markdown", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def insert(self, line: int, text: str) -> None:
        """Write something at the beginning of a line."""
        self.version += 1
        named = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        place = types.Position(line, 0)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))

    async def next_marks(self) -> int:
        """Wait for the marks of the newest version, and return how many there are."""
        while (sent := await self.marks.get()).version != self.version:
            pass
        return len(sent.diagnostics)

    async def fix_all(self) -> int:
        """Ask for all safe edits, and return how many there are."""
        start = types.Position(0, 0)
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri),
            types.Range(start, start),
            types.CodeActionContext([], only=[FIX_ALL]),
        )
        found = await self.client.text_document_code_action_async(asked)
        changes = [
            edit
            for action in found or ()
            if isinstance(action, types.CodeAction) and action.edit is not None
            for edits in (action.edit.changes or {}).values()
            for edit in edits
        ]
        return len(changes)

    async def stop(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def measure(options: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Measure one server from its start."""
    lines = long_file(options.data, options.lines)
    editor = Editor(folder)
    await editor.start(folder, options.tier)
    figures: dict[str, float] = {"lines": len(lines), "words": len(" ".join(lines).split())}
    began = time.perf_counter()
    editor.open("\n".join(lines) + "\n")
    figures["first marks"] = await editor.next_marks()
    figures["first marks, s"] = time.perf_counter() - began
    figures["all marks"] = await editor.next_marks()
    figures["all marks, s"] = time.perf_counter() - began
    typed: list[float] = []
    settled: list[float] = []
    fixed: list[float] = []
    for number in range(options.repeat):
        began = time.perf_counter()
        editor.insert(len(lines) // 2, f"Word {number} ")
        await editor.next_marks()
        typed.append(time.perf_counter() - began)
        await editor.next_marks()
        settled.append(time.perf_counter() - began)
        began = time.perf_counter()
        figures["safe edits"] = await editor.fix_all()
        fixed.append(time.perf_counter() - began)
    await editor.stop()
    return figures | {
        "after a keystroke, s": statistics.median(typed),
        "after a keystroke, whole file, s": statistics.median(settled),
        "safe edits, first time, s": fixed[0],
        "safe edits, s": statistics.median(fixed),
    }


def main() -> None:
    """Parse the options and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--tier", choices=["all", "rules"], default="all", help="what the server runs")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        figures = asyncio.run(measure(options, Path(name).resolve()))
    for figure, value in {"load of the machine before": busy, **figures}.items():
        print(f"  {figure:40} {value:,.2f}")


if __name__ == "__main__":
    main()
