"""The equations of motion of a planar 2R arm as formulas, as LaTeX and as C."""

import sympy as sp

import jounce

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g")
hinge = jounce.joints.revolute((0, 0, 1))
elbow = sp.eye(4)
elbow[0, 3] = l1

builder = jounce.RobotBuilder("2R", gravity=(0, -g, 0))  # a point mass at the end of each link
builder.add("upper", None, hinge, inertia=jounce.Inertia(m1, (l1, 0, 0), sp.zeros(3)))
builder.add("lower", "upper", hinge, elbow, jounce.Inertia(m2, (l2, 0, 0), sp.zeros(3)))
form = jounce.symbolic(builder.build(), order=1)

for i in range(2):
    print(f"Q_{i + 1} = {form.Q[0][i]}")
for i in range(2):
    print(f"dQ_{i + 1}/dt = {form.Q[1][i]}")
print("M =", form.M.tolist())
print("C =", form.C.tolist())
print("g =", list(form.g))

# The textbook: dM/dt = C + Cᵀ, and the rate of Q is the derivative of Q along the motion.
assert sp.simplify(form.derivative("M", 1) - form.C - form.C.T) == sp.zeros(2)
known = (*form.q, *form.rates[0], *form.rates[1])
rates = (*form.rates[0], *form.rates[1], *form.rates[2])
along = sum((form.Q[0].diff(x) * dx for x, dx in zip(known, rates, strict=True)), sp.zeros(2, 1))
assert sp.simplify(along - form.Q[1]) == sp.zeros(2, 1)
print("dM/dt = C + Cᵀ and dQ/dt is the derivative of Q: checked by SymPy")

print(form.latex("g"))
print(form.code("c", "M"))
