/* SPDX-License-Identifier: MIT */
#include "support/namespaces.h"

#include <stdio.h>

/* The script itself: a test that has become another user may not be able to read the tree. */
__asm__(".pushsection .rodata\n"
	"namespaces_script: .incbin \"" TESTS_SOURCE_DIR "/tests/support/namespaces.sh\"\n"
	".byte 0\n"
	".popsection");
extern const char namespaces_script[];

bool namespaces_work(void)
{
	char line[512] = "";
	FILE *f = popen(namespaces_script, "r");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f && pclose(f) == 0)
		return true;
	printf("SKIP: %s", *line ? line : "no shell can be started\n");
	return false;
}
