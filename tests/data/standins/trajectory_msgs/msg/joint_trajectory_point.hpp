// Stand-in for trajectory_msgs.
#pragma once

#include <memory>
#include <vector>

namespace trajectory_msgs::msg {

struct JointTrajectoryPoint {
    using ConstSharedPtr = std::shared_ptr<const JointTrajectoryPoint>;
    std::vector<double> positions, velocities, accelerations, effort;
};

}  // namespace trajectory_msgs::msg
