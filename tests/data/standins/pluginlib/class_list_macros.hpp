// Stand-in for pluginlib: the test makes the one exported class.
#pragma once

#define PLUGINLIB_EXPORT_CLASS(Derived, Base) \
    std::unique_ptr<Base> make_controller() { return std::make_unique<Derived>(); }
