/* Stand-in for Simulink's simstruc.h: what the exported S-function uses, with plain memory. */
#ifndef STANDIN_SIMSTRUC_H
#define STANDIN_SIMSTRUC_H

#if !defined(S_FUNCTION_NAME) || S_FUNCTION_LEVEL != 2
#error "define S_FUNCTION_NAME and S_FUNCTION_LEVEL first"
#endif

typedef int int_T;
typedef double real_T;

enum { SS_DOUBLE, SS_SINGLE };
enum { PORTS = 32 };

typedef struct {
    int_T width, type, contiguous, feedthrough;
    void *signal;
} Port;

typedef struct {
    int_T inputs, outputs, parameters, states, sample_times;
    unsigned options;
    real_T period, offset;
    Port in[PORTS], out[PORTS];
} SimStruct;

#define INHERITED_SAMPLE_TIME (-1.0)
#define SS_OPTION_EXCEPTION_FREE_CODE 1u
#define ssSetNumSFcnParams(S, n) ((S)->parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters)
#define ssGetSFcnParamsCount(S) (0)
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((S)->states += (n))
#define ssSetNumInputPorts(S, n) (((S)->inputs = (n)) <= PORTS)
#define ssSetNumOutputPorts(S, n) (((S)->outputs = (n)) <= PORTS)
#define ssSetInputPortWidth(S, k, n) ((S)->in[k].width = (n))
#define ssSetInputPortDataType(S, k, t) ((S)->in[k].type = (t))
#define ssSetInputPortRequiredContiguous(S, k, yes) ((S)->in[k].contiguous = (yes))
#define ssSetInputPortDirectFeedThrough(S, k, yes) ((S)->in[k].feedthrough = (yes))
#define ssSetOutputPortWidth(S, k, n) ((S)->out[k].width = (n))
#define ssSetOutputPortDataType(S, k, t) ((S)->out[k].type = (t))
#define ssGetInputPortSignal(S, k) ((const void *)(S)->in[k].signal)
#define ssGetOutputPortSignal(S, k) ((S)->out[k].signal)
#define ssSetNumSampleTimes(S, n) ((S)->sample_times = (n))
#define ssSetSampleTime(S, k, t) ((S)->period = (t))
#define ssSetOffsetTime(S, k, t) ((S)->offset = (t))
#define ssSetOptions(S, o) ((S)->options = (o))

#endif
