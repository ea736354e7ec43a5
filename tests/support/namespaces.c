/* SPDX-License-Identifier: MIT */
#include "support/namespaces.h"

#include <stdio.h>

bool namespaces_work(void)
{
	char line[512] = "";
	FILE *f = popen("exec sh '" TESTS_SOURCE_DIR "/tests/support/namespaces.sh'", "r");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f && pclose(f) == 0)
		return true;
	printf("SKIP: %s", *line ? line : "namespaces.sh cannot be run\n");
	return false;
}
