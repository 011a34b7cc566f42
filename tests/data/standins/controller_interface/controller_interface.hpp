// Stand-in for ros2_control's controller_interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"

namespace hardware_interface {
struct LoanedCommandInterface {
    double value = -1.0;
    [[nodiscard]] bool set_value(double x)
    {
        value = x;
        return true;
    }
};
}  // namespace hardware_interface

namespace controller_interface {

enum class return_type { OK, ERROR };
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };

struct InterfaceConfiguration {
    interface_configuration_type type;
    std::vector<std::string> names = {};
};

class ControllerInterface {
public:
    virtual ~ControllerInterface() = default;
    virtual InterfaceConfiguration command_interface_configuration() const = 0;
    virtual InterfaceConfiguration state_interface_configuration() const = 0;
    virtual CallbackReturn on_init() = 0;
    virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
    virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
    virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) = 0;
    virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;

    std::shared_ptr<rclcpp::Node> get_node() const { return node_; }
    std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;

private:
    std::shared_ptr<rclcpp::Node> node_ = std::make_shared<rclcpp::Node>();
};

}  // namespace controller_interface
