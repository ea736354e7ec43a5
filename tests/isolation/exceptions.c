/* SPDX-License-Identifier: MIT */
#include "isolation/exceptions.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/inside.h"

enum who { ROOT = 1, USER, BOTH, OLD }; /* OLD: only where Landlock does not contain signals */

/* A sandbox that root has started has a user of its own. */
#define SAME_USER "the code runs as you, and Landlock has no right for this"
#define NAMED "Landlock refuses to open files, not to ask for their size, owner and times"
#define HOSTS_NETWORK "there is no network but the host's, and nothing that filters it"
#define WATCHED "no file system of its own: files are counted every 100 ms; too many end the sandbox"
#define SIGNALS "Landlock has no scopes before Linux 6.12"
#define NO_NAMESPACE "there is no namespace of this kind of its own"

/* An attempt of the attacks, which both cases make. */
#define IN(attempt, who, reason) \
	{"nothing_is_open_inside", "open " attempt ": ", who, false, false, reason}, \
	{ \
		"a_network_opens_nothing_else", "open " attempt ": ", who, false, false, reason \
	}

/* Landlock, unless `level` says otherwise. No word: the whole case fails. */
static const struct exception {
	const char *name, *word;
	unsigned who;
	bool is_everywhere; /* with namespaces as well */
	bool depends;       /* on the machine: not checked */
	const char *reason;
} EXCEPTIONS[] = {
		{"the_hosts_files_are_not_there", "can be named: ", BOTH, false, false, NAMED},
		{"only_its_own_processes_are_seen", "numbers of processes", BOTH, false, false,
				"of a process of the host only the number can be seen"},
		{"the_environment_is_its_own", "places: ", BOTH, false, false,
				"without mounts the folder is where it is on the host"},
		{"the_environment_is_its_own", "name of the machine", BOTH, false, false, NO_NAMESPACE},
		{"the_environment_is_its_own", "name of the user: ", BOTH, false, false, NO_NAMESPACE},
		{"it_has_no_privileges", "number of the user: ", BOTH, false, false, NO_NAMESPACE},
		{"there_is_no_network", "no loopback of its own", BOTH, false, false,
				"without a network namespace there are no sockets but pairs"},
		{"the_system_is_read_only", "cannot write in /dev/shm", USER, false, false,
				"the objects there would be among the user's own"},

		IN("touch existence of a host file", BOTH, NAMED),
		IN("touch working directory", BOTH, NAMED),
		IN("touch mode", USER, SAME_USER),
		IN("touch times", USER, SAME_USER),
		IN("touch group", USER, SAME_USER),
		{"nothing_is_open_inside", "open touch extended attribute: ", USER, false, true, SAME_USER},
		{"a_network_opens_nothing_else", "open touch extended attribute: ", USER, false, true,
				SAME_USER},
		IN("processes signals to the host's", USER | OLD, SIGNALS),
		IN("shm read", ROOT,
				"what the host lets everybody read in /dev/shm; POSIX semaphores have no other place"),
		IN("processes namespaces", BOTH, NO_NAMESPACE),
		IN("processes name of the host", BOTH, NO_NAMESPACE),
		IN("privileges bounding set", USER,
				"only root may empty it; nothing gets privileges all the same"),
		IN("setuid mounts", BOTH, "without mounts of its own; nothing gets privileges all the same"),
		{"a_network_opens_nothing_else", "network a way out", BOTH, true, true,
				"that is what it is for"},
		{"a_network_opens_nothing_else", "network devices", BOTH, true, true,
				"that is what it is for"},
		{"a_network_opens_nothing_else", "network loopback of the host: ", BOTH, false, false,
				HOSTS_NETWORK},
		{"a_network_opens_nothing_else", "network loopback of the host, IPv6", BOTH, false, true,
				HOSTS_NETWORK},

		{"all_files_share_one_limit", NULL, BOTH, false, false, WATCHED},
		{"processes_are_counted", NULL, USER, false, true,
				"the kernel counts all processes of the user, who may have others that end meanwhile"},
		{"files_are_counted", NULL, BOTH, false, false, WATCHED},
};

static bool applies(const struct exception *e, const char *name)
{
	bool is_here = e->is_everywhere || inside_isolation == TRM_ISOLATION_LANDLOCK;
	bool is_ours = e->who & (geteuid() == 0 ? ROOT : USER)
		       && !(e->who & OLD && inside_contains_signals());
	return is_here && is_ours && strcmp(e->name, name) == 0;
}

/* ---- complaints --------------------------------------------------------------------------- */

enum { N_EXCEPTIONS = sizeof EXCEPTIONS / sizeof *EXCEPTIONS };

static bool except(const char *name, const char *line, size_t n, bool *seen)
{
	for (size_t i = 0; i < N_EXCEPTIONS; i++) {
		const struct exception *e = &EXCEPTIONS[i];
		if (!e->word || !applies(e, name) || !memmem(line, n, e->word, strlen(e->word)))
			continue;
		seen[i] = true;
		return true;
	}
	return false;
}

void exceptions_check(const char *name, const char *complaints)
{
	bool seen[N_EXCEPTIONS] = {false};
	char wrong[8192] = "";
	size_t n = 0;
	for (const char *at = complaints; *at && n < sizeof wrong;
			at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "\n");
		if (!except(name, at, len, seen))
			n += (size_t)snprintf(wrong + n, sizeof wrong - n, "%.*s\n", (int)len, at);
	}
	for (size_t i = 0; i < N_EXCEPTIONS && n < sizeof wrong; i++) {
		const struct exception *e = &EXCEPTIONS[i];
		if (e->word && applies(e, name) && !seen[i] && !e->depends)
			n += (size_t)snprintf(wrong + n, sizeof wrong - n, "not an exception any more: %s\n",
					e->word);
	}
	if (n)
		fail_msg("%s:\n%s", name, wrong);
}

/* ---- whole cases --------------------------------------------------------------------------- */

static const struct exception *find_case(const char *name)
{
	for (size_t i = 0; i < N_EXCEPTIONS; i++)
		if (!EXCEPTIONS[i].word && applies(&EXCEPTIONS[i], name))
			return &EXCEPTIONS[i];
	return NULL;
}

static int run_quietly(const struct CMUnitTest *test, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	int status, quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(quiet, STDOUT_FILENO);
		dup2(quiet, STDERR_FILENO);
		exit(_cmocka_run_group_tests("exception", test, 1, setup, teardown) != 0);
	}
	close(quiet);
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : 0;
}

/* How many hold after all. */
static int check_case(const struct CMUnitTest *test, const struct exception *e, CMFixtureFunction setup,
		CMFixtureFunction teardown)
{
	bool fails = e->depends || run_quietly(test, setup, teardown) != 0;
	printf("%s: %s: %s\n", fails ? "does not hold" : "NOT AN EXCEPTION ANY MORE", test->name, e->reason);
	return !fails;
}

int exceptions_run(const char *group, const struct CMUnitTest *cases, size_t n, CMFixtureFunction setup,
		CMFixtureFunction teardown)
{
	struct CMUnitTest rest[64];
	size_t n_rest = 0;
	int failed = 0;
	for (size_t i = 0; i < n && n_rest < sizeof rest / sizeof *rest; i++) {
		const struct exception *e = find_case(cases[i].name);
		if (e)
			failed += check_case(&cases[i], e, setup, teardown);
		else
			rest[n_rest++] = cases[i];
	}
	return failed + _cmocka_run_group_tests(group, rest, n_rest, setup, teardown);
}
