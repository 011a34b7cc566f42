"""Compiling while the process forks or ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="forks")

FORK = """
import os, threading, time, warnings
import numpy as np
import jounce
warnings.simplefilter("ignore")
robot = jounce.load("panda")
x = np.full(7, 0.1)
jounce.inverse_dynamics(jounce.load("planar2r"), *[x[:2]] * 3)  # imports have locks of their own
def compile(): jounce.inverse_dynamics(robot, *[x] * 6)
for pause in (0.02, 0.2, 0.6):
    thread = threading.Thread(target=compile)
    thread.start()
    time.sleep(pause)
    child = os.fork()
    if not child:
        jounce.inverse_dynamics(robot, *[x] * 6)
        jounce.gravity_forces(robot, x)
        os._exit(7)
    thread.join()
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        raise SystemExit("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 7
    jounce.kernels.kernel._kernel.cache_clear()
    jounce.api.call._called.clear()
    jounce.codegen.cache.clear()
"""

THREADS = """
import os, threading
import numpy as np
import jounce
kernel = jounce.kernel(jounce.load("panda"), "inverse_dynamics")
x = np.full((1000, 7), 0.1)
wanted = kernel(x, x, x, threads=2)
child = os.fork()
if not child:
    same = np.array_equal(kernel(x, x, x, threads=2), wanted)
    os._exit(7 if same and threading.active_count() == 2 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

DAEMON = """
import sys, threading, time
import jounce
robot = jounce.load("panda")
def compile():
    for order in (3, 4, 5):
        jounce.kernel(robot, "inverse_dynamics", order=order)
threading.Thread(target=compile, daemon=True).start()
time.sleep(float(sys.argv[1]))
"""


FORK_IN_PROGRESS = """
import os
import jounce
from jounce.codegen.machine_code import compile_program
program = jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=2).program
def progress(done, total):
    child = os.fork()
    if not child:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
compile_program(program, cache=False, progress=progress)
"""

DISPOSING = """
import os, threading, time
import jounce
from jounce.codegen.machine_code import compile_program
program = jounce.kernel(jounce.load("panda"), "inverse_dynamics").program
for _ in range(5):
    thread = threading.Thread(target=lambda: [compile_program(program) for _ in range(20)])
    thread.start()
    time.sleep(0.02)
    child = os.fork()  # when they are made; the other thread disposes of them
    if not child:
        compile_program(program)
        os._exit(7)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        raise SystemExit("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 7
    thread.join()
"""


def run(program: str, *arguments: str, cache: Path, **options: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "JOUNCE_CACHE_DIR": str(cache)}, **options,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@posix
def test_a_fork_waits_for_other_threads_that_compile(tmp_path: Path):
    run(FORK, cache=tmp_path)


@pytest.mark.parametrize("pause", ["0.3", "0.6", "1.0", "1.4"])
def test_a_daemon_thread_may_compile_when_the_process_ends(pause: str, tmp_path: Path):
    run(DAEMON, pause, cache=tmp_path)


@posix
def test_a_forked_child_has_threads_of_its_own(tmp_path: Path):
    assert run(THREADS, cache=tmp_path) == "7\n"


@posix
def test_a_fork_while_the_forking_thread_waits_for_its_code(tmp_path: Path):
    run(FORK_IN_PROGRESS, cache=tmp_path)


@posix
def test_a_fork_waits_for_threads_that_dispose_of_code(tmp_path: Path):
    run(DISPOSING, cache=tmp_path)
