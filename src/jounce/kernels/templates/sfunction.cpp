/* $generated
 *
 * A level-2 S-function of Simulink: a port for every argument of $name::compute.
 * In MATLAB: mex -I. ${name}_sfunction.cpp
 * Then give an S-Function block the name ${name}_sfunction.  Ports are vectors; matrices row by row.
 */
#define S_FUNCTION_NAME ${name}_sfunction
#define S_FUNCTION_LEVEL 2

#include "$name.hpp"

extern "C" {

#include "simstruc.h"

static void mdlInitializeSizes(SimStruct *S)
{
    using namespace $name;
    static const std::size_t inputs[] = {$widths_in};
    static const std::size_t outputs[] = {$widths_out};

    ssSetNumSFcnParams(S, 0);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) return; /* Simulink reports it */
    ssSetNumContStates(S, 0);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, $n_in)) return;
    for (int k = 0; k < $n_in; ++k) {
        ssSetInputPortWidth(S, k, static_cast<int_T>(inputs[k]));
        ssSetInputPortDataType(S, k, $type);
        ssSetInputPortRequiredContiguous(S, k, 1);
        ssSetInputPortDirectFeedThrough(S, k, 1);
    }
    if (!ssSetNumOutputPorts(S, $n_out)) return;
    for (int k = 0; k < $n_out; ++k) {
        ssSetOutputPortWidth(S, k, static_cast<int_T>(outputs[k]));
        ssSetOutputPortDataType(S, k, $type);
    }
    ssSetNumSampleTimes(S, 1);
    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, INHERITED_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
}

static void mdlOutputs(SimStruct *S, int_T tid)
{
    using $name::real;
    (void)tid;
    $name::compute(
        $arguments);
}

static void mdlTerminate(SimStruct *S) { (void)S; }

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif

} /* extern "C" */
