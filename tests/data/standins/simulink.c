/* Stand-in for Simulink's simulink.c: runs the block once on what it reads, prints what it gives.

   Every input port is filled from standard input, number by number. */
#include <stdio.h>
#include <stdlib.h>

static double standin_number(int type, const void *signal, int k)
{
    return type == SS_SINGLE ? (double)((const float *)signal)[k] : ((const double *)signal)[k];
}

int main(void)
{
    static SimStruct S;
    mdlInitializeSizes(&S);
    mdlInitializeSampleTimes(&S);
    if (S.period != INHERITED_SAMPLE_TIME || S.sample_times != 1 || S.states != 0) return 2;
    for (int k = 0; k < S.inputs; ++k) {
        if (!S.in[k].contiguous || !S.in[k].feedthrough) return 3;
        S.in[k].signal = calloc((size_t)S.in[k].width, sizeof(double));
        for (int j = 0; j < S.in[k].width; ++j) {
            double value;
            if (scanf("%lf", &value) != 1) return 4;
            if (S.in[k].type == SS_SINGLE) {
                ((float *)S.in[k].signal)[j] = (float)value;
            } else {
                ((double *)S.in[k].signal)[j] = value;
            }
        }
    }
    for (int k = 0; k < S.outputs; ++k) {
        S.out[k].signal = calloc((size_t)S.out[k].width, sizeof(double));
    }
    mdlOutputs(&S, 0);
    for (int k = 0; k < S.outputs; ++k) {
        for (int j = 0; j < S.out[k].width; ++j) {
            printf("out%d[%d] = %.17g\n", k, j, standin_number(S.out[k].type, S.out[k].signal, j));
        }
    }
    mdlTerminate(&S);
    return 0;
}
