"""Compiling while the process forks, ends, or stands in a directory of somebody else."""

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

HELPERS = """
import jounce.codegen.machine_code as m
import jounce
m.PARALLEL, m.available_workers = 0, lambda: 1
import jounce.codegen.llvm.printer as p
p.MODULE = 2
helpers = []
import jounce.codegen.parallel as q
class Helper(q.Helper):
    def stop(self):
        helpers.append(self.process and self.process.poll())
        super().stop()
    def _feed(self):
        super()._feed()
        helpers.append(len(self.results))
q.Helper = Helper
jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=3)
print(helpers)
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


def test_helpers_import_nothing_from_the_current_directory(tmp_path: Path):
    bait = tmp_path / "bait"
    bait.mkdir()
    for name in ("llvmlite", "numpy", "struct", "jounce", "sitecustomize"):
        (bait / f"{name}.py").write_text(f"open({str(tmp_path / 'eaten')!r}, 'w').write({name!r})")
    # The process itself was started with -P, as the command `jounce` is: only helpers could bite.
    program = f"import os; os.chdir({str(bait)!r})\n{HELPERS}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=300,
        env={**os.environ, "JOUNCE_CACHE_DIR": str(tmp_path / "kept")},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "eaten").exists()
    compiled, ended = eval(done.stdout)
    assert compiled > 0, "the helper did work"
    assert ended in (None, 0)


@posix
def test_a_forked_child_has_threads_of_its_own(tmp_path: Path):
    assert run(THREADS, cache=tmp_path) == "7\n"


STOPPED_AT_ONCE = """
import subprocess, time, os
import jounce, llvmlite, jounce.codegen.llvm.host
from jounce.codegen.parallel import helpers

for _ in range(4):
    try:
        with helpers(1):
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
time.sleep(0.5)
print(len(open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split()))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
def test_helpers_end_even_if_they_had_not_begun():
    command = [sys.executable, "-c", STOPPED_AT_ONCE]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
