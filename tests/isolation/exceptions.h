/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ISOLATION_EXCEPTIONS_H
#define TESTS_ISOLATION_EXCEPTIONS_H

/* What does not hold at the level Landlock, with the reason. Each exception is checked: one that holds after
 * all fails the test, so that its row is removed. */

#include "cmocka_all.h"

/* What a case has found, one complaint a line. Fails for each line that no row of the case excepts, and for
 * each row of the case that excepts no line. */
void exceptions_check(const char *name, const char *complaints);

/* Run the cases as a group. Those that have a row of their own run alone, in a child, and must fail there. */
int exceptions_run(const char *group, const struct CMUnitTest *cases, size_t n, CMFixtureFunction setup,
		CMFixtureFunction teardown);
#define EXCEPTIONS_RUN(group, cases, setup, teardown) \
	exceptions_run(group, cases, sizeof(cases) / sizeof *(cases), setup, teardown)

#endif
