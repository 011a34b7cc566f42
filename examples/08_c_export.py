"""C code for a controller: torques and two derivatives of a Panda in a loop of 1 kHz.

The loop runs 1000 cycles and reports how much processor time of a millisecond each takes.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import jounce

LOOP = r"""
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "feedforward.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec; /* microseconds */
}

int main(void) {
    double x[5][7], Q[3][7], spent, worst = 0.0, sum = 0.0;
    for (int cycle = 0; cycle < 1000; ++cycle) {
        for (int i = 0; i < 7; ++i)  /* q_i = 0.3 sin(w t) and its derivatives */
            for (int k = 0; k < 5; ++k)
                x[k][i] = 0.3 * pow(1.0 + i, k) * sin((1.0 + i) * 1e-3 * cycle + k * acos(0.0));
        double start = now();
        feedforward(x[0], x[1], x[2], x[3], x[4], Q[0], Q[1], Q[2]);
        sum += (spent = now() - start);
        worst = fmax(worst, spent);
    }
    printf("%.2f us a cycle, %.2f us at worst, of 1000 us\n", sum / 1000.0, worst);
    for (int i = 0; i < 21; ++i) printf("%.17g ", Q[i / 7][i % 7]);
}
"""
kernel = jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=2)
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
with tempfile.TemporaryDirectory() as folder:
    for path in kernel.export_c(folder, "feedforward"):
        print(f"{path.relative_to(folder)}: {path.stat().st_size / 1024:.1f} kB")
    Path(folder, "loop.c").write_text(LOOP, encoding="ascii")
    if compiler is None:
        print("no C compiler found: install one and build CMakeLists.txt")
    else:
        build = [compiler, "-O2", "-std=c99", "loop.c", "feedforward.c", "-lm", "-o", "loop"]
        subprocess.run(build, cwd=folder, check=True)
        time, numbers = subprocess.check_output([f"{folder}/loop"], text=True).splitlines()
        i, k = np.arange(7), np.arange(5)[:, None]
        last = 0.3 * (1.0 + i) ** k * np.sin((1.0 + i) * 0.999 + k * np.pi / 2)
        Q, C = kernel(*last), np.array(numbers.split(), float).reshape(3, 7)
        differ = np.abs(Q - C).max() / np.abs(Q).max()
        print(f"{time}; C and Python differ by {differ:.0e} of scale")
