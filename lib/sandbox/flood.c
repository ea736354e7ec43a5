/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>

#include "sandbox/sandbox.h"

enum { GRACE_MS = 2000 };

static void on_grace(void *user)
{
	trm_proc_signal(user, SIGKILL, TRM_SIGNAL_TREE);
}

int flood_init(struct flood *flood, struct trm_proc *proc, struct trm_loop *loop, uint64_t max_bytes,
		struct trm_error *reterr)
{
	*flood = (struct flood){.max_bytes = max_bytes};
	return max_bytes ? trm_loop_add_timer(loop, on_grace, proc, &flood->grace, reterr) : 0;
}

void flood_finish(struct flood *flood)
{
	trm_timer_remove(flood->grace);
	*flood = (struct flood){0};
}

size_t flood_admit(struct flood *flood, struct trm_proc *proc, size_t n)
{
	uint64_t left = flood->max_bytes - flood->printed_bytes;
	if (!flood->max_bytes)
		return n;
	if (n > left) {
		n = (size_t)left;
		if (!flood->is_over && trm_proc_signal(proc, SIGINT, TRM_SIGNAL_TREE) == 0)
			trm_timer_start(flood->grace, GRACE_MS, 0);
		flood->is_over = true;
	}
	flood->printed_bytes += n;
	return n;
}

void flood_describe(uint64_t max_bytes, char *out, size_t cap)
{
	snprintf(out, cap, "interrupted: it printed more than the output limit of %g MiB",
			(double)max_bytes / (1024 * 1024));
}

const char *trm_exit_describe(const struct trm_exit *exit, char *out, size_t cap)
{
	if (exit->over_output_bytes)
		flood_describe(exit->over_output_bytes, out, cap);
	else if (cap)
		out[0] = '\0';
	return out;
}
