"""A small network learns a payload through inverse dynamics, in PyTorch.

A Panda carries something nobody has weighed. From the motion of its flange the network gives the
wrench of the load, inverse dynamics the torques, and these are compared with measured ones.
"""

import time

import numpy as np
import torch

import jounce

panda = jounce.load("panda")
load = jounce.Inertia(1.4, [0.02, 0.0, 0.08], np.diag([0.006, 0.007, 0.003]))
loaded = panda.with_payload("flange", load)
rng = np.random.default_rng(0)
q = np.stack([panda.random_configuration(rng) for _ in range(2000)])
v, a = rng.normal(size=(2, 2000, 7))
measured = jounce.inverse_dynamics(loaded, q, v, a)[0] + rng.normal(scale=0.01, size=q.shape)

# what a load feels, in the frame of the flange: twist, and acceleration less gravity
V, A = jounce.frame_twist(panda, "flange", q, v, a)
A[:, 3:] -= np.array(panda.gravity) @ jounce.frame_pose(panda, "flange", q)[0, :, :3, :3]
felt = torch.tensor(np.concatenate([V, A / 5], axis=-1))

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
hidden = torch.nn.Linear(12, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh()
network = torch.nn.Sequential(*hidden, torch.nn.Linear(32, 6))
dynamics = jounce.adapters.torch.function(panda, "inverse_dynamics", wrenches=("flange",))
motion, wanted = [torch.tensor(x) for x in (q, v, a)], torch.tensor(measured)


def residual(rows: slice) -> torch.Tensor:
    wrench = network(felt[rows])
    Q = dynamics(*(x[rows] for x in motion), wrench[None])[0]
    return ((Q - wanted[rows]) ** 2).mean().sqrt()


def closure() -> torch.Tensor:
    steps.zero_grad()
    loss = residual(slice(0, 1500))
    loss.backward()
    return loss


steps = torch.optim.LBFGS(network.parameters(), max_iter=200, line_search_fn="strong_wolfe")
torch.set_num_threads(1)  # the work is small
print(f"torques before: {residual(slice(1500, 2000)).item():.3f} N m off")
began = time.perf_counter()
steps.step(closure)
print(f"trained in {time.perf_counter() - began:.1f} s:", end=" ")
print(f"{residual(slice(1500, 2000)).item():.3f} N m off on motions it has not seen")
hanging = (
    9.80665 / 5 * torch.eye(12)[[9, 10, 11]]
)  # at rest, gravity along −x, −y, −z of the flange
weight = network(hanging)[:, 3:].norm(dim=-1).mean().item()
print(f"the load weighs {weight / 9.80665:.2f} kg; it has {load.mass} kg")
