/* SPDX-License-Identifier: MIT */
/* One sandbox at the server: started when it is wanted, stopped at the end.
 *
 *   down --want--> (looking -->) starting --> up --restart--> stopping --> down (--wanted--> starting)
 *
 * A client that wants to join an existing sandbox looks first. A sandbox that runs already is up without
 * a start, and is left running. */
#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "backend/microsandbox/msb.h"
#include "base/err.h"
#include "base/log.h"
#include "rpc/names.h"

/* ---- start ----------------------------------------------------------------------------------- */

static void begin_stop(struct msb_box *b, uint32_t limit_ms);

/* The server appends further information to "started successfully" (or stopped) after a semicolon. */
static bool take_more(const char *words, char *out, size_t cap)
{
	const char *more = words ? strstr(words, "; ") : NULL;
	char line[200];
	if (!more)
		return false;
	trm_text_clean_line(line, sizeof line, more + 2, strlen(more + 2));
	snprintf(out, cap, "the server says about the sandbox: %s", line);
	return true;
}

static void take_warning(struct msb_box *b, const char *words)
{
	const struct msb *m = b->msb;
	*b->warning = '\0';
	if (words && (strstr(words, "timed out waiting") || strstr(words, "couldn't verify"))) {
		snprintf(b->warning, sizeof b->warning,
				"the sandbox may still be starting, says the server: the first run may "
				"take longer");
	} else {
		take_more(words, b->warning, sizeof b->warning);
	}
	if (m->settings.wants_net && m->network == MSB_NETWORK_OFF)
		snprintf(b->warning + strlen(b->warning), sizeof b->warning - strlen(b->warning),
				"%sthe server gives its sandboxes no network: 'terrarium serve --net on' does",
				*b->warning ? "; " : "");
}

static void on_started(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *b = user;
	b->call = NULL;
	if (b->msb->is_stopping) {
		begin_stop(b, MSB_STOP_MS);
		if (b->state == BOX_DOWN)
			msb_box_is_down(b);
		return;
	}
	if (!result) {
		/* The sandbox may be half started, so stopping us must stop it, too. */
		b->state = why->code == TRM_ETIMEDOUT || why->code == TRM_ECLOSED ? BOX_UP : BOX_DOWN;
		msb_box_failed(b, why);
		return;
	}
	take_warning(b, cJSON_GetStringValue(result));
	b->state = BOX_UP;
	b->was_seen_running = false;
	b->seen_stopped = 0;
	msb_box_is_up(b);
}

static void begin_start(struct msb_box *b)
{
	struct msb *m = b->msb;
	struct trm_error why;
	struct msb_request request = {.method = RPC_START,
			.params = msb_params(m, b->name),
			.timeout_ms = msb_start_left_ms(m)};
	if (!b->is_found) { /* otherwise the server remembers the configuration of the first start */
		cJSON *config = cJSON_Duplicate(m->settings.config, true);
		cJSON_AddStringToObject(config, "image", b->image);
		cJSON_AddItemToObject(request.params, "config", config);
	}
	snprintf(request.what, sizeof request.what, "start sandbox '%s'", b->name);
	b->state = BOX_STARTING;
	b->is_wanted = false;
	if (msb_call(m, &request, on_started, b, &b->call, &why) < 0) {
		b->state = BOX_DOWN;
		msb_box_failed(b, &why);
	}
}

/* ---- look ------------------------------------------------------------------------------------- */

/* `what`: "sandbox", or "running sandbox". */
static void explain_absent(const struct msb_box *b, const char *what, struct trm_error *why)
{
	const struct msb_settings *s = &b->msb->settings;
	trm_error_set(why, TRM_ENOENT,
			"there is no %s '%s' in namespace '%s' of the server %s; 'terrarium ps "
			"--backend microsandbox' lists them",
			what, b->name, s->space, s->url);
}

bool msb_means_absence(const struct trm_error *why)
{
	return why->code == TRM_EIO || why->code == TRM_EINVAL;
}

static void on_looked(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *b = user;
	const cJSON *row = msb_metrics_row(result, b->name);
	b->call = NULL;
	b->is_found = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "running"));
	if (b->is_found) {
		b->state = BOX_UP;
		msb_box_is_up(b);
	} else if (!result && !msb_means_absence(why)) {
		b->state = BOX_DOWN;
		msb_box_failed(b, why);
	} else if (b->msb->settings.join == TRM_REMOTE_JOIN && b == &b->msb->boxes[MSB_BOX_MAIN]) {
		struct trm_error absent;
		explain_absent(b, "running sandbox", &absent);
		b->state = BOX_DOWN;
		msb_box_failed(b, &absent);
	} else {
		begin_start(b);
	}
}

static void begin_look(struct msb_box *b)
{
	struct trm_error why;
	struct msb_request request = {.method = RPC_METRICS,
			.params = msb_params(b->msb, b->name),
			.timeout_ms = MSB_ERRAND_MS};
	snprintf(request.what, sizeof request.what, "look for sandbox '%s'", b->name);
	b->state = BOX_LOOKING;
	if (msb_call(b->msb, &request, on_looked, b, &b->call, &why) < 0) {
		b->state = BOX_DOWN;
		msb_box_failed(b, &why);
	}
}

void msb_box_want(struct msb_box *b)
{
	if (b->state == BOX_DOWN && b->msb->settings.join != TRM_REMOTE_START && !b->is_found)
		begin_look(b);
	else if (b->state == BOX_DOWN)
		begin_start(b);
	else if (b->state == BOX_STOPPING)
		b->is_wanted = true;
}

/* ---- stop ------------------------------------------------------------------------------------- */

/* The answer lists all sandboxes of the namespace. The namespace itself may not exist either. */
static void on_all(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *b = user;
	bool is_absent = result ? !msb_metrics_row(result, b->name) : why->code == TRM_EINVAL;
	b->call = NULL;
	b->state = BOX_DOWN;
	if (is_absent)
		explain_absent(b, "sandbox", &b->msb->why);
	msb_box_is_down(b);
}

bool msb_box_list(struct msb_box *b, uint32_t limit_ms, msb_reply_fn *fn)
{
	struct trm_error why;
	struct msb_request request = {.method = RPC_METRICS,
			.params = cJSON_CreateObject(),
			.timeout_ms = limit_ms,
			.max_bytes = MSB_RESULT_MAX,
			.what = "list the sandboxes"};
	cJSON_AddStringToObject(request.params, "namespace", b->msb->settings.space);
	return msb_call(b->msb, &request, fn, b, &b->call, &why) == 0;
}

static void on_stopped(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *b = user;
	char more[sizeof b->warning];
	b->call = NULL;
	b->state = BOX_DOWN;
	if (!result && msb_is_gone(why)) /* the sandbox is most likely gone, too */
		log_write(LOG_WARNING, "%s", why->msg);
	else if (!result)
		msb_stop_failed(b->msb, why);
	else if (take_more(cJSON_GetStringValue(result), more, sizeof more))
		msb_warn(b->msb, more);
	if (!result && b->msb->is_errand && b == &b->msb->boxes[MSB_BOX_MAIN]) {
		b->msb->why = *why;
		/* A user who stops a sandbox by name, and is refused, may simply have the wrong name. */
		if (msb_means_absence(why) && msb_box_list(b, MSB_STOP_MS, on_all)) {
			b->state = BOX_STOPPING;
			return;
		}
	}
	if (b->msb->is_stopping)
		msb_box_is_down(b);
	else if (b->is_wanted)
		begin_start(b);
}

static bool send_stop(struct msb_box *b, uint32_t limit_ms, msb_reply_fn *fn, struct msb_call **ret)
{
	struct msb *m = b->msb;
	struct trm_error why;
	struct msb_request request = {
			.method = RPC_STOP, .params = msb_params(m, b->name), .timeout_ms = limit_ms};
	snprintf(request.what, sizeof request.what, "stop sandbox '%s'", b->name);
	if (msb_call(m, &request, fn, b, ret, &why) == 0)
		return true;
	log_write(LOG_WARNING, "%s", why.msg);
	return false;
}

static void begin_stop(struct msb_box *b, uint32_t limit_ms)
{
	msb_call_cancel(b->call);
	msb_call_cancel(b->early);
	b->call = b->early = NULL;
	b->state = send_stop(b, limit_ms, on_stopped, &b->call) ? BOX_STOPPING : BOX_DOWN;
}

void msb_box_restart(struct msb_box *b)
{
	if (b->state == BOX_UP)
		begin_stop(b, MSB_ERRAND_MS);
}

/* A start is under way. A server that says it has stopped the sandbox does not continue the start when we
 * hang up. A server that does not know the sandbox yet would continue. Then we wait for the start (msb.c
 * limits the time). */
static void on_early_stop(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *b = user;
	(void)why;
	b->early = NULL;
	if (!result || b->state != BOX_STARTING)
		return;
	msb_call_cancel(b->call);
	b->call = NULL;
	b->state = BOX_DOWN;
	msb_box_is_down(b);
}

void msb_box_end(struct msb_box *b, bool with_found)
{
	b->is_wanted = false;
	if (b->state == BOX_LOOKING || (b->is_found && !with_found)) {
		msb_call_cancel(b->call);
		b->call = NULL;
		b->state = BOX_DOWN;
	} else if (b->state == BOX_STARTING)
		send_stop(b, MSB_STOP_MS, on_early_stop, &b->early);
	else if (b->state == BOX_UP)
		begin_stop(b, MSB_STOP_MS);
}
