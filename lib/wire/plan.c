/* SPDX-License-Identifier: MIT */
#include "wire/plan.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "wire/fields.h"

enum { VERSION = 2, MAX_TEXT = 4096 };

/* One byte in front of each argument. */
enum { ARG_FURTHER = 1, ARG_FIRST = 2 };

const char *plan_step_name(enum plan_step step)
{
	static const char *const names[PLAN_STEPS] = {
			[PLAN_CREATE_DIRECT] = "create",
			[PLAN_START_DIRECT] = "start",
			[PLAN_CREATE_EXEC] = "create",
			[PLAN_PUT] = "put",
			[PLAN_START] = "start",
			[PLAN_READY] = "ready",
			[PLAN_CONNECT] = "connect",
			[PLAN_INSPECT] = "inspect",
			[PLAN_RELEASE] = "release",
			[PLAN_COMMIT] = "commit",
			[PLAN_SPARE] = "spare",
			[PLAN_DESTROY] = "destroy",
			[PLAN_SWEEP] = "destroy",
			[PLAN_SUSPEND] = "suspend",
			[PLAN_AFTER] = "image_remove",
			[PLAN_LIST] = "list",
	};
	return step < PLAN_STEPS ? names[step] : "";
}

/* ---- steps ------------------------------------------------------------------------ */

int plan_arg_put(struct buf *step, const char *arg, bool is_first)
{
	const char head = is_first ? ARG_FIRST : ARG_FURTHER;
	const size_t before = step->len;
	int r = buf_append(step, &head, 1);
	if (r == 0)
		r = buf_append(step, arg, strlen(arg) + 1);
	if (r < 0)
		step->len = before;
	return r;
}

const char *plan_arg_next(struct slice *step, bool *ret_is_first)
{
	const char *end = step->n > 1 ? memchr(step->bytes + 1, '\0', step->n - 1) : NULL;
	if (!end)
		return NULL;
	const char *arg = step->bytes + 1;
	*ret_is_first = step->bytes[0] == ARG_FIRST;
	step->n -= (size_t)(end + 1 - step->bytes);
	step->bytes = end + 1;
	return arg;
}

/* Does the step begin with a program, and is it free of empty programs, overlong commands and leftover
 * bytes? */
static bool step_is_sound(struct slice step)
{
	size_t n = 0;
	while (step.n) {
		bool is_known = step.bytes[0] == ARG_FIRST || step.bytes[0] == ARG_FURTHER, is_first;
		const char *arg = is_known ? plan_arg_next(&step, &is_first) : NULL;
		if (!arg)
			return false;
		n = is_first ? 1 : n ? n + 1 : 0;
		if (!n || n > PLAN_MAX_ARGS || (is_first && !*arg))
			return false;
	}
	return true;
}

static bool env_is_sound(struct slice env)
{
	return !env.n || env.bytes[env.n - 1] == '\0';
}

static bool is_sound(const struct plan_msg *m)
{
	for (int i = 0; i < PLAN_STEPS; i++)
		if (!step_is_sound(m->steps[i]))
			return false;
	const bool has_way_in = m->steps[PLAN_CREATE_DIRECT].n || m->steps[PLAN_CONNECT].n;
	const bool has_end = m->is_adopted ? *m->container != '\0' : m->steps[PLAN_DESTROY].n != 0;
	return *m->backend && *m->name && has_way_in && has_end && env_is_sound(m->env);
}

/* ---- the message --------------------------------------------------------------------- */

static const struct field plan_rows[] = {
		{TEXT(struct plan_msg, backend, MAX_TEXT)},
		{TEXT(struct plan_msg, image, MAX_TEXT)},
		{TEXT(struct plan_msg, name, MAX_TEXT)},
		{TEXT(struct plan_msg, container, MAX_TEXT)},
		{TEXT(struct plan_msg, cwd, MAX_TEXT)},
		{TEXT(struct plan_msg, user, MAX_TEXT)},
		{FIELD(struct plan_msg, asks)},
		{FIELD(struct plan_msg, is_adopted)},
		{FIELD(struct plan_msg, has_net)},
		{FIELD(struct plan_msg, is_verbose)},
		{FIELD(struct plan_msg, puts_text)},
		{FIELD(struct plan_msg, shares_proxy)},
		{FIELD(struct plan_msg, takes_over)},
		{FIELD(struct plan_msg, leaves)},
		{FIELD(struct plan_msg, version)},
};
static const struct fields PLAN = FIELDS(plan_rows);

int plan_msg_put(struct buf *out, const struct plan_msg *m)
{
	struct pack p = {.to = out};
	if (!is_sound(m))
		return TRM_EINVAL;
	pack_u8(&p, VERSION);
	fields_pack(&p, &PLAN, m);
	for (int i = 0; i < PLAN_STEPS; i++) {
		pack_bytes(&p, m->steps[i].bytes, m->steps[i].n);
		pack_u32(&p, m->timeout_ms[i]);
	}
	pack_bytes(&p, m->env.bytes, m->env.n);
	return p.error;
}

void plan_msg_finish(struct plan_msg *m)
{
	fields_free(&PLAN, m);
	*m = (struct plan_msg){0};
}

int plan_msg_get(const void *bytes, size_t n, struct plan_msg *ret)
{
	struct unpack u = {.at = bytes, .left = n};
	struct plan_msg m = {0};
	if (n > PLAN_MAX_BYTES || unpack_u8(&u) != VERSION)
		return TRM_EPROTO;
	fields_unpack(&u, &PLAN, &m);
	for (int i = 0; i < PLAN_STEPS; i++) {
		m.steps[i].bytes = unpack_bytes(&u, &m.steps[i].n);
		m.timeout_ms[i] = unpack_u32(&u);
	}
	m.env.bytes = unpack_bytes(&u, &m.env.n);
	if (u.bad || u.left || !is_sound(&m)) {
		plan_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}
