"""What a verification finds, as records and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold: ``value`` stays below ``tolerance``, or above if ``above``.

    The value is an error relative to the scale of what is compared, unless the name says
    otherwise; NaN never passes.  A check that is not ``required`` is advice and cannot fail.
    """

    name: str
    value: float
    tolerance: float
    detail: str = ""
    above: bool = False
    required: bool = True

    @property
    def holds(self) -> bool:
        """Whether the value is on the right side of the tolerance."""
        return self.value > self.tolerance if self.above else self.value <= self.tolerance

    @property
    def passed(self) -> bool:
        """Whether it holds or is only advice."""
        return self.holds or not self.required

    @property
    def limit(self) -> str:
        """The tolerance as the table shows it."""
        return f"{'>' if self.above else '≤'} {number(self.tolerance)}"

    def __str__(self) -> str:
        row = f"{number(self.value):>8}  {self.limit:<9}  {self.verdict:<6}  {self.detail}"
        return row.rstrip()

    @property
    def verdict(self) -> str:
        """``ok``, ``note`` or ``FAILED``, as the table shows it."""
        return "ok" if self.holds else "FAILED" if self.required else "note"


@dataclass(frozen=True, slots=True)
class Verification:
    """The checks of one robot; ``str()`` is a table."""

    robot: str
    samples: int
    order: int
    seed: int
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return not self.failures

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def title(self) -> str:
        """Robot, samples, order and seed in one line."""
        return f"{self.robot}: {self.samples} samples, orders 0 to {self.order}, seed {self.seed}"

    @property
    def verdict(self) -> str:
        """How many checks hold, and the names of those that do not."""
        if self.passed:
            return f"all {len(self.checks)} checks passed"
        names = "; ".join(check.name for check in self.failures)
        return f"{len(self.failures)} of {len(self.checks)} checks failed: {names}"

    def __str__(self) -> str:
        width = max((len(check.name) for check in self.checks), default=0)
        rows = [f"{check.name:<{width}}  {check}" for check in self.checks]
        return "\n".join([self.title, *rows, self.verdict])


def number(value: float) -> str:
    """Return a value as the table shows it."""
    if value == inf:
        return "∞"
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e6 else f"{value:.1e}"
