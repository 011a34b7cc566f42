"""Machine code gives the interpreter's numbers, wherever a sample stands in its batch."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jounce.codegen import Graph, Program, cache, gate, interpret, parallel
from jounce.codegen import machine_code as native
from jounce.codegen.gate import compiling
from jounce.codegen.llvm.host import compile_module, host, target_machine
from jounce.codegen.llvm.printer import print_llvm
from jounce.codegen.llvm.sweep import LINE, PAST_CACHE, WIDE, long_runs
from jounce.codegen.machine_code import MachineCode, compile_program
from tests.backends.entry_point import run_rows
from tests.tolerances import EXACT, ROUNDOFF, assert_close
from tests.unit.codegen.programs import Recipe, chain, evaluate, finite, recipes, trace


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path_factory.getbasetemp() / "jounce"))


def samples(program: Program, rows: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rows, width)) for width in program.input_widths]


def run(code: MachineCode, inputs: list[np.ndarray], rows: int) -> list[np.ndarray]:
    outputs = [np.full((rows, width), np.nan) for width in code.program.output_widths]
    run_rows(code, inputs, outputs)
    return outputs


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_without_fma_bits_are_the_interpreters(lanes: int):
    program = chain(30, sines=False)
    code = compile_program(program, fma=False, lanes=lanes)
    inputs = samples(program, 37)
    for actual, desired in zip(run(code, inputs, 37), interpret(program, inputs), strict=True):
        assert_close(actual, desired, EXACT)


@settings(max_examples=25, deadline=None)
@given(recipes, st.lists(st.floats(-2.0, 2.0), min_size=20, max_size=20))
def test_random_programs_without_fma(recipe: Recipe, numbers: list[float]):
    rows = np.array(numbers).reshape(5, 4)
    assume(all(finite(evaluate(recipe, row.tolist())) for row in rows))
    program = trace(recipe, 4)
    code = compile_program(program, fma=False, cache=False)
    for actual, desired in zip(run(code, [rows], 5), interpret(program, [rows]), strict=True):
        assert_close(actual, desired, EXACT)


@pytest.mark.parametrize("lanes", [2, None, 8])
def test_with_fma_results_agree_to_roundoff(lanes: int | None):
    program = chain(60)
    code = compile_program(program, lanes=lanes)
    inputs = samples(program, 101)
    for actual, desired in zip(run(code, inputs, 101), interpret(program, inputs), strict=True):
        assert_close(actual, desired, ROUNDOFF)


@pytest.fixture(scope="module")
def program() -> Program:
    return chain(9)


@pytest.fixture
def code(program: Program) -> MachineCode:
    return compile_program(program)


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 16, 17, 1000])
def test_a_sample_does_not_depend_on_its_batch(program: Program, code: MachineCode, rows: int):
    inputs = samples(program, 1000)
    whole = run(code, inputs, 1000)
    part = run(code, [x[:rows] for x in inputs], rows)
    for actual, desired in zip(part, whole, strict=True):
        assert_close(actual, desired[:rows], EXACT)


def test_nothing_is_touched_outside_the_range(program: Program, code: MachineCode):
    inputs = samples(program, 40)
    whole = run(code, inputs, 40)
    for begin, end in ((0, 1), (3, 10), (7, 40), (39, 40), (5, 5), (9, 4)):
        outputs = [np.full((40, width), np.nan) for width in program.output_widths]
        run_rows(code, inputs, outputs, begin, end)
        for actual, desired in zip(outputs, whole, strict=True):
            assert_close(actual[begin:end], desired[begin:end], EXACT)
            outside = np.r_[actual[:begin], actual[max(begin, end) :]]
            assert np.isnan(outside).all()


def wide(gaps: tuple[int, ...]) -> Program:
    """Return rows of values with zeros of many lengths before, between and after them."""
    graph = Graph()
    x, y = graph.inputs(2)
    values = [x + y, x * y, x - y, y, 1.0, -x]
    row: list = []
    for k, gap in enumerate(gaps):
        row += [0.0] * gap + values[: k % len(values) + 1]
    return graph.program([2], [row, row[::-1], [0.0] * len(row), [x]])


GAPS = [(15,), (250,), (251, 2), (17, 240), (19, 1, 300, 2), (600,), (16, 40, 300), (1,) * 90]


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("gaps", GAPS)
def test_zeros_side_by_side(gaps: tuple[int, ...], lanes: int):
    program = wide(gaps)
    code = compile_program(program, fma=False, lanes=lanes)
    inputs = samples(program, 21)
    for begin, end in ((0, 21), (3, 4), (5, 20)):
        memory = [np.full((21, width + 1), np.nan) for width in program.output_widths]
        run_rows(code, inputs, [x[:, :-1] for x in memory], begin, end)
        for actual, desired in zip(memory, interpret(program, inputs), strict=True):
            assert_close(actual[begin:end, :-1], desired[begin:end], EXACT)
            actual[begin:end, :-1] = np.nan
            assert np.isnan(actual).all(), "written outside the rows"


NARROW = (1, 2, 7, 16, 17, 65, WIDE - 1)


def narrow() -> Program:
    """Return rows of values and constants of several widths."""
    graph = Graph()
    x, y = graph.inputs(2)
    outputs = [[x * float(k) + y if k % 3 else 0.5 for k in range(n)] for n in NARROW]
    return graph.program([2], outputs)


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize(
    "program",
    [narrow(), wide((300, 40, 2)), wide((299, 40, 2)), wide((3, 400))],
    ids=["narrow", "even", "odd", "late"],
)
@pytest.mark.parametrize("offset", range(8))
def test_rows_that_do_not_stay_in_the_cache(program: Program, lanes: int, offset: int):
    """Written by whole lines and what is left of them, wherever these begin, and nothing beside."""
    rows = 4 * lanes + 5
    code = compile_program(program, fma=False, lanes=lanes)
    inputs = samples(program, rows)
    desired = interpret(program, inputs)
    for begin, end in ((0, rows), (1, rows), (0, 4 * lanes), (lanes, lanes + 1)):
        memory = [np.full(rows * width + 8, np.nan) for width in program.output_widths]
        outputs = [x[offset : x.size - 8 + offset].reshape(rows, -1) for x in memory]
        run_rows(code, inputs, outputs, begin, end, whole=PAST_CACHE)
        for whole, actual, right in zip(memory, outputs, desired, strict=True):
            assert_close(actual[begin:end], right[begin:end], EXACT)
            actual[begin:end] = np.nan
            assert np.isnan(whole).all(), "written outside the rows"


def test_rows_apart_that_do_not_stay_in_the_cache():
    program = wide((300, 40, 2))
    inputs = samples(program, 21)
    memory = [np.full((21, width + 1), np.nan) for width in program.output_widths]
    code = compile_program(program, fma=False)
    run_rows(code, inputs, [x[:, :-1] for x in memory], whole=PAST_CACHE)
    for actual, desired in zip(memory, interpret(program, inputs), strict=True):
        assert_close(actual[:, :-1], desired, EXACT)
        assert np.isnan(actual[:, -1]).all()


def test_a_large_batch_is_the_same_as_small_ones():
    """Also of rows so many that they go past the cache by themselves."""
    program = narrow()
    rows = PAST_CACHE // (8 * sum(NARROW)) + 6
    code, inputs = compile_program(program, fma=False), samples(program, rows)
    for actual, desired in zip(run(code, inputs, rows), interpret(program, inputs), strict=True):
        assert_close(actual, desired, EXACT)


def test_long_runs_of_zeros():
    flags = [c == "0" for c in "10" + "0" * 31 + "1" + "0" * 31 + "1" + "0" * 40]
    assert list(long_runs(flags)) == [(1, 33 - LINE + 1), (66, 106 - LINE + 1)]
    assert list(long_runs([])) == list(long_runs([False] * 40)) == []
    assert list(long_runs([True] * 1000)) == [(0, 1000 - LINE + 1)]


def test_strides_and_repeated_rows(program: Program, code: MachineCode):
    wide = np.random.default_rng(1).normal(size=(22, 50))
    wide.flags.writeable = False
    angles, rates = wide[::2, 3:12], wide[:1, 20:29]
    result = np.full((11, 40), np.nan)
    outputs = [result[:, 1:4], result[:, 10:19]]
    run_rows(code, [angles, rates], outputs)
    again = run(code, [angles.copy(), np.repeat(rates, 11, axis=0)], 11)
    for actual, desired in zip(outputs, again, strict=True):
        assert_close(actual, desired, EXACT)
    untouched = np.delete(result, [1, 2, 3, *range(10, 19)], axis=1)
    assert np.isnan(untouched).all()


@pytest.mark.parametrize("step", [1, -1, 40, -40])
def test_long_batches_of_any_stride(program: Program, code: MachineCode, step: int):
    """Rows are fetched ahead where they are near, past the ends of the arrays too."""
    wide = np.random.default_rng(1).normal(size=(100 * abs(step), 18))[::step]
    inputs = [wide[:, :9], wide[:1, 9:]]
    again = run(code, [inputs[0].copy(), np.repeat(inputs[1], 100, axis=0)], 100)
    for actual, desired in zip(run(code, inputs, 100), again, strict=True):
        assert_close(actual, desired, EXACT)
    for actual, desired in zip(again, interpret(program, inputs), strict=True):
        assert_close(actual, desired, ROUNDOFF)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 64, 65, 133, 300])
@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("step", [1, 2])
def test_all_widths_are_transposed(width: int, lanes: int, step: int):
    """Few columns and many, all of them and every other one, with constants between."""
    graph = Graph()
    values = graph.inputs(width)[::step]
    between = [y for x in values for y in (x, 3.0)]
    outputs = [[x * 2.0 for x in values], [values[-1], 3.0, -values[0]], [], between]
    program = graph.program([width], outputs)
    code = compile_program(program, lanes=lanes)
    inputs = samples(program, 9)
    for actual, desired in zip(run(code, inputs, 9), interpret(program, inputs), strict=True):
        assert_close(actual, desired, EXACT)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a guard page")
@pytest.mark.parametrize("rows", [1, 3, 5])
@pytest.mark.parametrize(
    "program", [chain(9), wide((251, 2)), wide((600,))], ids=["9 wide", "256 wide", "601 wide"]
)
def test_no_row_past_the_end_is_read_or_written(program: Program, code: MachineCode, rows: int):
    widths = (*program.input_widths, *program.output_widths)
    arrays = [guarded(rows, width) for width in widths]
    count = len(program.input_widths)
    inputs, outputs = arrays[:count], arrays[count:]
    for x, numbers in zip(inputs, samples(program, rows), strict=True):
        x[:] = numbers
    run_rows(code, inputs, outputs)
    for actual, desired in zip(outputs, run(code, inputs, rows), strict=True):
        assert_close(actual, desired, EXACT)


def guarded(rows: int, width: int) -> np.ndarray:
    """Return an array that ends where a page without access begins."""
    page = mmap.PAGESIZE
    size = -(-8 * rows * width // page) * page
    buffer = np.frombuffer(mmap.mmap(-1, size + page), dtype=np.float64)
    address = ctypes.c_void_p(buffer.ctypes.data + size)
    assert ctypes.CDLL(None).mprotect(address, ctypes.c_size_t(page), 0) == 0
    end = size // 8
    return buffer[end - rows * width : end].reshape(rows, width)


def test_inputs_nobody_reads_are_not_loaded():
    graph = Graph()
    x, _ = graph.inputs(2)
    program = graph.program([1, 1], [[x + 1.0]])
    code = compile_program(program)
    unreadable = np.lib.stride_tricks.as_strided(np.zeros(1), (3, 1), (2**40, 8))
    (result,) = run(code, [np.ones((3, 1)), unreadable], 3)
    assert_close(result, np.full((3, 1), 2.0), EXACT)


def test_two_threads_share_one_code(program: Program, code: MachineCode):
    inputs = samples(program, 5000)
    expected = run(code, inputs, 5000)
    results: list[list[np.ndarray]] = []
    threads = [
        threading.Thread(target=lambda: results.append(run(code, inputs, 5000))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        for actual, desired in zip(result, expected, strict=True):
            assert_close(actual, desired, EXACT)


def test_the_second_time_comes_from_disk(program: Program, monkeypatch: pytest.MonkeyPatch):
    inputs = samples(program, 7)
    first = run(compile_program(program), inputs, 7)
    monkeypatch.setattr(native, "compile_modules", None)  # compiling again would fail
    second = run(compile_program(program), inputs, 7)
    for actual, desired in zip(second, first, strict=True):
        assert_close(actual, desired, EXACT)


def test_a_damaged_entry_is_replaced(program: Program):
    cache.clear()
    compile_program(program)
    path, size, _ = cache.entries()[0]
    path.write_bytes(b"garbage")
    run(compile_program(program), samples(program, 3), 3)
    assert path.stat().st_size == size


@pytest.fixture
def modules() -> list[str]:
    """Modules of a program, with many of a few chunks."""
    printed = print_llvm(chain(60), lanes=host().lanes, fma=True, host_fma=host().fma)
    return list(printed.modules)


def test_modules_are_compiled_side_by_side(modules: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parallel, "available_cores", lambda: 4)
    inside, most = set[int](), list[int]()

    def counted(text: str) -> bytes:
        inside.add(threading.get_ident())
        most.append(len(inside))
        try:
            return compile_module(text)
        finally:
            inside.remove(threading.get_ident())

    alone = [compile_module(text) for text in modules]
    monkeypatch.setattr(parallel, "compile_module", counted)
    told: list[tuple[int, int]] = []
    found = parallel.compile_modules(3 * modules, progress=lambda *done: told.append(done))
    assert found == 3 * alone
    assert told == [(k + 1, 3 * len(modules)) for k in range(3 * len(modules))]
    assert max(most) > 1


def test_llvm_lets_threads_in_beside_those_of_others(modules: list[str]):
    """Numba compiles with the lock of llvmlite and one context for all."""
    from llvmlite import binding

    text = "define double @f(double %x) {\n  %y = fmul double %x, %x\n  ret double %y\n}"
    alone, others, done = [compile_module(m) for m in modules], list[bytes](), threading.Event()

    def numba() -> None:
        machine = target_machine(compact=False)
        while not done.is_set():
            with binding.parse_assembly(text) as module:
                others.append(machine.emit_object(module))

    thread = threading.Thread(target=numba)
    thread.start()
    try:
        for _ in range(5):
            assert parallel.compile_modules(modules) == alone
    finally:
        done.set()
        thread.join()
    assert len(set(others)) == 1


def test_without_threads_modules_are_compiled_here(
    modules: list[str], monkeypatch: pytest.MonkeyPatch
):
    def no_thread(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    alone = [compile_module(text) for text in modules]
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    assert parallel.compile_modules(modules) == alone


def test_a_llvmlite_that_does_not_let_go_of_its_lock(
    modules: list[str], monkeypatch: pytest.MonkeyPatch
):
    from llvmlite.binding import ffi

    alone = [compile_module(text) for text in modules]
    name = "LLVMPY_TargetMachineEmitToMemory"
    locked = getattr(ffi.lib, name)
    monkeypatch.setitem(ffi.lib._fntab, name, lambda *given: locked(*given))
    assert parallel.compile_modules(modules) == alone


def test_a_module_that_fails_is_told(modules: list[str]):
    with pytest.raises(RuntimeError, match="nowhere"):
        parallel.compile_modules([*modules, "define void @f() { br label %nowhere }", *modules])
    parallel.compile_modules(modules)


def test_interrupted_nothing_goes_on(modules: list[str]):
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        parallel.compile_modules(20 * modules, progress=interrupt)
    assert threading.active_count() == before


@pytest.mark.parametrize("which", [1, 2])
def test_interrupted_while_threads_start_nobody_stays_inside(
    which: int, modules: list[str], monkeypatch: pytest.MonkeyPatch
):
    """The end of the process and forks wait for those who are."""
    monkeypatch.setattr(parallel, "available_cores", lambda: 2)
    real, started = threading.Thread.start, list[threading.Thread]()

    def start(self: threading.Thread) -> None:
        real(self)
        started.append(self)
        if len(started) == which:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt), compiling():
        parallel.compile_modules(modules)
    for thread in started:
        thread.join(30)
    assert not any(thread.is_alive() for thread in started)
    assert not gate._inside


def test_the_host_is_described():
    assert host().lanes in (2, 4, 8)
    assert host().cpu in host().identity
