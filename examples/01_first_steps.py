"""First steps: a robot, a motion, and the joint torques with their time derivatives."""

import numpy as np

import jounce

robot = jounce.load("panda")
print(f"{robot.name}: {robot.nv} degrees of freedom, {robot.mass:.2f} kg")

rng = np.random.default_rng(1)
q = robot.random_configuration(rng)
v, a, j, s = rng.standard_normal((4, robot.nv))  # velocity, acceleration, jerk, snap

Q = jounce.inverse_dynamics(robot, q, v, a, j, s)  # (3, nv): the first axis is the order
for order, unit in enumerate(("N m", "N m/s", "N m/s²")):
    print(f"Q^({order}) = {np.array2string(Q[order], precision=2, suppress_small=True)} {unit}")

T = jounce.poses(robot, q)[0]  # (n_bodies, 4, 4)
print(f"the last body is at {np.array2string(T[-1, :3, 3], precision=3)} m")
