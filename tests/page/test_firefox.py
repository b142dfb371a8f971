"""The browser extension in a real Firefox, against a real server that requires a token."""

from __future__ import annotations

import base64
import os
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .firefox import Firefox, firefox, until
from .test_page import serving

pytestmark = pytest.mark.firefox

EXTENSION = Path(__file__).parents[2] / "editors" / "browser"
PAGE = """<!doctype html><meta charset="utf-8"><title>A page</title>
<nav>The legendary menu</nav>
<article><h1>The hall</h1><p>The <b>legendary</b> hall 🎻 opened in 1911.</p>
<p>Opponents slammed the plan.</p><pre>slammed</pre></article>
<textarea rows="4" cols="60">🎻 Opponents slammed the plan.</textarea>
<div contenteditable>The legendary hall opened.</div>"""
PANEL = "const panel = document.querySelector('unslant-panel')?.openOrClosedShadowRoot;"


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def press(browser: Firefox) -> None:
    """Press the keys of the extension, Alt+Shift+U."""
    browser.in_browser("document.querySelector('#ext-keyset-id-unslant_unslant_invalid key').doCommand()")


def summary(browser: Firefox) -> str:
    """Return what the panel says once it has read the text."""
    said = browser.in_page(f"{PANEL} return panel?.querySelector('.summary')?.textContent ?? ''")
    return str(said)


def checked(browser: Firefox) -> str:
    return until(
        lambda: summary(browser), lambda said: re.search("finding|Nothing|No server", said) is not None
    )


def click(browser: Firefox, label: str) -> None:
    buttons = f"{PANEL} const buttons = [...panel.querySelectorAll('button')];"
    browser.in_page(
        f"{buttons} buttons.find((one) => one.textContent.startsWith(arguments[0])).click()", label
    )


def enter(browser: Firefox, address: str, token: str) -> str:
    """Fill in the options, which open by themselves after the installation."""
    browser.in_page(
        "document.getElementById('address').value = arguments[0];"
        "document.getElementById('token').value = arguments[1];"
        "document.querySelector('button').click();",
        address,
        token,
    )
    state = "return document.getElementById('state').textContent"
    return until(lambda: str(browser.in_page(state)), lambda said: said not in ("", "Connecting…"))


def test_the_extension_in_firefox(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_TOKEN", "correct horse")
    with serving("--tier", "rules") as address, firefox(tmp_path) as browser:
        browser.install(EXTENSION)
        where = "return gBrowser.currentURI.spec"
        until(lambda: browser.in_browser(where), lambda open_: str(open_).endswith("/options.html"))
        until(
            lambda: browser.in_page("return document.getElementById('address').value"),
            lambda value: value == "http://127.0.0.1:8765",
        )
        assert "token is wrong" in enter(browser, address, "wrong")
        assert "must run on this machine" in enter(browser, "https://example.org", "correct horse")
        assert enter(browser, address, "correct horse").startswith("Connected")

        browser.go(site)
        before = browser.in_page("return document.documentElement.outerHTML")
        press(browser)
        assert re.fullmatch(r"2 findings in \d+ words: loaded words 2\.", checked(browser))
        image = os.environ.get("UNSLANT_SCREENSHOT")
        if image:
            Path(image).write_bytes(base64.b64decode(browser.screenshot()))
        press(browser)
        until(lambda: summary(browser), lambda said: said == "")
        assert browser.in_page("return document.documentElement.outerHTML") == before

        browser.in_page("document.querySelector('textarea').focus()")
        press(browser)
        assert checked(browser).startswith("1 finding")
        underlined = f"{PANEL} return [...panel.querySelectorAll('span.words')].map((one) => one.textContent)"
        assert browser.in_page(underlined) == ["slammed"]
        click(browser, "Replace with “criticized”")
        value = "return document.querySelector('textarea').value"
        until(lambda: browser.in_page(value), lambda text: text == "🎻 Opponents criticized the plan.")
        until(lambda: summary(browser), lambda said: said.startswith("Nothing to report"))
        browser.in_page("document.querySelector('textarea').focus(); document.execCommand('undo')")
        assert browser.in_page(value) == "🎻 Opponents slammed the plan."
        press(browser)

        browser.in_page("document.querySelector('[contenteditable]').focus()")
        press(browser)
        assert checked(browser).startswith("1 finding")
        click(browser, "Leave out")
        text = "return document.querySelector('[contenteditable]').textContent"
        until(lambda: browser.in_page(text), lambda words: words == "The hall opened.")
