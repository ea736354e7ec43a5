/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_FILTERS_H
#define TRM_LOCAL_FILTERS_H

/* The seccomp programs that seccomp_gen made at build time. */

#include "wire/lifeline.h"

const char *filters_machine(void); /* what uname() must say: "x86_64" */
struct slice filters_calls(bool is_strict);
struct slice filters_arguments(bool is_strict);

#endif
