"""Joint states in the bags of ROS, of both generations, without ROS; they need rosbags."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import TableError
from jounce.lazy import required
from jounce.tables.clock import TICKS, Stamp, since
from jounce.tables.columns import Layout, Wanted, layout_of
from jounce.tables.naming import Naming
from jounce.tables.reader import Piece, spread

MESSAGE = "sensor_msgs/msg/JointState"


def is_bag(path: Path) -> bool:
    """Whether a folder is a bag of ROS, and so one log."""
    return (path / "metadata.yaml").is_file()


class BagReader:
    """The messages of a topic of joint states that have all joints; they are counted from 1.

    The time is that of the header, or, where a header has none, that of the recorder.
    """

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path = path
        self.ticks: float | None = TICKS["ns"]
        naming = wanted.naming or Naming()
        self._joints = {name: x.removeprefix("q:") for name, x in naming.columns.items()}
        with _opened(path) as bag:
            found = [c for c in bag.connections if c.msgtype == MESSAGE]
            topics = sorted({connection.topic for connection in found})
            if naming.topic is None and len(topics) == 1:
                naming = naming._replace(topic=topics[0])
            if naming.topic not in topics:
                listed = ", ".join(topics) or "none"
                advice = "say which with --topic" if topics else "record one"
                raise TableError(f"{path}: topics of joint states are: {listed}; {advice}.")
            self.topic = naming.topic
            self.samples = sum(c.msgcount for c in found if c.topic == self.topic)
            self.layout, self.first = self._begin(bag, wanted)
        self.said = f"positions are those of {self.topic}"
        if self.layout.orders[1]:
            self.said += ", torques its efforts"

    def place(self, number: int) -> str:
        """Return file, topic and message."""
        return f"{self.path}: message {number} of {self.topic}"

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the messages as rows."""
        with _opened(self.path) as bag:
            rows = self._rows(bag)
            while some := [*islice(rows, samples)]:
                numbers = [row.number for row in some]
                yield Piece(_stacked(some, start), numbers, numbers[-1] / self.samples)

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Return evenly spread messages, in one pass over the bag."""
        windows = spread(self.samples, count, samples)
        found: list[list[_Row]] = [[] for _ in windows]
        with _opened(self.path) as bag:
            wanted = {i: k for k, part in enumerate(windows) for i in range(part.start, part.stop)}
            for row in self._rows(bag, only=wanted):
                found[wanted[row.number - 1]].append(row)
        return [_stacked(rows, start) for rows in found if rows]

    def _begin(self, bag: Any, wanted: Wanted) -> tuple[Layout, Stamp]:
        """Return the layout of the first message that has all joints, and its time."""
        seen: set[str] = set()
        for _, stamp, message in self._messages(bag):
            names = message.name
            seen |= set(names)
            if wanted.joints is None or set(wanted.joints) <= set(names):
                header = ["t", *(f"q:{name}" for name in names)]
                if len(message.effort) == len(names):
                    header += [f"Q:{name}" for name in names]
                where, plain = f"{self.path}: {self.topic}", wanted._replace(naming=None)
                return layout_of(header, plain, where), stamp
        missing = [joint for joint in wanted.joints or () if joint not in seen]
        raise TableError(
            f"{self.path}: no message of {self.topic} has all joints; missing are "
            f"{', '.join(missing) or 'some in each'}; it has {', '.join(sorted(seen)) or 'none'}. "
            "Where joints have other names, say --map NAME=JOINT."
        )

    def _messages(self, bag: Any, only: Any = None) -> Iterator[tuple[int, int, Any]]:
        """Yield the messages of the topic, with their numbers from 1 and times, joints as ours."""
        found = [c for c in bag.connections if c.topic == self.topic and c.msgtype == MESSAGE]
        for i, (connection, recorded, raw) in enumerate(bag.messages(found)):
            if only is None or i in only:
                message = bag.deserialize(raw, connection.msgtype)
                message.name = [self._joints.get(name, name) for name in message.name]
                time = message.header.stamp
                yield i + 1, time.sec * 10**9 + time.nanosec or recorded, message

    def _rows(self, bag: Any, only: Any = None) -> Iterator[_Row]:
        """Yield the messages that have all joints as rows."""
        columns = [self.layout.header[i].partition(":") for i in self.layout.columns[1:]]
        for number, stamp, message in self._messages(bag, only):
            places = {name: i for i, name in enumerate(message.name)}
            if any(joint not in places for _, _, joint in columns):
                continue
            row = np.full(len(self.layout.columns), np.nan)
            for k, (kind, _, joint) in enumerate(columns, start=1):
                values = message.effort if kind == "Q" else message.position
                if places[joint] < len(values):
                    row[k] = values[places[joint]]
            yield _Row(number, stamp, row)


class _Row(NamedTuple):
    """A message as a row, without its time, which is that of the stamp."""

    number: int
    stamp: int
    values: np.ndarray


def _stacked(rows: list[_Row], start: Stamp) -> np.ndarray:
    stacked = np.array([row.values for row in rows])
    stacked[:, 0] = since(np.array([row.stamp for row in rows], dtype=np.int64), start)
    return stacked


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    highlevel = required("rosbags.highlevel", "reading bags of ROS", "bags")
    types = required("rosbags.typesys", "reading bags of ROS", "bags")
    store = types.Stores.ROS1_NOETIC if path.suffix == ".bag" else types.Stores.LATEST
    try:
        with highlevel.AnyReader([path], default_typestore=types.get_typestore(store)) as bag:
            yield bag
    except (TableError, OSError, GeneratorExit):
        raise
    except Exception as error:  # what it raises on damaged files is not one class
        raise TableError(f"{path}: not a whole bag ({type(error).__name__}: {error}).") from error
