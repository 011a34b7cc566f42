// Stand-in for rclcpp: a node with one subscription, whose callback the test calls.
#pragma once

#include <any>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#define RCLCPP_WARN(logger, ...) ((void)(logger), std::fprintf(stderr, __VA_ARGS__))

namespace rclcpp {

struct Time {};
struct Duration {};
struct SystemDefaultsQoS {};
struct Logger {};

template <class Message>
struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription<Message>>;
};

class Node {
public:
    template <class Message, class Callback>
    std::shared_ptr<Subscription<Message>> create_subscription(
        const std::string &topic_name, const SystemDefaultsQoS &, Callback callback)
    {
        topic = topic_name;
        received = std::function<void(std::shared_ptr<const Message>)>(callback);
        return std::make_shared<Subscription<Message>>();
    }

    template <class Message>
    void publish(const Message &message)
    {
        using Function = std::function<void(std::shared_ptr<const Message>)>;
        std::any_cast<Function>(received)(std::make_shared<const Message>(message));
    }

    Logger get_logger() const { return {}; }
    std::string topic;

private:
    std::any received;
};

}  // namespace rclcpp
