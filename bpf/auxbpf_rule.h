#ifndef R
#define R
#include "auxbpf_shared.h"
#define auxbpf_rule__eval(rule, get, ctx) ((get)((ctx), (rule)->tests[0].field) == (rule)->tests[0].value)
#endif
