// Stand-in for rclcpp_lifecycle.
#pragma once

namespace rclcpp_lifecycle {
struct State {};
}  // namespace rclcpp_lifecycle
