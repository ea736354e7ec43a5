/* SPDX-License-Identifier: MIT */
#include "agent/batch/line_header.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A header that takes the place of <stdio.h> leaves alone what programs without it define (stdout, setvbuf),
 * and what they define in front of it (_GNU_SOURCE). stdin: then glibc shows a prompt before it waits for an
 * answer, as on a terminal. 101 is the first priority that is not reserved. */
static const char text[] = "#pragma GCC system_header\n"
			   "#include_next <stdio.h>\n"
			   "#ifndef TERRARIUM_LINES\n"
			   "#define TERRARIUM_LINES\n"
			   "__attribute__((__constructor__(101))) static void terrarium_lines(void)\n"
			   "{\n"
			   "\tsetvbuf(stdout, 0, _IOLBF, 0);\n"
			   "\tsetvbuf(stdin, 0, _IOLBF, 0);\n"
			   "}\n"
			   "#endif\n";

void line_header_make(const char *folder)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/stdio.h", folder);
	FILE *f = n < PATH_MAX && mkdir(folder, 0755) == 0 ? fopen(path, "we") : NULL;
	if (!f)
		return;
	bool is_written = fputs(text, f) >= 0;
	if (fclose(f) != 0 || !is_written)
		unlink(path); /* an empty one would hide the real one */
}
