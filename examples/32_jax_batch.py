"""Ten thousand motions at once in JAX: the gradient of a cost of torques and torque rates.

Each motion is a sum of cosines; its coefficients are improved by plain gradient steps, all in one
compiled function. The dynamics and their gradient are Jounce's kernels.
"""

import time

import jax
import jax.numpy as jnp
import numpy as np

import jounce

jax.config.update("jax_enable_x64", True)

MOTIONS, SAMPLES, WAVES = 10_000, 8, 3
panda = jounce.load("panda")
dynamics = jounce.adapters.jax.function(panda, "inverse_dynamics", order=1)
t = jnp.linspace(0.0, 2.0, SAMPLES)
waves = jnp.pi * jnp.arange(1, WAVES + 1) / 2
center = (panda.limits.lower + panda.limits.upper) / 2


def cost(c):
    """Torque and torque rate of one motion, squared, as shares of the limits; ends are held."""
    angles = waves * t[:, None]
    rates = [jnp.cos(angles + k * jnp.pi / 2) * waves**k for k in range(4)]  # d/dt turns by 90°
    q, v, a, j = (rate @ c for rate in rates)
    Q, Q1 = dynamics(center + q, v, a, j)
    effort = (Q / panda.limits.effort) ** 2 + (Q1 / panda.limits.effort_rate) ** 2
    swing = (q[-1] - q[0] - 0.5) ** 2
    return effort.mean() + 10 * swing.sum()


slopes = jax.jit(jax.vmap(jax.value_and_grad(cost)))
c = jnp.asarray(np.random.default_rng(0).normal(scale=0.2, size=(MOTIONS, WAVES, 7)))
slopes(c)  # compile
for step in range(4):
    began = time.perf_counter()
    values, gradient = jax.block_until_ready(slopes(c))
    spent = time.perf_counter() - began
    print(f"step {step}: mean cost {values.mean():.3f}, gradients in {1e3 * spent:.0f} ms", end=" ")
    print(f"= {1e6 * spent / (MOTIONS * SAMPLES):.2f} µs a sample")
    c = c - 0.008 * gradient

direction = jnp.asarray(np.random.default_rng(1).normal(size=c.shape[1:]))
exact = (gradient[0] * direction).sum()
step = 1e-5
before = c[0] + 0.008 * gradient[0]  # where the last gradient was taken
differences = (cost(before + step * direction) - cost(before - step * direction)) / (2 * step)
print(f"gradient along a direction: {exact:.9f}, by differences {differences:.9f}")
assert abs(exact - differences) < 1e-6 * abs(exact)
