/* SPDX-License-Identifier: MIT */
/* The queues of requests to sandboxes. */
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "rpc/put.h"
#include "server/sandboxes/fleet_internal.h"

/* ---- operations -------------------------------------------------------------------------- */

static void answer_at(
		struct served *served, struct pending_op **at, const struct trm_error *why, const char *note)
{
	struct pending_op *pending_op = *at;
	*at = pending_op->next;
	if (!pending_op->next)
		served->pending_ops_end = at;
	if (pending_op->kind == PENDING_OP_USE && !why->code) {
		served->n_uses++;
		served->was_used = true;
		trm_timer_stop(served->idle);
		autosave_end(served);
	}
	fleet_done_fn *fn = pending_op->fn;
	void *user = pending_op->user;
	cJSON_Delete(pending_op->config);
	free(pending_op);
	fn(user, served, why, note);
}

static void answer_op(struct served *served, const struct trm_error *why, const char *note)
{
	answer_at(served, &served->pending_ops, why, note);
}

void served_answer(struct served *served, const struct trm_error *why)
{
	char note[sizeof served->note];
	memcpy(note, served->note, sizeof note);
	served->note[0] = '\0';
	if (!served->is_dealing)
		return;
	served->is_dealing = false;
	answer_op(served, why, note);
}

static const struct trm_error WELL = {.code = TRM_OK};

/* Is the first operation refused for a reason that concerns the whole server? */
static bool is_refused(struct served *served, struct trm_error *why)
{
	const struct fleet *fleet = served->fleet;
	const struct pending_op *pending_op = served->pending_ops;
	if (fleet->is_closing)
		trm_error_set(why, TRM_ECLOSED, "the server is ending");
	else if (pending_op->kind == PENDING_OP_START && served->state == SERVED_STOPPED
			&& fleet->opts.max_sandboxes && fleet->n_running >= fleet->opts.max_sandboxes)
		trm_error_set(why, TRM_EBUSY,
				"the server already runs %u sandboxes, which is the maximum (--max-sandboxes %u): "
				"stop one first",
				fleet->n_running, fleet->opts.max_sandboxes);
	else
		return false;
	return true;
}

static void describe_stopped(const struct served *served, struct trm_error *why)
{
	if (served->why.code)
		trm_error_set(why, TRM_ECLOSED, "sandbox '%s' in namespace '%s' is not running: %s",
				served->name, served->space->name, served->why.msg);
	else
		trm_error_set(why, TRM_ECLOSED,
				"sandbox '%s' in namespace '%s' is not running: start it first (sandbox.start)",
				served->name, served->space->name);
}

/* A config that cannot be started does not replace the old one. */
static void start_op(struct served *served, struct pending_op *pending_op)
{
	cJSON *old = served->config;
	if (pending_op->config)
		served->config = pending_op->config;
	bool is_new = pending_op->config;
	pending_op->config = NULL;
	served->is_dealing = true;
	lifecycle_start(served);
	if (!is_new)
		return;
	if (served->state == SERVED_STOPPED) {
		cJSON_Delete(served->config);
		served->config = old;
	} else {
		cJSON_Delete(old);
	}
}

/* Handle the first operation of a sandbox that is STOPPED or RUNNING. */
static void handle_first_op(struct served *served)
{
	struct trm_error why = {0};
	bool is_running = served->state == SERVED_RUNNING;
	struct pending_op *pending_op = served->pending_ops;
	if (is_refused(served, &why)) {
		answer_op(served, &why, "");
	} else if (pending_op->kind == PENDING_OP_USE && !is_running) {
		describe_stopped(served, &why);
		answer_op(served, &why, "");
	} else if (pending_op->kind == PENDING_OP_START && !is_running) {
		start_op(served, pending_op);
	} else if (pending_op->kind == PENDING_OP_STOP && is_running) {
		served->is_dealing = true;
		lifecycle_stop(served);
	} else {
		answer_op(served, &WELL, "");
	}
}

void served_pump(struct served *served)
{
	served->holds++;
	while (served->pending_ops && (served->state == SERVED_STOPPED || served->state == SERVED_RUNNING))
		handle_first_op(served);
	served->holds--;
	if (served->fleet->is_closing) {
		if (served->state == SERVED_RUNNING && served->fleet->opts.adopts)
			lifecycle_leave(served);
		else if (served->state == SERVED_RUNNING)
			lifecycle_stop(served);
		else if (served->state == SERVED_STOPPED)
			trm_timer_start(served->fleet->closing, 0, 0);
	}
}

static void pending_op(struct served *served, enum pending_op_kind kind, cJSON *config, fleet_done_fn *fn,
		void *user)
{
	struct pending_op *pending_op = calloc(1, sizeof *pending_op);
	if (!pending_op) {
		struct trm_error why;
		trm_error_set(&why, TRM_ENOMEM, "out of memory");
		cJSON_Delete(config);
		fn(user, NULL, &why, "");
		return;
	}
	*pending_op = (struct pending_op){.kind = kind, .config = config, .fn = fn, .user = user};
	*served->pending_ops_end = pending_op;
	served->pending_ops_end = &pending_op->next;
	if (served->pending_ops == pending_op)
		served_pump(served);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Copy the part of a config that is stored: its known fields. *ret NULL: it names no image. */
static int take_config(const cJSON *config, cJSON **ret, struct trm_error *why)
{
	static const char *const FIELDS[] = {"image", "memory", "cpus", "volumes", "ports", "envs",
			"depends_on", "workdir", "shell", "scripts", "from"};
	*ret = NULL;
	if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(config, "image")))
		return 0;
	*ret = cJSON_CreateObject();
	for (size_t i = 0; *ret && i < sizeof FIELDS / sizeof *FIELDS; i++) {
		const cJSON *field = cJSON_GetObjectItemCaseSensitive(config, FIELDS[i]);
		if (field && !cJSON_IsNull(field))
			rpc_put(ret, FIELDS[i], cJSON_Duplicate(field, true));
	}
	return *ret ? 0 : trm_error_set(why, TRM_ENOMEM, "out of memory");
}

void fleet_start(struct fleet *fleet, const char *space, const char *name, const cJSON *config,
		fleet_done_fn *fn, void *user)
{
	struct served *served;
	struct trm_error why = {0};
	cJSON *taken;
	if (take_config(config, &taken, &why) < 0
			|| sandbox_table_find_or_add(fleet, space, name, taken, &served, &why) < 0) {
		cJSON_Delete(taken);
		fn(user, NULL, &why, "");
		return;
	}
	pending_op(served, PENDING_OP_START, taken, fn, user);
	sandbox_table_drop_unused(served); /* in case it could not be started at all */
}

static void queue_op(struct fleet *fleet, const char *space, const char *name, enum pending_op_kind kind,
		fleet_done_fn *fn, void *user)
{
	struct served *served;
	struct trm_error why = {0};
	if (fleet_find(fleet, space, name, &served, &why) < 0) {
		if (kind == PENDING_OP_USE && why.code == TRM_ENOENT)
			trm_error_set(&why, why.code, "%s: start it first (sandbox.start)", why.msg);
		fn(user, NULL, &why, "");
	} else
		pending_op(served, kind, NULL, fn, user);
}

void fleet_stop(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user)
{
	queue_op(fleet, space, name, PENDING_OP_STOP, fn, user);
}

void fleet_use(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user)
{
	queue_op(fleet, space, name, PENDING_OP_USE, fn, user);
}

void fleet_use_cancel(struct fleet *fleet, const char *space, const char *name, const void *user)
{
	struct served *served;
	struct trm_error why;
	if (fleet_find(fleet, space, name, &served, NULL) < 0)
		return;
	struct pending_op **at = &served->pending_ops;
	while (*at && ((*at)->kind != PENDING_OP_USE || (*at)->user != user))
		at = &(*at)->next;
	trm_error_set(&why, TRM_ECANCELED, "it is no longer needed");
	if (*at)
		answer_at(served, at, &why, "");
}

void served_unuse(struct served *served)
{
	if (--served->n_uses == 0)
		lifecycle_rest(served);
}
