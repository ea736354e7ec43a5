/* SPDX-License-Identifier: MIT */
/* The requests to many sandboxes at once, as the groups serve and pool send them. */
#include <stdio.h>
#include <string.h>

#include "bench/served.h"

const char *sum_text(const char *sandbox)
{
	return call_text("sandbox.repl.run", "bench", sandbox, ",\"language\":\"python\",\"code\":\"1+1\"");
}

const char *crowd_request(void *user, unsigned n)
{
	const unsigned *n_sandboxes = user;
	char name[32];
	snprintf(name, sizeof name, "crowd-%u", n * 7919 % *n_sandboxes);
	if (n % 10 == 3)
		return call_text("sandbox.command.run", "bench", name, ",\"command\":\"true\"");
	if (n % 5 == 4)
		return call_text("sandbox.metrics.get", "bench", name, "");
	return sum_text(name);
}

bool crowd_is_right(void *user, unsigned n, int status, const char *body)
{
	(void)user;
	if (status != 200)
		return false;
	if (n % 10 == 3)
		return strstr(body, "\"exit_code\":0");
	if (n % 5 == 4)
		return strstr(body, "\"running\":true");
	return strstr(body, "\"text\":\"2\"");
}
