/* SPDX-License-Identifier: MIT */
/* The front's snprintf() under another name, beside the C library's: both write the same. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

int front_snprintf(char *restrict out, size_t cap, const char *restrict fmt, ...)
		__attribute__((format(printf, 3, 4)));
#define snprintf front_snprintf
#include "front/print.c"
#undef snprintf

/* With all lengths of room, none among them: what does not fit is left out, counted, and ended by a NUL. */
#define SAME(...) \
	do { \
		char mine[80], theirs[80]; \
		for (size_t cap = 0; cap <= sizeof mine; cap++) { \
			memset(mine, '#', sizeof mine); \
			memset(theirs, '#', sizeof theirs); \
			assert_int_equal(front_snprintf(mine, cap, __VA_ARGS__), \
					snprintf(theirs, cap, __VA_ARGS__)); \
			assert_memory_equal(mine, theirs, sizeof mine); \
		} \
	} while (0)

static void texts(void **state)
{
	const char *name = "a name", *none = "";
	(void)state;
	SAME("plain");
	SAME("%s", name);
	SAME("%s/%s", name, none);
	SAME("%.3s|%.100s|%.0s|%.s", name, name, name, name);
	SAME("%.*s|%.*s|%.*s", 2, name, 0, name, -1, name);
	SAME("%s: as long as there is room, and then some more of it", name);
}

static void numbers(void **state)
{
	(void)state;
	SAME("%d %d %d %d", 0, 7, INT_MAX, INT_MIN);
	SAME("%u %u", 0u, UINT_MAX);
	SAME("%ld %ld", LONG_MAX, LONG_MIN);
	SAME("%lu %zu", ULONG_MAX, SIZE_MAX);
	SAME("<run %" PRIu64 ">, pid %ld", UINT64_C(18446744073709551615), -1L);
}

/* With what comes before them, which has been looked at by then. */
static void others_are_the_librarys(void **state)
{
	const char *name = "a name";
	(void)state;
	SAME("%s %d%%", name, 5);
	SAME("%s %g %.10g", name, 0.5, 1e9);
	SAME("%d %x %c %p %lld", 1, 255u, 'c', (const void *)name, 5LL);
	SAME("%s %5d|%-9s|%09u", name, 3, name, 4u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(texts),
			cmocka_unit_test(numbers),
			cmocka_unit_test(others_are_the_librarys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
