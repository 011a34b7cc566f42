"""The page: a robot, sliders, and a log that plays."""

from __future__ import annotations

import errno
import os
import socket
import time as clock
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from threading import Event, RLock, Thread
from typing import Any

import numpy as np

from jounce.api.call import Wrench
from jounce.errors import ArgumentError, UnsupportedError
from jounce.lazy import required
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.components import velocity_kinds, velocity_names
from jounce.model.configuration import difference, integrate
from jounce.model.robot import Robot
from jounce.report.write import checked_report_motion
from jounce.viewer.curves import Curves, motion_curves, rest_curves
from jounce.viewer.scene import PARTS, Scene
from jounce.viewer.wrenches import checked_wrenches, moment_of

COLORS = ("#2d69be", "#d9822b", "#3d9a5b", "#c23b3b", "#7b5bb5", "#8c6239", "#d367a9", "#5b6770",
          "#9aa11c", "#1aa5b8")  # fmt: skip
UNLIMITED = {"angle": np.pi, "length": 1.0}  # range of a slider where there is no limit
STEPS = 1000  # of a slider
SWEEP = 121  # samples of a sweep
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5")
_PORTS = 65536
FRAME = 0.05  # s between pictures of a log that plays


class View:
    """A robot in the browser, at ``url``, until `close`.

    ``time`` ``(samples,)`` and ``motion``, q and its rates as for `jounce.report.write_report`,
    are a log that can be played; ``limits`` replace those of the robot.  Sliders move the joints;
    the curves show what must hold the robot there and the limits it uses, as one joint runs through
    its range, and torques, torque rates and the use of limits along the log.  Joints are green far
    from all of their limits, yellow near one, red beyond.  ``wrenches`` act along the log, by
    frame, ``(m, samples, 6)`` each as in `inverse_dynamics`: arrows show their forces, arrows with
    two heads their moments, and the torques have them in.  ``notes`` says which shapes are not
    shown and why.
    Only this machine is served unless ``host`` says otherwise; a ``port`` that is taken is
    replaced by the next free one.

    >>> import jounce
    >>> view = jounce.viewer.View(jounce.load("planar2r"), port=8090)
    >>> view.move([0.5, -0.2])
    >>> view.q
    array([ 0.5, -0.2])
    >>> view.close()
    """

    def __init__(
        self,
        robot: Robot,
        time: Any = None,
        *motion: Any,
        limits: MotionLimits | None = None,
        wrenches: Mapping[str, Any] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        if not robot.nv:
            raise UnsupportedError(f"robot {robot.name!r} has no joint that moves.")
        if robot.closures:
            raise UnsupportedError(
                f"robot {robot.name!r} has closures, which sliders would open; show "
                "robot.without_closures()."
            )
        self.robot = robot
        self.limits = checked_limits(robot, limits)
        self._time: np.ndarray | None = None
        self._motion: Sequence[np.ndarray] = ()
        if time is not None:
            self._time, self._motion = checked_report_motion(robot, time, motion)
        elif wrenches:
            raise UnsupportedError("wrenches belong to a log; give time and motion.")
        samples = 0 if self._time is None else len(self._time)
        self._wrenches = checked_wrenches(robot, wrenches, samples)
        viser = required("viser", "showing a robot in the browser", "view")
        free = _free_port(host, port)
        with redirect_stdout(StringIO()):  # viser greets, and says good-bye
            self._server = viser.ViserServer(host=host, port=free, verbose=False)
        self.url = (
            f"http://{'localhost' if host == '127.0.0.1' else host}:{self._server.get_port()}"
        )
        self._lock = RLock()
        self._playing, self._closed = Event(), Event()
        self._scene = Scene(self._server, robot, self._wrenches)
        self.notes = tuple(self._scene.notes)
        self._names, self._low, self._high = velocity_names(robot), *_ranges(robot, self.limits)
        self._sweep = 0
        self._q = integrate(robot, robot.neutral, self._middle())
        self._build_page()
        if self._time is None:
            self.move(self._q)
        else:
            self.seek(float(self._time[0]))
        self._thread = Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def q(self) -> np.ndarray:
        """The configuration that is shown."""
        return self._q.copy()

    def move(self, q: Any) -> None:
        """Show the robot at rest at q."""
        q = np.asarray(q, dtype=float)
        with self._lock:
            *_, use = rest_curves(self.robot, self.limits, np.zeros(1), q[None])
            self._show(q, use.values[0])

    def seek(self, t: float) -> None:
        """Show the log at time t."""
        if self._time is None:
            raise UnsupportedError("there is no log to seek in; give time and motion.")
        with self._lock:
            i = int(np.argmin(np.abs(self._time - t)))
            self._now = float(self._time[i])
            self._shown_time = float(np.clip(self._now, self._clock.min, self._clock.max))
            self._clock.value = self._shown_time
            use = self._curves[-1].values[i]
            rates = tuple(x[i] for x in self._motion[1:3])
            self._show(self._motion[0][i], use, rates, moment_of(self._wrenches, i))
            for curves, plot in zip(self._curves, self._plots, strict=True):
                plot.data = curves.drawn(self._now)
            self._told.content = f"**t = {self._now:.3f} s**: {self._most_used(use)}"

    def close(self) -> None:
        """End the page."""
        self._closed.set()
        self._playing.set()
        self._thread.join()
        with redirect_stdout(StringIO()):
            self._server.stop()

    def _show(
        self,
        q: np.ndarray,
        use: np.ndarray,
        rates: tuple[np.ndarray, ...] = (),
        wrenches: Mapping[str, Wrench] | None = None,
    ) -> None:
        self._q = q.copy()
        with self._server.atomic():
            self._scene.place(q, rates, wrenches)
            self._scene.color(use)
            self._x = difference(self.robot, self.robot.neutral, q)
            self._shown = np.clip(self._x, self._low, self._high)
            for slider, value in zip(self._sliders, self._shown, strict=True):
                slider.value = float(value)
            self._draw_rest()

    def _draw_rest(self) -> None:
        """Draw the curves of the robot at rest, and say which joint is nearest to a limit."""
        now = float(self._x[self._sweep])
        curves = self._at_rest()
        for plot, curve in zip(self._resting, curves, strict=True):
            plot.data = curve.drawn(now)
        self._told_rest.content = f"**At rest here**: {self._most_used(curves[-1].at(now))}"

    def _most_used(self, use: np.ndarray) -> str:
        worst = int(np.argmax(use))
        return f"{self._names[worst]} uses {use[worst]:.0%} of a limit"

    def _at_rest(self) -> list[Curves]:
        """Return the curves of the robot at rest as one coordinate runs through its range."""
        k = self._sweep
        x = np.linspace(self._low[k], self._high[k], SWEEP)
        coordinates = np.repeat(self._x[None], SWEEP, axis=0)
        coordinates[:, k] = x
        along = integrate(self.robot, self.robot.neutral, coordinates)
        return rest_curves(self.robot, self.limits, x, along)

    def _middle(self) -> np.ndarray:
        """Return 0, or the middle of the range where 0 is outside."""
        is_inside = (self._low <= 0.0) & (self._high >= 0.0)
        return np.where(is_inside, 0.0, 0.5 * (self._low + self._high))

    def _build_page(self) -> None:
        server, gui = self._server, self._server.gui
        gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        gui.set_panel_label(self.robot.name)
        reach = self._scene.size
        server.scene.add_grid("/grid", 4 * reach, 4 * reach, cell_size=0.1 * _round(reach),
                              section_size=_round(reach))  # fmt: skip
        middle = self._scene.middle(self._q)
        server.initial_camera.position = tuple(middle + reach * np.array([1.0, -1.0, 0.7]))
        server.initial_camera.look_at = tuple(middle)
        tabs = gui.add_tab_group()
        if self._time is not None:
            with tabs.add_tab("Motion"):
                self._build_motion(gui)
        with tabs.add_tab("Joints"):
            self._build_joints(gui)
        with tabs.add_tab("Show"):
            for part in PARTS:
                if part != "Wrenches" or self._wrenches:
                    self._add_switch(gui, part)
            for note in self.notes[:5]:
                gui.add_markdown(note)

    def _build_motion(self, gui: Any) -> None:
        assert self._time is not None
        start, end = float(self._time[0]), float(self._time[-1])
        self._curves = motion_curves(
            self.robot, self.limits, self._time, self._motion, self._wrenches
        )
        self._now = self._shown_time = start
        self._clock = gui.add_slider("Time [s]", start, end, (end - start) / STEPS, start)
        self._play_button = gui.add_button("Play")
        self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1")
        self._told = gui.add_markdown("")
        self._plots = [self._add_plot(gui, curves, start) for curves in self._curves]
        self._clock.on_update(self._on_clock)
        self._play_button.on_click(lambda _: self._toggle())

    def _build_joints(self, gui: Any) -> None:
        self._shown = self._x = self._middle()
        self._sliders = []
        for k, name in enumerate(self._names):
            low, high = float(self._low[k]), float(self._high[k])
            step = max((high - low) / STEPS, 1e-9)
            slider = gui.add_slider(name, low, high, step, float(self._x[k]))
            slider.on_update(lambda _, k=k: self._on_slider(k))
            self._sliders.append(slider)
        choice = gui.add_dropdown("Curves along", self._names, initial_value=self._names[0])
        choice.on_update(lambda _: self._on_choice(choice.value))
        self._told_rest = gui.add_markdown("")
        now = float(self._x[0])
        self._resting = [self._add_plot(gui, curves, now) for curves in self._at_rest()]

    def _add_plot(self, gui: Any, curves: Curves, now: float) -> Any:
        colors = [COLORS[k % len(COLORS)] for k in range(self.robot.nv)]
        lines = [
            {"label": name, "stroke": color, "width": 1.5}
            for name, color in zip(self._names, colors, strict=True)
        ]
        marks = [{"label": "now", "stroke": "#222", "width": 1}]
        if curves.bound is not None:
            marks.append({"label": "limit", "stroke": "#222", "width": 1, "dash": [6, 4]})
        return gui.add_uplot(
            curves.drawn(now),
            ({"label": curves.variable}, *lines, *marks),
            title=curves.title,
            scales={"x": {"time": False}},
            legend={"show": len(lines) <= len(COLORS)},
            height=210 + 24 * (len(lines) <= len(COLORS)) * ((len(lines) + 2) // 3),
        )

    def _add_switch(self, gui: Any, part: str) -> None:
        switch = gui.add_checkbox(part, self._scene.is_shown(part))
        switch.on_update(lambda _: self._scene.show(part, switch.value))

    def _on_slider(self, k: int) -> None:
        """Move one joint; what the robot itself set a slider to is no wish of the user."""
        with self._lock:
            value = float(self._sliders[k].value)
            if value == self._shown[k]:
                return
            self._stop()
            x = self._x.copy()
            x[k] = value
            self.move(integrate(self.robot, self.robot.neutral, x))

    def _on_choice(self, name: str) -> None:
        with self._lock:
            self._sweep = self._names.index(name)
            self._draw_rest()

    def _on_clock(self, _: Any) -> None:
        with self._lock:
            if float(self._clock.value) != self._shown_time:
                self._stop()
                self.seek(float(self._clock.value))

    def _toggle(self) -> None:
        with self._lock:
            if self._playing.is_set():
                self._stop()
                return
            assert self._time is not None
            if self._now >= self._time[-1]:
                self._now = float(self._time[0])
            self._play_button.label = "Pause"
            self._playing.set()

    def _stop(self) -> None:
        if self._playing.is_set() and self._time is not None:
            self._playing.clear()
            self._play_button.label = "Play"

    def _play(self) -> None:
        """Follow the clock on the wall while playing."""
        while True:
            self._playing.wait()
            before = clock.monotonic()
            clock.sleep(FRAME)
            if self._closed.is_set():
                return
            with self._lock:
                if not self._playing.is_set() or self._time is None:
                    continue
                t = self._now + (clock.monotonic() - before) * float(self._speed.value)
                self.seek(min(t, float(self._time[-1])))
                self._now = t  # not of the nearest sample: slow motion would stand still
                if t >= self._time[-1]:
                    self._stop()


def _free_port(host: str, port: int) -> int:
    """Return the first free port from this one on; where there is none, viser waits for good."""
    kind = socket.SOCK_STREAM
    try:
        if not host:
            raise OSError("it is empty")
        places = [(place[0], place[-1]) for place in socket.getaddrinfo(host, port, type=kind)]
        for candidate in range(port, _PORTS):
            with ExitStack() as stack:
                try:
                    for family, (name, _, *scope) in places:
                        trial = stack.enter_context(socket.socket(family, kind))
                        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
                        trial.bind((name, candidate, *scope))
                    return candidate
                except OSError as error:
                    if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                        raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"{host!r} cannot be served ({reason}); give an address of this machine, such as "
            "127.0.0.1, or 0.0.0.0 for all of them, and a port below 65536."
        ) from error
    raise ArgumentError(f"no port from {port} to {_PORTS - 1} of {host} is free; give a lower one.")


def _ranges(robot: Robot, limits: MotionLimits) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranges of the sliders, a turn or a metre to either side without limits."""
    free = np.array([UNLIMITED[kind] for kind in velocity_kinds(robot)])
    low = np.where(np.isfinite(limits.lower), limits.lower, np.minimum(-free, limits.upper - free))
    high = np.where(np.isfinite(limits.upper), limits.upper, np.maximum(free, limits.lower + free))
    return low, high


def _round(length: float) -> float:
    """Return 1, 10, 0.1 …: the power of ten nearest to a length."""
    return float(10.0 ** np.round(np.log10(length)))
