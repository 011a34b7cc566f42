CASADI_SYMBOL_EXPORT int $name(
    const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)
{
    static const casadi_real zeros[$largest] = {0.0}; /* what CasADi leaves out is zero */
    (void)zeros;
    (void)arg;
    (void)res;
    (void)iw;
    (void)w;
    (void)mem;
    $kernel(
        $arguments);
    return 0;
}

CASADI_SYMBOL_EXPORT casadi_int ${name}_n_in(void) { return $n_in; }

CASADI_SYMBOL_EXPORT casadi_int ${name}_n_out(void) { return $n_out; }

CASADI_SYMBOL_EXPORT const char *${name}_name_in(casadi_int i)
{
    switch (i) {
$names_in
    default: return 0;
    }
}

CASADI_SYMBOL_EXPORT const char *${name}_name_out(casadi_int i)
{
    switch (i) {
$names_out
    default: return 0;
    }
}

CASADI_SYMBOL_EXPORT const casadi_int *${name}_sparsity_in(casadi_int i)
{
    switch (i) {
$sparsity_in
    default: return 0;
    }
}

CASADI_SYMBOL_EXPORT const casadi_int *${name}_sparsity_out(casadi_int i)
{
    switch (i) {
$sparsity_out
    default: return 0;
    }
}

CASADI_SYMBOL_EXPORT int ${name}_work(
    casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)
{
    if (sz_arg) *sz_arg = $n_in;
    if (sz_res) *sz_res = $n_out;
    if (sz_iw) *sz_iw = 0;
    if (sz_w) *sz_w = $work;
    return 0;
}
