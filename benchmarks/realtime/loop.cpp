// A control loop around f.hpp, the exported inverse dynamics of order 2: times of its calls.
//
// Usage: loop CALLS PERIOD_NS WHAT.  Every period, by a busy wait for the clock, a new desired motion
// is made and WHAT is called and timed: "compute", "nothing" (the clock alone), "allocating" (one
// malloc a call, for the counter to notice) or, built WITH_PINOCCHIO, a model that it saved: its rnea.
// Prints quantiles in ns, the worst call during which the system did not take the processor away,
// how often it did, and the allocations of all cycles.
#include "f.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" unsigned long allocations(void);
#ifdef WITH_PINOCCHIO
extern "C" bool rnea_load(const char *saved, int size);
extern "C" void rnea(const double *q, const double *v, const double *a, double *torque);
#endif

namespace {

std::array<double, f::q_size> q;
std::array<double, f::v_size> v, a, jerk, snap, torque, rate, second_rate;

void desire(double t)
{
    for (std::size_t k = 0; k < q.size(); ++k) {
        const double w = 1.0 + 0.1 * static_cast<double>(k);
        const double s = 0.3 * std::sin(w * t), c = 0.3 * std::cos(w * t);
        q[k] = s, v[k] = w * c, a[k] = -w * w * s, jerk[k] = -w * w * w * c;
        snap[k] = w * w * w * w * s;
    }
}

void compute() { f::compute(q, v, a, jerk, snap, torque, rate, second_rate); }
#ifdef WITH_PINOCCHIO
void peer() { rnea(q.data(), v.data(), a.data(), torque.data()); }
#endif
void nothing() {}
void allocating()
{
    void *volatile block = std::malloc(64); // volatile: the compiler leaves unused ones out
    std::free(block);
}

std::int64_t now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000 * static_cast<std::int64_t>(t.tv_sec) + t.tv_nsec;
}

long switches()
{
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

} // namespace

int main(int count, char **words)
{
    if (count != 4) return 2;
    const auto calls = static_cast<std::size_t>(std::atoll(words[1]));
    const std::int64_t period = std::atoll(words[2]);
    void (*volatile called)() = !std::strcmp(words[3], "compute")      ? compute
                                : !std::strcmp(words[3], "allocating") ? allocating
                                                                       : nothing;
#ifdef WITH_PINOCCHIO
    if (called == nothing && std::strcmp(words[3], "nothing")) {
        if (!rnea_load(words[3], static_cast<int>(f::v_size))) return 3;
        called = peer;
    }
#endif
    std::vector<std::int64_t> times(calls, 1); // written to: the pages are there
    mlockall(MCL_CURRENT | MCL_FUTURE);
    const unsigned long before = allocations();
    long interrupted = 0;
    std::int64_t next = now(), undisturbed = 0;
    for (std::size_t k = 0; k < calls; ++k) {
        desire(1e-3 * static_cast<double>(k));
        next = std::max(next + period, now()); // a cycle that comes late does not hurry the others
        while (now() < next) {
        }
        const long switched = switches();
        const std::int64_t begin = now();
        called();
        times[k] = now() - begin;
        if (switches() != switched) {
            ++interrupted;
        } else {
            undisturbed = std::max(undisturbed, times[k]);
        }
    }
    const unsigned long allocated = allocations() - before;
    std::sort(times.begin(), times.end());
    const auto quantile = [&](double part) {
        return static_cast<long long>(times[static_cast<std::size_t>(part * double(calls - 1))]);
    };
    std::printf("%lld %lld %lld %lld %lld %ld %lu\n", quantile(0.5), quantile(0.99),
                quantile(0.9999), quantile(1.0), static_cast<long long>(undisturbed), interrupted,
                allocated);
    return 0;
}
