"""What the browser extension may do, by its manifest and sources; tests/page drives it in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "editors" / "browser"
SCRIPTS = sorted(FOLDER.glob("*.js"))


def manifest() -> dict[str, object]:
    found: dict[str, object] = json.loads((FOLDER / "manifest.json").read_text())
    return found


def test_it_reads_only_the_tab_whose_button_was_pressed() -> None:
    """No page is read unasked: no host but this machine, no script that runs by itself, no list of tabs."""
    asked = manifest()
    assert asked["permissions"] == ["activeTab", "scripting", "storage"]
    assert asked["host_permissions"] == ["http://127.0.0.1/*", "http://localhost/*"]
    for key in ("content_scripts", "optional_permissions", "optional_host_permissions"):
        assert key not in asked


def test_no_page_can_talk_to_it() -> None:
    for key in ("externally_connectable", "web_accessible_resources", "sandbox", "content_security_policy"):
        assert key not in manifest(), "the default refuses pages and code from elsewhere"
    for script in SCRIPTS:
        code = script.read_text()
        assert not re.search(
            r"onMessageExternal|onConnectExternal|addEventListener\(\s*[\"']message", code
        ), script


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_nothing_of_a_page_or_an_answer_becomes_code_or_markup(script: Path) -> None:
    code = script.read_text()
    forbidden = r"\b(innerHTML|outerHTML|insertAdjacentHTML|eval|Function\(|document\.write|import\()|https?://(?!127\.0\.0\.1|localhost)"
    assert not re.search(forbidden, code)


def test_only_one_module_reaches_the_network_and_only_this_machine() -> None:
    using = [
        script.name
        for script in SCRIPTS
        if re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon", script.read_text())
    ]
    assert using == ["server.js"]
    code = (FOLDER / "server.js").read_text()
    assert code.count("fetch(") == code.count("fetch(loopback(address) + path") == 1
    assert 'redirect: "error"' in code
    assert 'credentials: "omit"' in code
