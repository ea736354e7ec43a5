/* SPDX-License-Identifier: MIT */
#include "agent/process/limit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/process/proc.h"
#include "agent/process/turns.h"
#include "base/clock.h"

#define MS UINT64_C(1000000)

/* An interrupt may get lost (kernel.h: loses_interrupts). The last step comes at the end of the grace. */
static const struct {
	uint32_t after_ms;
	int signo;
} steps[] = {{0, SIGINT}, {500, SIGINT}, {1000, SIGINT}, {UINT32_MAX, SIGKILL}};
enum {
	STEPS = sizeof steps / sizeof *steps,
	START_MS = 30000, /* more for a process that has not begun to read */
	GRACE_MS = 10000, /* unless the note says another */
	AUTHOR_MS = 5000, /* more for each step of an author that is there */
};

enum { START_BYTES = 200 };

/* The beginning of a line, as a string. */
static void copy_start(char start[START_BYTES], const char *line, size_t n)
{
	snprintf(start, START_BYTES, "%.*s", (int)(n < START_BYTES ? n : START_BYTES - 1), line);
}

void limit_begin(struct proc *proc, const char *note, size_t n)
{
	char start[START_BYTES];
	uint64_t grace_ms = GRACE_MS;
	struct run_limit limit = {.begun_ns = clock_ns()};
	copy_start(start, note, n);
	if (sscanf(start, FRAME_BEGIN_FORMAT, &limit.id, &limit.timeout_ms, &grace_ms) < 2
			|| limit.timeout_ms > UINT32_MAX)
		limit.timeout_ms = 0;
	limit.left_ms = limit.timeout_ms;
	limit.grace_ms = grace_ms < UINT32_MAX ? (uint32_t)grace_ms : UINT32_MAX;
	proc->limit = limit;
}

void limit_restart(struct proc *proc)
{
	proc->limit.begun_ns = clock_ns();
}

void limit_set_clock(struct proc *proc, const char *note, size_t n)
{
	char start[START_BYTES];
	struct run_limit *limit = &proc->limit;
	uint64_t id, timeout_ms, left_ms, code_ms = 0;
	unsigned stops;
	copy_start(start, note, n);
	if (sscanf(start, FRAME_CLOCK_FORMAT, &id, &timeout_ms, &left_ms, &stops, &code_ms) < 4
			|| id != limit->id || !limit->timeout_ms || limit->step || !timeout_ms
			|| timeout_ms > UINT32_MAX || left_ms > UINT32_MAX || code_ms > UINT32_MAX)
		return;
	limit->timeout_ms = timeout_ms;
	limit->left_ms = left_ms;
	limit->code_ms = code_ms;
	limit->stops = stops;
	limit->begun_ns = limit->acted_ns = clock_ns();
	/* The note may be slower than the compiler. */
	if (proc->proc_history && proc->proc_history->newest.has_compiled)
		limit_code_begins(proc);
}

void limit_code_begins(struct proc *proc)
{
	struct run_limit *limit = &proc->limit;
	if (!limit->code_ms || limit->step)
		return;
	limit->left_ms = limit->code_ms;
	limit->code_ms = 0;
	limit->begun_ns = clock_ns();
}

void limit_author_acts(struct proc *proc)
{
	proc->limit.acted_ns = clock_ns();
}

static void resume(struct run_limit *limit, unsigned why)
{
	if (limit->stops & why)
		limit->begun_ns = clock_ns();
	limit->stops &= ~why;
}

void limit_answered(struct proc *proc)
{
	resume(&proc->limit, FRAME_CLOCK_ASKED);
}

void limit_author_gone(struct proc *proc)
{
	resume(&proc->limit, FRAME_CLOCK_PAUSED | FRAME_CLOCK_HELD);
}

/* Has the process been sent a run that has not ended? */
static bool has_run(const struct proc *proc)
{
	return proc->limit.timeout_ms && !proc->exited && proc->proc_history
	       && proc_history_is_open(proc->proc_history);
}

bool limit_is_being_kept(const struct proc *proc)
{
	return proc->limit.step && has_run(proc);
}

static uint32_t after_ms(const struct run_limit *limit)
{
	return steps[limit->step].after_ms < limit->grace_ms ? steps[limit->step].after_ms : limit->grace_ms;
}

/* An author that lives keeps the limit itself. One that was stopped does not, and would make all others wait.
 */
static uint64_t author_is_silent_ns(const struct run_limit *limit)
{
	uint64_t over_ns = limit->begun_ns + limit->left_ms * MS;
	uint64_t ended_ns = limit->acted_ns + limit->grace_ms * MS;
	return (over_ns > ended_ns ? over_ns : ended_ns) + AUTHOR_MS * MS;
}

uint64_t limit_due_ns(const struct proc *proc)
{
	const struct run_limit *limit = &proc->limit;
	if (limit->stops || limit->step == STEPS || !has_run(proc))
		return UINT64_MAX;
	bool has_author = proc->author_client && !limit->step;
	bool has_begun = proc->proc_history->has_greeting;
	if (has_author) /* it decides how long the start may take */
		return has_begun ? author_is_silent_ns(limit) : UINT64_MAX;
	return limit->begun_ns + ((has_begun ? 0 : START_MS) + limit->left_ms + after_ms(limit)) * MS;
}

void limit_check(struct proc *proc, uint64_t now_ns)
{
	struct run_limit *limit = &proc->limit;
	char note[100];
	if (limit_due_ns(proc) > now_ns)
		return;
	int signo = steps[limit->step].signo;
	if (!limit->step) {
		int n = snprintf(note, sizeof note,
				FRAME_LIMIT_MARK ",\"id\":\"%" PRIu64 "\",\"timeout_ms\":%" PRIu64 "%s}\n",
				limit->id, limit->timeout_ms, limit->code_ms ? ",\"compiling\":true" : "");
		limit->begun_ns = now_ns - limit->left_ms * MS; /* it may have been over for long */
		turns_deliver(proc, NULL, note, (size_t)n);
		proc_signal(proc, SIGCONT, true); /* it may have been paused */
	}
	limit->step++;
	proc_signal(proc, signo, signo == SIGKILL);
	output_pump(proc); /* from now on a lone client is judged */
}
