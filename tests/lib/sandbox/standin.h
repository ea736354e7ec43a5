/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SANDBOX_STANDIN_H
#define TESTS_SANDBOX_STANDIN_H

/* What a backend of a test's own needs beside its carrier. It stands in the place of the library's table of
 * backends, so a test that includes this must be the only one in its program. */

#include "backend/backend.h"

static const struct backend_ops STANDIN_OPS; /* the test's */

/* In the library's place: the archive's own is not linked. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	(void)name;
	(void)reterr;
	*ret = &STANDIN_OPS;
	return 0;
}

static int standin_probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static size_t standin_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	(void)carrier;
	*ret_guards = NULL;
	return 0;
}

#endif
