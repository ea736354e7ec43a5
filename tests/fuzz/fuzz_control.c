/* SPDX-License-Identifier: MIT */
/* What lies in a sandbox's entry, the plan of a recipe, and what supervisors and clients tell each other:
 * read by those who find them, of whatever version the writer is. The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "fuzz/old/old.h"
#include "wire/control.h"
#include "wire/fd_handoff.h"
#include "wire/plan.h"

/* Both writers were given the same message. */
static void compare_written(struct buf *one, struct buf *other, int r, int r_other)
{
	if (r != r_other || one->len != other->len
			|| (one->len && memcmp(buf_at(one), buf_at(other), one->len) != 0))
		abort();
	buf_finish(one);
	buf_finish(other);
}

static void read_spec(const uint8_t *bytes, size_t n)
{
	struct spec_msg spec, old;
	struct buf one, other;
	int r = spec_msg_get(bytes, n, &spec), r_old = old_spec_msg_get(bytes, n, &old);
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, CONTROL_MAX_BYTES);
	buf_init(&other, CONTROL_MAX_BYTES);
	r = spec_msg_put(&one, &spec);
	r_old = old_spec_msg_put(&other, &old);
	compare_written(&one, &other, r, r_old);
	old_spec_msg_finish(&old);
	if (spec.n_files > CONTROL_MAX_FILES || spec.n_mounts > CONTROL_MAX_MOUNTS)
		abort();
	spec_msg_finish(&spec);
}

static int put_old(struct buf *out, const struct control_msg *m)
{
	switch (m->type) {
	case CONTROL_READY: return old_ready_msg_put(out, &m->ready);
	case CONTROL_GONE: return old_gone_msg_put(out, &m->gone);
	case CONTROL_OOM: return old_oom_msg_put(out, m->oom_kills);
	case CONTROL_REFUSED: return old_refused_msg_put(out, m->n_refused, m->refused);
	case CONTROL_PROGRESS: return old_progress_msg_put(out, m->progress);
	case CONTROL_LOST: return old_lost_msg_put(out, m->lost);
	default: abort();
	}
}

static void read_line(const uint8_t *bytes, size_t n)
{
	struct control_msg msg, old;
	struct buf one, other;
	int r = control_get(bytes, n, &msg), r_old = old_control_get(bytes, n, &old);
	if (r < 0 && r_old == 0 && old.type == CONTROL_READY && old.ready.kind > LIMITS_ENGINE) {
		old_control_finish(&old); /* the new reader is stricter */
		return;
	}
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, CONTROL_MAX_BYTES);
	buf_init(&other, CONTROL_MAX_BYTES);
	r = control_put(&one, &msg);
	r_old = put_old(&other, &old);
	compare_written(&one, &other, r, r_old);
	control_finish(&msg);
	old_control_finish(&old);
}

static void read_request(const uint8_t *bytes, size_t n)
{
	struct control_msg msg;
	struct buf b;
	if (request_get(bytes, n, &msg) < 0)
		return;
	buf_init(&b, CONTROL_MAX_BYTES);
	if (control_put(&b, &msg) < 0 || b.len > n)
		abort();
	buf_finish(&b);
}

static void read_info(const uint8_t *bytes, size_t n)
{
	struct info_msg info, old;
	struct buf one, other;
	int r = info_msg_get(bytes, n, &info), r_old = old_info_msg_get(bytes, n, &old);
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, CONTROL_MAX_BYTES);
	buf_init(&other, CONTROL_MAX_BYTES);
	r = info_msg_put(&one, &info);
	r_old = old_info_msg_put(&other, &old);
	compare_written(&one, &other, r, r_old);
	old_info_msg_finish(&old);
	if (!info.command || !info.boot_id || strlen(info.boot_id) > INFO_MAX_BYTES)
		abort();
	info_msg_finish(&info);
}

static void read_state(const uint8_t *bytes, size_t n)
{
	struct state_msg state, old;
	struct buf one, other;
	int r = state_msg_get(bytes, n, &state), r_old = old_state_msg_get(bytes, n, &old);
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, CONTROL_MAX_BYTES);
	buf_init(&other, CONTROL_MAX_BYTES);
	r = state_msg_put(&one, &state);
	r_old = old_state_msg_put(&other, &old);
	compare_written(&one, &other, r, r_old);
}

static void read_report(const uint8_t *bytes, size_t n)
{
	struct handoff_report report, old;
	struct buf one, other;
	int r = handoff_report_get(bytes, n, &report), r_old = old_handoff_report_get(bytes, n, &old);
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, CONTROL_MAX_BYTES);
	buf_init(&other, CONTROL_MAX_BYTES);
	r = handoff_report_put(&one, &report);
	r_old = old_handoff_report_put(&other, &old);
	compare_written(&one, &other, r, r_old);
	handoff_report_finish(&report);
	old_handoff_report_finish(&old);
}

static size_t count_args(struct slice step)
{
	bool is_first;
	size_t n = 0;
	while (plan_arg_next(&step, &is_first))
		n++;
	return n;
}

/* A plan that was read is a plan: written, it is read again as the same one. */
static void read_plan(const uint8_t *bytes, size_t n)
{
	struct plan_msg plan, again, old;
	struct buf out, one, other;
	int r = plan_msg_get(bytes, n, &plan), r_old = old_plan_msg_get(bytes, n, &old);
	if (r != r_old)
		abort();
	if (r < 0)
		return;
	buf_init(&one, PLAN_MAX_BYTES);
	buf_init(&other, PLAN_MAX_BYTES);
	r = plan_msg_put(&one, &plan);
	r_old = old_plan_msg_put(&other, &old);
	compare_written(&one, &other, r, r_old);
	old_plan_msg_finish(&old);
	buf_init(&out, PLAN_MAX_BYTES);
	if (plan_msg_put(&out, &plan) < 0 || plan_msg_get(buf_at(&out), out.len, &again) < 0)
		abort();
	for (int i = 0; i < PLAN_STEPS; i++)
		if (count_args(plan.steps[i]) != count_args(again.steps[i])
				|| plan.timeout_ms[i] != again.timeout_ms[i])
			abort();
	if (strcmp(plan.backend, again.backend) != 0 || plan.env.n != again.env.n)
		abort();
	plan_msg_finish(&again);
	plan_msg_finish(&plan);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static void (*const readers[])(const uint8_t *bytes, size_t n) = {
			read_spec, read_line, read_request, read_info, read_state, read_report, read_plan};
	if (n)
		readers[bytes[0] % (sizeof readers / sizeof *readers)](bytes + 1, n - 1);
	return 0;
}

/* Whole ones, as the writers write them, lie in the corpus. */
const struct fuzz_seed fuzz_seeds[] = {
		SEED("\1\3\3\0\0\0\0\0\0\0"),
		SEED("\1\x0b\7\0\0\0lost it"),
		SEED("\2\6\1"),
		SEED("\2\7"),
		SEED("\2\x09"),
		{NULL, 0},
};
