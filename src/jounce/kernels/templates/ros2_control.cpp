/* $generated
 *
 * A controller for ros2_control: commands the torques of a desired motion, $name::compute.
 *
 * The desired motion comes as trajectory_msgs/JointTrajectoryPoint on ~/desired: positions,
 * velocities and accelerations in the order of `joints` below.  update() runs in the loop of the
 * controller manager and is real-time safe: it allocates nothing, takes no lock that it would wait
 * for and computes a fixed number of operations.  Until a motion has come it commands zero.  This is
 * feedforward alone: add the feedback of your robot where it says so.
 *
 * Build it as a library of your package, with controller_interface, pluginlib, rclcpp_lifecycle,
 * realtime_tools and trajectory_msgs, and list $name::FeedforwardController in its plugin file.
 */
#include "$name.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#if __has_include("realtime_tools/realtime_buffer.hpp")
#include "realtime_tools/realtime_buffer.hpp"
#else
#include "realtime_tools/realtime_buffer.h"
#endif
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"

namespace $name {

inline constexpr std::size_t joint_count = $count;
inline constexpr std::array<const char *, joint_count> joints{{
    $joints,
}};

struct Desired {
    bool given = false;
    std::array<real, q_size> q{};
    std::array<real, v_size> v{};
    std::array<real, a_size> a{};
};

class FeedforwardController : public controller_interface::ControllerInterface {
    using Point = trajectory_msgs::msg::JointTrajectoryPoint;
    using Result = controller_interface::CallbackReturn;

public:
    controller_interface::InterfaceConfiguration command_interface_configuration() const override
    {
        std::vector<std::string> names;
        for (const char *joint : joints) names.push_back(std::string(joint) + "/effort");
        return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
    }

    controller_interface::InterfaceConfiguration state_interface_configuration() const override
    {
        return {controller_interface::interface_configuration_type::NONE, {}};
    }

    Result on_init() override { return Result::SUCCESS; }

    Result on_configure(const rclcpp_lifecycle::State &) override
    {
        subscription_ = get_node()->create_subscription<Point>(
            "~/desired", rclcpp::SystemDefaultsQoS(),
            [this](const Point::ConstSharedPtr point) { receive(*point); });
        return Result::SUCCESS;
    }

    Result on_activate(const rclcpp_lifecycle::State &) override
    {
        desired_.writeFromNonRT(Desired{}); /* what came before does not count */
        return Result::SUCCESS;
    }

    Result on_deactivate(const rclcpp_lifecycle::State &) override
    {
        for (auto &command : command_interfaces_) (void)command.set_value(0.0);
        return Result::SUCCESS;
    }

    controller_interface::return_type update(
        const rclcpp::Time &, const rclcpp::Duration &) override
    {
        const Desired &desired = *desired_.readFromRT();
        std::array<real, out0_size> torque{};
        if (desired.given) compute(desired.q, desired.v, desired.a, torque);
        /* feedback goes here: torque[k] += ... */
        for (std::size_t k = 0; k < joint_count; ++k) {
            (void)command_interfaces_[k].set_value(static_cast<double>(torque[k]));
        }
        return controller_interface::return_type::OK;
    }

private:
    /* Runs in the thread of the node, which may take its time. */
    void receive(const Point &point)
    {
        Desired desired;
        desired.given = true;
        if (!copy(point.positions, desired.q) || !copy(point.velocities, desired.v) ||
            !copy(point.accelerations, desired.a)) {
            RCLCPP_WARN(
                get_node()->get_logger(),
                "positions, velocities and accelerations must be %zu finite numbers each",
                joint_count);
            return;
        }
        desired_.writeFromNonRT(desired);
    }

    static bool copy(const std::vector<double> &from, std::array<real, joint_count> &to)
    {
        if (from.size() != joint_count) return false;
        for (std::size_t k = 0; k < joint_count; ++k) {
            if (!std::isfinite(from[k])) return false;
            to[k] = static_cast<real>(from[k]);
        }
        return true;
    }

    rclcpp::Subscription<Point>::SharedPtr subscription_;
    realtime_tools::RealtimeBuffer<Desired> desired_;
};

}  // namespace $name

PLUGINLIB_EXPORT_CLASS($name::FeedforwardController, controller_interface::ControllerInterface)
