/* SPDX-License-Identifier: MIT */
#include "agent/core/process_tree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/procstat.h"

enum { MAX_ROUNDS = 64, QUIET_ROUNDS = 2, FIRST_SENT = 64 };
#define FIRST_MARK (UINT64_C(1) << 40)

static struct tree_row *find(const struct tree *tree, pid_t pid)
{
	size_t low = 0, high = tree->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (tree->rows[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < tree->n && tree->rows[low].pid == pid ? &tree->rows[low] : NULL;
}

/* Select all descendants of root and of selected processes. */
static void spread(struct tree *tree, pid_t root)
{
	bool changed = true;
	/* Children mostly have higher pids than their parents, so the first round selects all and the
	 * second finds no more. */
	while (changed) {
		changed = false;
		for (size_t i = 0; i < tree->n; i++) {
			struct tree_row *row = &tree->rows[i], *parent = find(tree, row->ppid);
			if (row->selected || row->pid == root)
				continue;
			bool is_roots = root && (row->ppid == root || row->session == root);
			if (!is_roots && !(parent && parent->selected))
				continue;
			row->selected = changed = true;
		}
	}
}

void tree_select(struct tree *tree, pid_t root, bool with_itself)
{
	spread(tree, root);
	struct tree_row *self = find(tree, root);
	if (self)
		self->selected = with_itself;
}

/* ---- marks --------------------------------------------------------------------------------- */

uint64_t tree_first_mark(void)
{
	struct rlimit now;
	bool is_free = getrlimit(RLIMIT_LOCKS, &now) == 0 && now.rlim_max > FIRST_MARK;
	return is_free ? FIRST_MARK : now.rlim_max; /* less in an agent that runs in a sandbox itself */
}

void tree_set_mark(uint64_t mark)
{
	const struct rlimit limit = {mark, mark};
	if (mark)
		setrlimit(RLIMIT_LOCKS, &limit);
}

/* Processes whose parents have ended are our children. */
static void select_marked(struct tree *tree, uint64_t mark)
{
	pid_t self = getpid();
	for (size_t i = 0; i < tree->n; i++) {
		struct tree_row *row = &tree->rows[i];
		if (row->ppid == self && !row->selected)
			row->selected = procstat_tag(row->pid) == mark;
	}
	spread(tree, 0);
}

/* ---- signals -------------------------------------------------------------------------------- */

/* Pids that got the signal. */
struct sent {
	pid_t *pids;
	size_t n, cap;
};

static bool sent_has(const struct sent *sent, pid_t pid)
{
	for (size_t i = 0; i < sent->n; i++)
		if (sent->pids[i] == pid)
			return true;
	return false;
}

static void sent_add(struct sent *sent, pid_t pid)
{
	if (sent->n == sent->cap) {
		size_t cap = sent->cap ? sent->cap * 2 : FIRST_SENT;
		pid_t *pids = realloc(sent->pids, cap * sizeof *pids);
		if (!pids)
			return;
		sent->pids = pids;
		sent->cap = cap;
	}
	sent->pids[sent->n++] = pid;
}

/* The processes to signal, of those that a scan has found. */
struct aim {
	pid_t root;
	bool with_itself;
	bool with_orphans;
	uint64_t mark; /* process tag of other orphans; 0: none */
	const pid_t *spared;
	size_t n_spared;
	uint64_t since_ticks;
};

static bool is_spared(const struct aim *aim, pid_t pid)
{
	for (size_t i = 0; i < aim->n_spared; i++)
		if (aim->spared[i] == pid)
			return true;
	return false;
}

/* Orphans have become our children although we did not start them, or are about to: their parent ended
 * during the scan. */
static void select_orphans(struct tree *tree, const struct aim *aim)
{
	const pid_t self = getpid();
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_row *row = &tree->rows[i];
		bool is_orphan = row->ppid == self || (row->ppid && !find(tree, row->ppid));
		if (is_orphan && !row->selected && row->pid != aim->root && !is_spared(aim, row->pid))
			tree_select(tree, row->pid, true);
	}
}

static void select_aim(struct tree *tree, const struct aim *aim)
{
	if (aim->root)
		tree_select(tree, aim->root, aim->with_itself);
	if (aim->mark)
		select_marked(tree, aim->mark);
	if (aim->with_orphans)
		select_orphans(tree, aim);
	for (size_t i = 0; i < tree->n; i++)
		tree->rows[i].selected &= tree->rows[i].start_ticks >= aim->since_ticks
					  && !is_spared(aim, tree->rows[i].pid);
}

/* Scan /proc once. Returns true if a new process was found. */
static bool send_round(struct tree *tree, struct sent *sent, const struct aim *aim, int signo)
{
	bool found = false;
	if (tree_scan(tree) < 0)
		return false;
	select_aim(tree, aim);
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_row *row = &tree->rows[i];
		if (!row->selected || row->state == 'Z' || sent_has(sent, row->pid))
			continue;
		kill(row->pid, signo);
		sent_add(sent, row->pid);
		found = true;
	}
	return found;
}

static void signal_aim(const struct aim *aim, int signo)
{
	struct tree tree = {0};
	struct sent sent = {0};
	int round_signo = signo == SIGKILL ? SIGSTOP : signo;
	/* One scan may miss a process that is just changing its parent. Two scans in a row do not. */
	for (int round = 0, quiet = 0; round < MAX_ROUNDS && quiet < QUIET_ROUNDS; round++)
		quiet = send_round(&tree, &sent, aim, round_signo) ? 0 : quiet + 1;
	for (size_t i = 0; signo == SIGKILL && i < sent.n; i++)
		kill(sent.pids[i], SIGKILL);
	free(sent.pids);
	tree_finish(&tree);
}

void tree_signal(pid_t root, uint64_t mark, int signo)
{
	signal_aim(&(struct aim){.root = root, .with_itself = true, .mark = mark}, signo);
	if (root && signo == SIGKILL)
		kill(-root, SIGKILL); /* reaches its process group even if /proc or memory fails */
}

void tree_signal_below(pid_t root, int signo)
{
	signal_aim(&(struct aim){.root = root}, signo);
}

void tree_kill_leftovers(pid_t root, uint64_t mark, const pid_t *spared, size_t n, uint64_t since_ms)
{
	const struct aim aim = {.root = root,
			.with_orphans = !mark,
			.mark = mark,
			.spared = spared,
			.n_spared = n,
			.since_ticks = since_ms * (uint64_t)sysconf(_SC_CLK_TCK) / 1000};
	signal_aim(&aim, SIGKILL);
}

bool tree_is_below(pid_t pid)
{
	struct tree tree = {0};
	bool is_below = false;
	if (tree_scan(&tree) == 0) {
		const struct tree_row *row = find(&tree, pid);
		tree_select(&tree, getpid(), true);
		is_below = !row || row->selected;
	}
	tree_finish(&tree);
	return is_below;
}

/* Check again while the pidfd is open: from then on the pid cannot pass to another process. */
static int check_target(pid_t pid, uint64_t start_ticks)
{
	struct tree tree = {0};
	int r = tree_scan(&tree);
	if (r == 0 && getpid() != 1)
		tree_select(&tree, getpid(), false);
	const struct tree_row *row = r == 0 ? find(&tree, pid) : NULL;
	if (r == 0 && (!row || (start_ticks && row->start_ticks != start_ticks)))
		r = TRM_ENOENT;
	else if (r == 0 && (pid == getpid() || (getpid() != 1 && !row->selected)))
		r = TRM_EPERM;
	tree_finish(&tree);
	return r;
}

int tree_signal_one(pid_t pid, uint64_t start_ticks, int signo, bool has_tree)
{
	enum { SYS_PIDFD_SEND_SIGNAL = 424, SYS_PIDFD_OPEN = 434 };
	int pidfd = pid > 0 ? (int)syscall(SYS_PIDFD_OPEN, pid, 0) : -1;
	int r = pid > 0 ? check_target(pid, start_ticks) : TRM_ENOENT;
	if (r == 0 && has_tree)
		tree_signal(pid, 0, signo);
	else if (r == 0 && pidfd >= 0)
		r = syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signo, NULL, 0) < 0 ? TRM_ENOENT : 0;
	else if (r == 0) /* before Linux 5.3 */
		r = kill(pid, signo) < 0 ? TRM_ENOENT : 0;
	if (pidfd >= 0)
		close(pidfd);
	return r;
}
