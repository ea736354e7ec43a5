/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NAMESPACES_H
#define TESTS_NAMESPACES_H

#include <stdbool.h>

/* Do namespaces work here, as sandboxes of the level "namespaces" need them? If not, prints "SKIP: " and the
 * reason; the test then ends with exit code TEST_SKIPPED. namespaces.sh beside this file is asked. */
bool namespaces_work(void);

enum { TEST_SKIPPED = 77 };

#endif
