/* $generated
 *
 * $name: a function for CasADi, with its Jacobian jac_$name.
 * Compile it to a shared library and load it: casadi.external("$name", "./$name.so").
 *
$comment
 *
 * CasADi's matrices are column by column; wrenches are matrices of a row an order.
 */
#include <math.h>

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif
#ifndef CASADI_SYMBOL_EXPORT
#if defined(_WIN32) || defined(__CYGWIN__)
#define CASADI_SYMBOL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))
#else
#define CASADI_SYMBOL_EXPORT
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

$functions
#ifdef __cplusplus
}
#endif
