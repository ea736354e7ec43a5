/* SPDX-License-Identifier: MIT */

/* All there is in the images without a system: says hello, ends with a code, or stays. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stay"))
		for (;;)
			pause();
	if (argc > 2 && !strcmp(argv[1], "exit"))
		return atoi(argv[2]);
	puts("hello");
	return 0;
}
