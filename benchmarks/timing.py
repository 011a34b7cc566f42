"""Best times of several things, measured in turn so that noise hits all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Action = Callable[[], object]


def best_times(
    actions: Mapping[str, Action], *, rounds: int = 15, loops: int = 1
) -> dict[str, float]:
    """Return the best seconds of one call of each action, over ``rounds`` of ``loops`` calls."""
    best = dict.fromkeys(actions, float("inf"))
    for action in actions.values():
        action()  # compiles, warms caches
    for _ in range(rounds):
        for name, action in actions.items():
            best[name] = min(best[name], _seconds(action, loops))
    return best


def _seconds(action: Action, loops: int) -> float:
    begin = time.perf_counter()
    for _ in range(loops):
        action()
    return (time.perf_counter() - begin) / loops


def repeated(action: Action, times: int) -> Action:
    """Return many calls as one action, to be about as long as what it is measured beside.

    Results are dropped at once: kept, every call would have to ask for new memory.
    """

    def run() -> None:
        for _ in range(times):
            action()

    return run


def at_least(value: float, bar: float, unit: str = "×") -> str:
    """Spell a value that must reach a bar."""
    return _verdict(value, f"≥ {bar:g}", unit, good=value >= bar)


def at_most(value: float, bar: float, unit: str = "×") -> str:
    """Spell a value that must stay below a bar."""
    return _verdict(value, f"≤ {bar:g}", unit, good=value <= bar)


def _verdict(value: float, bar: str, unit: str, *, good: bool) -> str:
    color = "green" if good else "red"
    return f"[{color}]{value:.3g}{unit}[/{color}] [dim]({bar})[/dim]"
