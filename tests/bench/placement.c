/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "bench/served.h"

/* The n-th of those that we were given, or the last one. */
static void detach_on(const cpu_set_t *given, int n)
{
	cpu_set_t one;
	int last = 0;
	for (int i = 0; i < CPU_SETSIZE && n >= 0; i++)
		if (CPU_ISSET(i, given)) {
			last = i;
			n--;
		}
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void place(enum placement where, int n)
{
	static cpu_set_t given; /* before we chose among them */
	if (!CPU_COUNT(&given))
		sched_getaffinity(0, sizeof given, &given);
	if (where == PLACE_ANYWHERE)
		sched_setaffinity(0, sizeof given, &given);
	else
		detach_on(&given, where == PLACE_APART ? n : 0);
}

void place_servers(enum placement where)
{
	place(where, 1);
}

void place_client(enum placement where)
{
	place(where, 0);
}
