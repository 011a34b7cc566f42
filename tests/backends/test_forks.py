"""A process forks while another thread imports, traces or expands: the child does the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks")

# `begin` makes something slow, `act` meets it; the child has a while of the clock for it.
PROGRAM = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import jounce

slow = threading.Event()

class Late:
    '''Finds nothing, and takes long to find one module.'''
    def __init__(self, name): self.name = name
    def find_spec(self, name, path=None, target=None):
        if name == self.name and not slow.is_set():
            slow.set()
            time.sleep(1.0)

def late(function):
    '''Let the first call take long.'''
    def called(*arguments, **options):
        if not slow.is_set():
            slow.set()
            time.sleep(1.0)
        return function(*arguments, **options)
    return called

{begin}
def act():
{act}
thread = threading.Thread(target=act)
thread.start()
assert slow.wait(300)
child = os.fork()
if not child:
    signal.alarm(150)
    act()
    os._exit(7)
status = os.waitpid(child, 0)[1]
thread.join()
print(os.waitstatus_to_exitcode(status))
"""

ACT = "jounce.inverse_dynamics(jounce.load('planar2r'), *[[0.1, 0.2]] * 3)"
TRACING = """
import jounce.kernels.kernel as k
from jounce.kernels.description import kernel_spec
k.traced = late(k.traced)
"""
TRACE = "k.kernel_of(kernel_spec(jounce.load('planar2r'), 'mass_matrix', 0, (), {})).operations"
MUJOCO = """
import mujoco, jounce.formats.mjcf.compiled
class Model: from_xml_path = late(mujoco.MjModel.from_xml_path)
mujoco.MjModel = Model
"""
XACRO = """
import xacrodoc.xacrodoc as x
x.xacro.init_stacks = late(x.xacro.init_stacks)
"""
IMPORT = "sys.meta_path.insert(0, Late({!r}))"
OURS = IMPORT.format("jounce.api.dynamics")
# While a module is looked for, Python itself does not fork; while it is executed, it does.
TOO_LONG = """
import importlib.machinery as m
m.SourceFileLoader.exec_module = late(m.SourceFileLoader.exec_module)
jounce._forks._PATIENCE = 0.0
"""
CASES = {
    "a public name": (OURS, ACT),
    "modules in modules": (IMPORT.format("jounce.report.page"), "jounce.report.write_report"),
    "a module of others for us": (IMPORT.format("wave"), "jounce.lazy.required('wave', '', '')"),
    "an import that takes too long": (TOO_LONG, ACT),
    "tracing": (TRACING, TRACE),
    "mujoco": (MUJOCO, "jounce.load(sys.argv[1] + '/mjcf/arm.xml')"),
    "xacrodoc": (XACRO, "jounce.load(sys.argv[1] + '/xacro/pendulum.xacro')"),
}
DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("case", CASES)
def test_a_child_does_what_another_thread_was_at(case: str, tmp_path: Path):
    if case in ("mujoco", "xacrodoc"):
        pytest.importorskip(case)
    begin, act = CASES[case]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(begin=begin, act=f"    {act}"), str(DATA)],
        capture_output=True, text=True, timeout=900,
        env={**os.environ, "JOUNCE_CACHE_DIR": str(tmp_path), "JOUNCE_INTERPRET": "1"},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("7\n", "")
