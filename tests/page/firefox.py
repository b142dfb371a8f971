"""A Firefox without a window, driven through Marionette, the protocol that Firefox itself brings for tests."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.connectivity-service.enabled": False,
    "network.captive-portal-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}
_PATIENCE = 120
T = TypeVar("T")


class Firefox:
    """One session of a browser with one tab."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
        self._stream = self._socket.makefile("rb")
        self._sent = 0
        self._receive()  # what Firefox says about itself
        self.ask("WebDriver:NewSession", {})

    def _receive(self) -> Any:
        size = b""
        while (byte := self._stream.read(1)) != b":":
            assert byte, "Firefox hung up"
            size += byte
        return json.loads(self._stream.read(int(size)))

    def ask(self, command: str, parameters: dict[str, Any]) -> Any:
        """Send one command and return its result; what Firefox refuses is an error."""
        self._sent += 1
        message = json.dumps([0, self._sent, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._receive()
        assert (number, error) == (self._sent, None), f"{command}: {error}"
        return result

    def _run(self, context: str, script: str, values: tuple[object, ...]) -> Any:
        self.ask("Marionette:SetContext", {"value": context})
        asked = {"script": script, "args": values, "sandbox": "system"}
        return self.ask("WebDriver:ExecuteScript", asked)["value"]

    def in_page(self, script: str, *values: object) -> Any:
        """Run a script in the page, with the rights of the browser: it sees closed shadow trees."""
        return self._run("content", script, values)

    def in_browser(self, script: str, *values: object) -> Any:
        """Run a script in the window around the page."""
        return self._run("chrome", script, values)

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def go(self, address: str) -> None:
        self.ask("Marionette:SetContext", {"value": "content"})
        self.ask("WebDriver:Navigate", {"url": address})

    def install(self, folder: Path) -> str:
        self.ask("Marionette:SetContext", {"value": "chrome"})
        found: str = self.ask("Addon:Install", {"path": str(folder), "temporary": True})["value"]
        return found

    def screenshot(self) -> str:
        """Return the page as a PNG in base64."""
        self.ask("Marionette:SetContext", {"value": "content"})
        found: str = self.ask("WebDriver:TakeScreenshot", {"full": False})["value"]
        return found


@contextmanager
def firefox(home: Path) -> Iterator[Firefox]:
    """Start Firefox with a profile of its own below ``home``."""
    assert PROGRAM is not None
    profile = home / "profile"
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), "utf-8")
    command = [
        PROGRAM,
        "--headless",
        "--marionette",
        "--remote-allow-system-access",
        "--no-remote",
        "--profile",
        str(profile),
    ]
    environment = os.environ | {"HOME": str(home), "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as program:
        try:
            port = until(lambda: int((profile / "MarionetteActivePort").read_text()), bool)
            session = Firefox(port)
            try:
                yield session
            finally:
                session.close()
        finally:
            program.terminate()


def until(ask: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Ask until the answer holds; the last answer is the message of the failure."""
    last: object = None
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            last = found = ask()
            if holds(found):
                return found
        except (OSError, ValueError) as error:
            last = error
        time.sleep(0.1)
    raise AssertionError(f"still {last!r}")
