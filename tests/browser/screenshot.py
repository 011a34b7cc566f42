"""Take a picture of a report: ``python -m tests.browser.screenshot report.html picture.png``."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.browser.chromium import chromium


def screenshot(
    report: Path, picture: Path, *, share: float = 0.3, size: tuple[int, int] = (1366, 860)
) -> None:
    """Open a report, go to this share of its time, and save what is in view."""
    with chromium(*size) as page:
        page.open(report)
        page.evaluate(
            "(() => { const s = document.getElementById('slider');"
            f" s.value = +s.min + {share} * (s.max - s.min);"
            " s.dispatchEvent(new Event('input')); })()"
        )
        page.screenshot(picture)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--share", type=float, default=0.3, help="of the time that has passed")
    given = parser.parse_args()
    screenshot(given.report, given.picture, share=given.share)


if __name__ == "__main__":
    main()
