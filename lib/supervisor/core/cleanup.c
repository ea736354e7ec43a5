/* SPDX-License-Identifier: MIT */
#include "supervisor/core/cleanup.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/idle_memory.h"
#include "supervisor/core/supervisor.h"
#include "supervisor/limits/folder.h"
#include "supervisor/limits/shm.h"
#include "sweep/sweep.h"

/* Freeing a sandbox's memory takes longest: up to a minute on a busy machine. */
enum { TIMEOUT_MS = 60 * 1000, LONGEST_NAP_MS = 32 };

static const char NAME[] = "terrarium-cleanup";

/* ---- being one --------------------------------------------------------------------- */

static void wait_for_death(pid_t supervisor)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	while (getppid() == supervisor)
		sigwaitinfo(&signals, NULL);
}

/* ---- taking away ------------------------------------------------------------------- */

/* Compares the inode: somebody may have made another entry of the same name since. */
static bool has_entry(const struct supervisor *k, const struct stat *entry)
{
	struct stat st;
	return fstatat(SUPERVISOR_RUN_DIR, k->spec.name, &st, AT_SYMLINK_NOFOLLOW) == 0
	       && st.st_ino == entry->st_ino && st.st_dev == entry->st_dev;
}

/* Kill by user, if the user still belongs to this sandbox, because code may have lowered its process tag. */
static void kill_all(const struct supervisor *k, pid_t supervisor)
{
	struct user user;
	if (!user_take_over(&user, *k->uid)) {
		folder_kill(supervisor, 0);
		return;
	}
	folder_kill(supervisor, user.uid);
	shm_clear(user.uid);
	user_release(&user);
}

static bool take_away(struct supervisor *k, pid_t supervisor, const struct stat *entry)
{
	if (k->spec.isolation != ISOLATION_NAMESPACES && !k->spec.has_plan)
		kill_all(k, supervisor);
	/* Groups of an engine are left to the engine. */
	bool is_empty = k->spec.has_plan || groups_clear(k->groups);
	if (is_empty)
		user_inherit();
	sweep_entry(SUPERVISOR_RUN_DIR, k->spec.name);
	return is_empty && !has_entry(k, entry);
}

static _Noreturn void live(struct supervisor *k, pid_t supervisor, const struct stat *entry)
{
	unsigned waited_ms = 0, nap_ms = 1;
	idle_memory_drop_stack();
	wait_for_death(supervisor);
	/* The supervisor's process group: children that have not made a session of their own yet. */
	kill(-supervisor, SIGKILL);
	while (!take_away(k, supervisor, entry) && waited_ms < TIMEOUT_MS) {
		nanosleep(&(struct timespec){.tv_nsec = nap_ms * 1000000L}, NULL);
		waited_ms += nap_ms;
		nap_ms = nap_ms < LONGEST_NAP_MS ? nap_ms * 2 : nap_ms;
	}
	sweep_directory(SUPERVISOR_RUN_DIR, k->spec.run_path);
	container_inherit(k);
	_exit(0);
}

void *cleanup_shared(size_t n)
{
	void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

pid_t cleanup_start(struct supervisor *k, char *program)
{
	struct stat entry = {0};
	pid_t supervisor = getpid();
	fstat(SUPERVISOR_ENTRY_DIR, &entry);
	pid_t pid = fork();
	if (pid)
		return pid;
	fds_close_all_but(SUPERVISOR_RUN_DIR);
	setsid();
	prctl(PR_SET_NAME, NAME);
	if (program)
		strncpy(program, NAME, strlen(program));
	live(k, supervisor, &entry);
}

void cleanup_dismiss(pid_t cleanup)
{
	if (cleanup > 0 && kill(cleanup, SIGKILL) == 0)
		waitpid(cleanup, NULL, 0);
}
