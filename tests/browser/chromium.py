"""Drive Chromium by the DevTools protocol, over a pair of pipes: no port, no driver, no package.

Messages are JSON, each ended by a zero byte; Chromium reads them from descriptor 3 and writes
to descriptor 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
NO_WEBGL = ("--disable-3d-apis",)  # a report must not need it
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")  # on the processor
WAIT = 60.0  # s for an answer


def executable() -> str | None:
    """Return where Chromium is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page in a browser of its own: what it answers, and what went wrong in it."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.errors: list[str] = []  # of the console, and exceptions nobody caught
        self.requests: list[str] = []  # addresses that the page asked for

    def attach(self, width: int, height: int) -> None:
        """Begin to watch and to steer."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = session["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def open(self, file: Path) -> float:
        """Open a report; return the milliseconds from the start of navigation until it is ready."""
        self.send("Page.navigate", url=file.resolve().as_uri())
        return self.evaluate(
            "new Promise(done => { const look = () => window.jounceReady"
            " ? done(window.jounceReady) : setTimeout(look, 10); look(); })"
        )

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; promises are awaited."""
        found = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {_described(found['exceptionDetails'])}")
        return found["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send mouseMoved, mousePressed, mouseReleased or mouseWheel."""
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def settle(self) -> None:
        """Wait until what was changed is on the screen."""
        frame = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.evaluate(f"{frame}.then(() => true)")

    def screenshot(self, file: Path) -> None:
        """Save what is in view as PNG."""
        self.settle()
        data = self.send("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))

    def keep(self, file: Path) -> None:
        """Save what is in view, also in the folder that JOUNCE_SCREENSHOTS names."""
        self.screenshot(file)
        if folder := os.environ.get("JOUNCE_SCREENSHOTS"):
            shutil.copy(file, Path(folder) / file.name)

    def printed(self) -> bytes:
        """Return the page as a PDF."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(method)
            if answer.get("id") == self._count:
                break
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _receive(self, method: str) -> dict[str, Any]:
        end = time.monotonic() + WAIT
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self._read, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError(f"no answer from Chromium to {method}")
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(_described(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.errors.append(" ".join(str(a.get("value", a)) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


@contextmanager
def chromium(width: int = 1366, height: int = 768, *, webgl: bool = False) -> Iterator[Page]:
    """Start Chromium without a window, and end it after the block."""
    program = executable()
    if program is None:
        raise RuntimeError("no chromium on the path")
    pipes = [_above_ten(fd) for fd in (*os.pipe(), *os.pipe())]
    commands, write, read, answers = pipes
    shell = f'exec "$@" 3<&{commands} 4>&{answers}'
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [program, *FLAGS, *(WEBGL if webgl else NO_WEBGL), f"--user-data-dir={profile}"]
        process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *arguments],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            os.close(commands)
            os.close(answers)
            page = Page(read, write)
            page.attach(width, height)
            yield page
        finally:
            process.terminate()
            process.wait(WAIT)
            os.close(read)
            os.close(write)


def _above_ten(fd: int) -> int:
    """Move a descriptor out of the way of 3 and 4."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return moved


def _described(details: dict[str, Any]) -> str:
    return details.get("exception", {}).get("description") or details["text"]
