"""A process that compiles modules: IR on stdin, object code on stdout.

llvmlite lets one thread at a time into LLVM, so a second core needs a second process. Frames
are an 8-byte length and that many bytes; an empty reply says that the module failed.
"""

from __future__ import annotations

import sys
from typing import IO

from jounce.codegen.llvm.host import compile_module


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Send one frame."""
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Receive one frame; None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return data if len(data) == size else None


def main() -> None:
    """Compile until the stream ends."""
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        try:
            data = compile_module(frame.decode())
        except Exception:  # the parent compiles it and meets the error itself
            data = b""
        write_frame(sys.stdout.buffer, data)


if __name__ == "__main__":
    main()
