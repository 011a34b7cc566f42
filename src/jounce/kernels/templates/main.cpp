/* $generated
 *
 * Calls the function on a fixed sample and prints what it returns.
 */
#include "$name.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

static void print(const char *name, const $real *values, int count)
{
    for (int k = 0; k < count; ++k) {
        std::printf("%s[%d] = %.17g\n", name, k, static_cast<double>(values[k]));
    }
}

int main()
{
$inputs
$outputs

    $name::compute($arguments);
$prints
    return 0;
}
