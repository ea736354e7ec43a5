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

/* An interrupt may get lost (kernel.h: loses_interrupts). */
static const struct {
	uint32_t after_ms;
	int signo;
} steps[] = {{0, SIGINT}, {500, SIGINT}, {1000, SIGINT}, {2000, SIGKILL}};
enum {
	STEPS = sizeof steps / sizeof *steps,
	START_MS = 30000, /* more for a process that has not begun to read */
};

void limit_begin(struct proc *proc, const char *note, size_t n)
{
	char start[200];
	struct run_limit limit = {.begun_ns = clock_ns()};
	snprintf(start, sizeof start, "%.*s", (int)(n < sizeof start ? n : sizeof start - 1), note);
	if (sscanf(start, FRAME_BEGIN_FORMAT, &limit.id, &limit.timeout_ms) != 2
			|| limit.timeout_ms > UINT32_MAX)
		limit.timeout_ms = 0;
	proc->limit = limit;
}

void limit_restart(struct proc *proc)
{
	proc->limit.begun_ns = clock_ns();
}

uint64_t limit_due_ns(const struct proc *proc)
{
	const struct run_limit *limit = &proc->limit;
	if (!limit->timeout_ms || proc->author || proc->exited || limit->step == STEPS || !proc->proc_history
			|| !proc_history_is_open(proc->proc_history))
		return UINT64_MAX;
	uint64_t start_ms = proc->proc_history->has_greeting ? 0 : START_MS;
	return limit->begun_ns + (start_ms + limit->timeout_ms + steps[limit->step].after_ms) * MS;
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
				FRAME_LIMIT_MARK ",\"id\":\"%" PRIu64 "\",\"timeout_ms\":%" PRIu64 "}\n",
				limit->id, limit->timeout_ms);
		limit->begun_ns = now_ns - limit->timeout_ms * MS; /* it may have been over for long */
		turns_deliver(proc, NULL, note, (size_t)n);
		proc_signal(proc, SIGCONT, true); /* it may have been paused */
	}
	limit->step++;
	proc_signal(proc, signo, signo == SIGKILL);
}
