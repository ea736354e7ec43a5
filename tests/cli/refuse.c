/* SPDX-License-Identifier: MIT */
/* refuse CALL[=N]… -- COMMAND…: run a command under a seccomp profile that refuses these system calls, or
 * those whose first argument is N, with EPERM, as the profile of a container would. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int refuse(scmp_filter_ctx filter, char *word)
{
	char *equals = strchr(word, '=');
	if (equals)
		*equals = '\0';
	int call = seccomp_syscall_resolve_name(word);
	if (!equals)
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
	const struct scmp_arg_cmp first = {
			.arg = 0, .op = SCMP_CMP_EQ, .datum_a = strtoull(equals + 1, NULL, 0), .datum_b = 0};
	return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, 1, &first);
}

int main(int argc, char **argv)
{
	int i = 1;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (refuse(filter, argv[i]) < 0) {
			fprintf(stderr, "refuse: %s cannot be refused\n", argv[i]);
			return 125;
		}
	if (i + 1 >= argc || seccomp_load(filter) < 0) {
		fputs("refuse: no command, or no filter can be loaded\n", stderr);
		return 125;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror("refuse");
	return 125;
}
