/* SPDX-License-Identifier: MIT */
/* What lies in a sandbox's entry, the plan of a recipe, and what supervisors and clients tell each other:
 * read by those who find them, of whatever version the writer is. The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "wire/control.h"
#include "wire/fd_handoff.h"
#include "wire/plan.h"

static void read_spec(const uint8_t *bytes, size_t n)
{
	struct spec_msg spec;
	if (spec_msg_get(bytes, n, &spec) < 0)
		return;
	if (spec.n_files > CONTROL_MAX_FILES || spec.n_mounts > CONTROL_MAX_MOUNTS)
		abort();
	spec_msg_finish(&spec);
}

/* What was read can be written, and reads the same. */
static void read_line(const uint8_t *bytes, size_t n)
{
	struct control_msg msg, again;
	struct buf out, twice;
	if (control_get(bytes, n, &msg) < 0)
		return;
	buf_init(&out, CONTROL_MAX_BYTES);
	buf_init(&twice, CONTROL_MAX_BYTES);
	if (control_put(&out, &msg) < 0 || out.len > n || control_get(buf_at(&out), out.len, &again) < 0
			|| control_put(&twice, &again) < 0 || twice.len != out.len
			|| memcmp(buf_at(&out), buf_at(&twice), out.len) != 0)
		abort();
	control_finish(&again);
	buf_finish(&twice);
	buf_finish(&out);
	control_finish(&msg);
}

static void read_request(const uint8_t *bytes, size_t n)
{
	struct control_msg msg;
	struct buf out;
	if (request_get(bytes, n, &msg) < 0)
		return;
	buf_init(&out, CONTROL_MAX_BYTES);
	if (control_put(&out, &msg) < 0 || out.len > n)
		abort();
	buf_finish(&out);
}

static void read_info(const uint8_t *bytes, size_t n)
{
	struct info_msg info;
	if (info_msg_get(bytes, n, &info) < 0)
		return;
	if (!info.command || !info.boot_id || strlen(info.boot_id) > INFO_MAX_BYTES)
		abort();
	info_msg_finish(&info);
}

static void read_state(const uint8_t *bytes, size_t n)
{
	struct state_msg state;
	state_msg_get(bytes, n, &state);
}

static void read_report(const uint8_t *bytes, size_t n)
{
	struct handoff_report report;
	if (handoff_report_get(bytes, n, &report) == 0)
		handoff_report_finish(&report);
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
	struct plan_msg plan, again;
	struct buf out;
	if (plan_msg_get(bytes, n, &plan) < 0)
		return;
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
