// Pinocchio's inverse dynamics for the loop, in a file of its own: its library decides the flags.
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

namespace {

using Row = Eigen::Map<const Eigen::VectorXd>;
pinocchio::Model model;
pinocchio::Data data;

} // namespace

// Reads a saved model; tells whether it has so many coordinates and velocities.
extern "C" bool rnea_load(const char *saved, int size)
{
    model.loadFromText(saved);
    data = pinocchio::Data(model);
    return model.nq == size && model.nv == size;
}

extern "C" void rnea(const double *q, const double *v, const double *a, double *torque)
{
    const Eigen::Index n = model.nv;
    Eigen::Map<Eigen::VectorXd>(torque, n) =
        pinocchio::rnea(model, data, Row(q, n), Row(v, n), Row(a, n));
}
