/* $generated
 *
 * Calls the function on a fixed sample and prints what it returns.
 */
#include <stdio.h>

#include "$name.h"

static void print(const char *name, const $real *values, int count)
{
    int k;
    for (k = 0; k < count; ++k) {
        printf("%s[%d] = %.17g\n", name, k, (double)values[k]);
    }
}

int main(void)
{
$inputs
$outputs

    $name($arguments);
$prints
    return 0;
}
