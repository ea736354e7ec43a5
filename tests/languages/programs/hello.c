/* SPDX-License-Identifier: MIT */
#include <stdio.h>
int main(int argc, char **argv)
{
	char line[99] = "nothing\n";
	fgets(line, sizeof line, stdin);
	printf("hello %s %s", argc > 1 ? argv[1] : "-", line);
	return 3;
}
