/* SPDX-License-Identifier: MIT */
#include "backend/local/filters.h"

#include "seccomp_filters.h"

#define SLICE(array) ((struct slice){(const char *)(array), sizeof(array)})

const char *filters_machine(void)
{
	return SECCOMP_MACHINE;
}

struct slice filters_calls(bool is_strict)
{
	return is_strict ? SLICE(seccomp_calls_strict) : SLICE(seccomp_calls);
}

struct slice filters_arguments(bool is_strict)
{
	return is_strict ? SLICE(seccomp_arguments_strict) : SLICE(seccomp_arguments);
}
