/* SPDX-License-Identifier: MIT */
#include "backend/host/filters.h"

#include "base/landlock.h"
#include "seccomp_filters.h"

#define SLICE(array) ((struct slice){(const char *)(array), sizeof(array)})

const char *filters_machine(void)
{
	return SECCOMP_MACHINE;
}

struct filters filters_of_namespaces(void)
{
	return (struct filters){SLICE(seccomp_calls), SLICE(seccomp_arguments), SLICE(seccomp_calls_strict),
			SLICE(seccomp_arguments_strict), {NULL, 0}};
}

static struct slice older_than(uint32_t abi)
{
	if (abi < LANDLOCK_ABI_TRUNCATE)
		return SLICE(seccomp_older_no_truncate);
	return abi < LANDLOCK_ABI_SCOPES ? SLICE(seccomp_older_no_scopes) : (struct slice){NULL, 0};
}

struct filters filters_of_landlock(bool has_net, uint32_t abi)
{
	struct filters f = {SLICE(seccomp_calls_bare), SLICE(seccomp_arguments_bare),
			SLICE(seccomp_calls_bare_strict), SLICE(seccomp_arguments_bare_strict),
			older_than(abi)};
	if (has_net) {
		f.arguments = SLICE(seccomp_arguments_bare_network);
		f.arguments_strict = SLICE(seccomp_arguments_bare_network_strict);
	}
	return f;
}
