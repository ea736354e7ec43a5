/* SPDX-License-Identifier: MIT */
#include "keeper/heir.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/folder.h"
#include "keeper/keeper.h"
#include "sweep/sweep.h"

/* Long enough for what takes the kernel longest: to free a sandbox's memory on a busy machine. */
enum { PATIENCE_MS = 60 * 1000, LONGEST_NAP_MS = 32 };

static const char NAME[] = "terrarium-heir";

/* ---- being one --------------------------------------------------------------------- */

static void close_all_but(unsigned fd)
{
	if (syscall(SYS_close_range, 0u, fd - 1, 0u) == 0 && syscall(SYS_close_range, fd + 1, ~0u, 0u) == 0)
		return;
	for (int i = 0; i < 1024; i++) /* Linux before 5.9 */
		if (i != (int)fd)
			close(i);
}

static void wait_for_death(pid_t keeper)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	while (getppid() == keeper)
		sigwaitinfo(&signals, NULL);
}

/* ---- taking away ------------------------------------------------------------------- */

/* Our entry, not one of the same name that somebody has made since. */
static bool has_entry(const struct keeper *k, const struct stat *entry)
{
	struct stat st;
	return fstatat(KEEPER_RUN_DIR, k->spec.name, &st, AT_SYMLINK_NOFOLLOW) == 0
	       && st.st_ino == entry->st_ino && st.st_dev == entry->st_dev;
}

/* By the user, if that is still the sandbox's, as code may have lowered its mark. */
static void kill_all(const struct keeper *k, pid_t keeper)
{
	struct user user;
	if (!user_take_over(&user, *k->uid)) {
		folder_kill(keeper, 0);
		return;
	}
	folder_kill(keeper, user.uid);
	folder_clear_shm(user.uid);
	user_release(&user);
}

static bool take_away(struct keeper *k, pid_t keeper, const struct stat *entry)
{
	if (k->spec.isolation != ISOLATION_NAMESPACES && !k->spec.has_plan)
		kill_all(k, keeper);
	bool is_empty = k->spec.has_plan || groups_clear(k->groups); /* an engine's are the engine's */
	if (is_empty)
		user_inherit();
	sweep_entry(KEEPER_RUN_DIR, k->spec.name);
	return is_empty && !has_entry(k, entry);
}

static _Noreturn void live(struct keeper *k, pid_t keeper, const struct stat *entry)
{
	unsigned waited_ms = 0, nap_ms = 1;
	wait_for_death(keeper);
	kill(-keeper, SIGKILL); /* its process group: what has not got as far as a session of its own */
	while (!take_away(k, keeper, entry) && waited_ms < PATIENCE_MS) {
		nanosleep(&(struct timespec){.tv_nsec = nap_ms * 1000000L}, NULL);
		waited_ms += nap_ms;
		nap_ms = nap_ms < LONGEST_NAP_MS ? nap_ms * 2 : nap_ms;
	}
	sweep_directory(KEEPER_RUN_DIR, k->spec.run_path);
	recipe_inherit(k);
	_exit(0);
}

void *heir_shared(size_t n)
{
	void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

pid_t heir_start(struct keeper *k, char *program)
{
	struct stat entry = {0};
	pid_t keeper = getpid();
	fstat(KEEPER_ENTRY_DIR, &entry);
	pid_t pid = fork();
	if (pid)
		return pid;
	close_all_but(KEEPER_RUN_DIR);
	setsid();
	prctl(PR_SET_NAME, NAME);
	if (program)
		strncpy(program, NAME, strlen(program));
	live(k, keeper, &entry);
}

void heir_dismiss(pid_t heir)
{
	if (heir > 0 && kill(heir, SIGKILL) == 0)
		waitpid(heir, NULL, 0);
}
