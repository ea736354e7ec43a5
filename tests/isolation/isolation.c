/* SPDX-License-Identifier: MIT */

/* isolation root | user [landlock [ABI]]: all cases as one of them, in sandboxes of that level; with an older
 * version of Landlock only the walls and attacks. */

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/level.h"
#include "cmocka_all.h"
#include "isolation/cases.h"
#include "isolation/inside.h"
#include "support/namespaces.h"

enum { NOBODY = 65534 };

static int run_all(void)
{
	struct trm_error e;
	/* About namespaces not the library is asked: if it were wrong, nothing would be tested. */
	if (inside_isolation != TRM_ISOLATION_LANDLOCK) {
		if (!namespaces_work())
			return TEST_SKIPPED;
	} else if (level_check(ISOLATION_LANDLOCK, &e) < 0) {
		printf("SKIP: %s\n", e.msg);
		return TEST_SKIPPED;
	}
	int failed = cases_walls();
	failed += cases_attacks();
	if (getenv("TERRARIUM_LANDLOCK_ABI"))
		return failed ? 1 : 0;
	failed += cases_limits();
	failed += cases_usable();
	failed += cases_leftovers();
	return failed ? 1 : 0;
}

static void become_nobody(const char *run_dir)
{
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0
			|| setresuid(NOBODY, NOBODY, NOBODY) < 0) {
		perror("cannot become an ordinary user");
		_exit(1);
	}
	prctl(PR_SET_DUMPABLE, 1); /* the change has closed our own /proc entries */
	setenv("XDG_RUNTIME_DIR", run_dir, 1);
	setenv("HOME", run_dir, 1);
	setenv("TMPDIR", "/tmp", 1); /* root's own may be closed to him */
	if (chdir("/") < 0)
		_exit(1);
}

/* As nobody, with a runtime directory of its own, which must be empty in the end. */
static int run_all_as_nobody(void)
{
	char run_dir[] = "/tmp/isolation-XXXXXX";
	int status;
	if (!mkdtemp(run_dir) || chown(run_dir, NOBODY, NOBODY) < 0) {
		perror(run_dir);
		return 1;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		become_nobody(run_dir);
		exit(run_all());
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	if (rmdir(run_dir) < 0) {
		perror("left behind in the runtime directory");
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	bool wants_root = argc > 1 && !strcmp(argv[1], "root");
	bool wants_user = argc > 1 && !strcmp(argv[1], "user");
	bool wants_landlock = argc >= 3 && argc <= 4 && !strcmp(argv[2], "landlock");
	if ((!wants_root && !wants_user) || (argc != 2 && !wants_landlock)) {
		fprintf(stderr, "usage: isolation root | user [landlock [ABI]]\n");
		return 2;
	}
	if (wants_landlock)
		inside_isolation = TRM_ISOLATION_LANDLOCK;
	if (argc == 4)
		setenv("TERRARIUM_LANDLOCK_ABI", argv[3], 1);
	if (wants_root && geteuid() != 0) {
		printf("SKIP: not root\n");
		return TEST_SKIPPED;
	}
	attacks_open();
	return wants_user && geteuid() == 0 ? run_all_as_nobody() : run_all();
}
