"""The command itself: how it starts, and how it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from tests.editor.conftest import SOURCE, WAIT, editing
from tests.lab.lm.scripted import scripted_server

ROOT = Path(__file__).resolve().parents[2]


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['pygls'] = None; from unslant.cli.main import _run; sys.exit(_run(['lsp']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert f"pip install '{ROOT}[editor]'" in ended.stderr
    assert ended.stdout == ""


def test_the_server_ends_on_shutdown_and_on_disconnect(tmp_path: Path) -> None:
    async def run() -> None:
        async with editing(tmp_path) as editor:
            process = editor.client._server
            assert process is not None
            await asyncio.wait_for(editor.client.shutdown_async(None), WAIT)
            editor.client.exit(None)
            # standard input stays open: the word alone must do
            assert await asyncio.wait_for(process.wait(), WAIT) == 0

    async def gone() -> None:
        async with editing(tmp_path) as editor:
            process = editor.client._server
            assert process is not None
            assert process.stdin is not None
            # the rest of the text is being checked when the first marks are there
            await editor.sent(editor.open("a.md", "The fireman came.\n" * 20_000))
            process.stdin.close()
            await asyncio.wait_for(process.wait(), WAIT)

    asyncio.run(run())
    asyncio.run(gone())


def test_a_quick_fix_offers_what_a_language_model_writes(tmp_path: Path) -> None:
    async def run(rewriter: str, address: str) -> None:
        said = f"unslant: the text is sent to {address}\n"
        async with editing(tmp_path, "--rewriter", rewriter, said=said) as editor:
            uri = editor.open("a.md", "The legendary singer left the stage on Monday.\n")
            offered = await editor.actions(uri, "legendary")
            assert any("well-known" in title for title in offered), list(offered)

    with scripted_server() as model:
        model.say = lambda _: '{"1": ["well-known"]}'
        asyncio.run(run(f"llm:{model.address}", model.address.partition("/v1")[0]))
