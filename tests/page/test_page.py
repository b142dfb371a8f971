"""The page in a real browser, against a real server."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import unslant

HERE = Path(__file__).parent
OTHERS = (
    "documents.test.mjs",
    "extension.test.mjs",
    "files.test.mjs",
    "gadget.test.mjs",
    "long.test.mjs",
    "units.test.mjs",
)
BY_RULES = ("positions.test.mjs", "recovering.test.mjs", "writing.test.mjs")
"""Stories in which it does not matter what is found, so that they do not depend on the model."""
STORIES = sorted(path.name for path in HERE.glob("*.test.mjs") if path.name not in (*OTHERS, *BY_RULES))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with rules and model on a free port."""
    with serving() as found:
        yield found


@contextmanager
def serving(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "unslant", "serve", "--no-config", "--port", "0", *options]
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[1] / "src"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        found = next(filter(None, (re.search(r"http://\S+", line) for line in server.stdout)), None)
        assert found, "the server did not say where it is"
        try:
            yield found[0]
        finally:
            # also after a failure, which would otherwise wait for a server that nobody stops
            server.terminate()
            server.communicate(timeout=300)


def run_story(story: str, **environment: str) -> None:
    """Run one file of browser tests; what it says is the message of the failure."""
    done = subprocess.run(
        ["node", "--test", "--test-reporter=spec", story],
        cwd=HERE,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    print(done.stdout)  # noqa: T201 (pytest shows it with a failure)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.browser
def test_the_parts_that_need_no_browser() -> None:
    run_story("units.test.mjs")


@pytest.mark.browser
@pytest.mark.parametrize("story", STORIES)
def test_in_the_browser(story: str, address: str) -> None:
    run_story(story, UNSLANT_URL=address)


@pytest.mark.browser
def test_in_the_browser_by_rules() -> None:
    with serving("--tier", "rules") as address:
        for story in BY_RULES:
            run_story(story, UNSLANT_URL=address)


@pytest.mark.browser
def test_long_texts_in_the_browser() -> None:
    """What is measured is the page, so the server runs what is fast."""
    with serving("--tier", "rules") as address:
        run_story("long.test.mjs", UNSLANT_URL=address)


@pytest.mark.browser
def test_exported_decisions_are_read_by_agree_and_as_examples(address: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from unslant.cli.main import main
    from unslant.lab.corpora.own_files import FileDataset

    run_story("files.test.mjs", UNSLANT_URL=address, UNSLANT_SAVED=str(tmp_path))
    both = tmp_path / "both.jsonl"
    both.write_text(
        "".join((tmp_path / f"{name}-unslant-decisions.jsonl").read_text("utf-8") for name in ("ada", "bo")),
        "utf-8",
    )
    result = CliRunner().invoke(main, ["agree", str(both)])
    assert result.exit_code == 0, result.output
    assert "finding: 4 judgements of 2 items by 2 annotators" in result.output
    assert re.search(r"percent agreement\s+1\.00", result.output)

    first, second = FileDataset(tmp_path / "examples-unslant-examples.jsonl")
    assert (first.label, second.label) == (True, False)
    assert first.spans is not None
    (marked,) = first.spans
    assert first.text[marked.span.start : marked.span.end] == "admitted that"
    assert marked.kind == "epistemological"
    assert "👩‍🚀" in second.text
    assert second.spans == ()


@pytest.mark.browser
def test_word_documents_get_tracked_changes_and_comments(tmp_path: Path) -> None:
    from tests.workspace.test_tracked_changes import BODY, TEXT, parts, rejected, text_of, word

    entities = BODY.replace(b"<w:document", b'<!DOCTYPE w [<!ENTITY a "aa">]><w:document')
    (tmp_path / "hall.docx").write_bytes(word())
    (tmp_path / "bomb.docx").write_bytes(word(entities))
    with serving("--tier", "rules") as address:
        run_story(
            "documents.test.mjs",
            UNSLANT_URL=address,
            UNSLANT_SAVED=str(tmp_path),
            UNSLANT_WORD=str(tmp_path / "hall.docx"),
            UNSLANT_BOMB=str(tmp_path / "bomb.docx"),
        )
    commented = (tmp_path / "commented.docx").read_bytes()
    assert text_of(commented) == TEXT.replace("legendary ", "").replace("of it", "about it")
    assert text_of(rejected(commented)) == TEXT
    changed, comments = parts(commented), parts(commented)["word/comments.xml"].decode()
    assert comments.count("<w:comment ") == 1
    assert changed.keys() - parts(word()).keys() == {"word/comments.xml"}


@pytest.mark.browser
def test_the_browser_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_TOKEN", "correct horse")
    with serving("--tier", "rules") as address:
        run_story("extension.test.mjs", UNSLANT_URL=address)


@pytest.mark.browser
def test_the_user_script_for_wikis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_TOKEN", "correct horse")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with serving("--tier", "rules", "--allow-origin", f"http://127.0.0.1:{port}") as address:
        run_story("gadget.test.mjs", UNSLANT_URL=address, WIKI_PORT=port)


def test_the_extension_asks_for_nothing_it_does_not_need() -> None:
    folder = HERE.parents[1] / "editors" / "browser"
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["permissions"] == ["activeTab", "scripting", "storage"]
    assert all(
        re.fullmatch(r"http://(127\.0\.0\.1|localhost)/\*", name) for name in manifest["host_permissions"]
    )
    assert not manifest.keys() & {"content_scripts", "externally_connectable", "web_accessible_resources"}
    assert manifest["version"] == unslant.__version__
    for path in folder.glob("*.js"):
        text = path.read_text("utf-8")
        assert not re.search(r"innerHTML|insertAdjacentHTML|outerHTML\s*=|document\.write|\beval\(", text), (
            path.name
        )
        assert not re.search(r"postMessage|console\.", text), path.name


def test_nothing_is_inline_or_from_elsewhere() -> None:
    page = HERE.parents[1] / "src" / "unslant" / "server" / "page"
    html = (page / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html)
    for path in page.iterdir():
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//cdn", text), path.name
        assert not re.search(r"innerHTML|insertAdjacentHTML|outerHTML\s*=|document\.write|\beval\(", text), (
            path.name
        )
    named = set(re.findall(r'(?:href|src)="page/([\w.]+)', html)) - {"theme.css"}  # shared with the reports
    assert {name for name in named if not (page / name).is_file()} == set()


def test_the_lock_file_names_no_host() -> None:
    assert "resolved" not in (HERE / "package-lock.json").read_text("utf-8")
