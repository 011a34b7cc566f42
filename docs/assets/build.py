"""Make the pictures of the site before it is built: examples run, the report is photographed.

`mkdocs` calls ``on_pre_build``.  Pictures go to ``docs/assets/made`` and are not checked in.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MADE = ROOT / "docs" / "assets" / "made"
REPORT = "report.png"
_log = logging.getLogger("mkdocs.hooks.pictures")


def on_pre_build(**_: Any) -> None:
    """Draw all pictures."""
    MADE.mkdir(parents=True, exist_ok=True)
    for script in (ROOT / "examples").glob("[0-9]*.py"):
        shutil.copyfile(script, MADE / f"{script.stem}.txt")  # the gallery links to it
    for script in examples():
        _run(script, str(MADE / f"{script.stem}.png"))
    _run(ROOT / "docs" / "assets" / "packages.py", str(MADE / "packages.svg"))
    page = MADE / "report.html"
    _run(ROOT / "examples" / "00_demo.py", str(page))
    try:
        _photograph(page, MADE / REPORT)
    finally:
        page.unlink()


def examples() -> list[Path]:
    """Return the examples that draw a picture where their first argument says."""
    scripts = sorted((ROOT / "examples").glob("[0-9]*.py"))
    return [path for path in scripts if ".png" in path.read_text(encoding="utf-8")]


def _photograph(page: Path, picture: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from tests.browser.chromium import executable
    from tests.browser.screenshot import screenshot

    if executable() is None:
        _log.info("no Chromium on this machine: the picture of the report says so")
        _placeholder(picture)
        return
    screenshot(page, picture)


def _placeholder(picture: Path) -> None:
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure = Figure(figsize=(8, 2))
    figure.text(0.5, 0.5, "built without Chromium: no screenshot of the report", ha="center")
    figure.savefig(picture)


def _run(script: Path, target: str) -> None:
    _log.info("running %s", script.name)
    done = subprocess.run(
        [sys.executable, str(script), target], cwd=MADE, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{script.name} failed:\n{done.stderr}")
