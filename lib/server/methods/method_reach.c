/* SPDX-License-Identifier: MIT */
/* sandbox.run.input and sandbox.run.interrupt: act on a run whose client gets events. The run is named by
 * the id in the header Terrarium-Run of its reply. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/base64.h"
#include "rpc/params.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/run_stream.h"
#include "server/methods/target.h"

/* Returns NULL if the call has failed and ended. */
static struct run_stream *find_run(struct call *call)
{
	struct target target;
	struct trm_error why = {0};
	const char *run;
	if (!target_read(call, true, &target))
		return NULL;
	if (rpc_need_text(call->params, "run", &run, &why) < 0) {
		target_fail(call, &why);
		return NULL;
	}
	struct run_stream *stream = run_stream_find(call->server, target.space, target.name, run);
	if (!stream)
		call_fail_params(call,
				"there is no such run in that sandbox, or it has ended; its number is in the "
				"header Terrarium-Run of its event stream");
	return stream;
}

/* ---- input ---- */

struct input {
	const char *bytes;
	size_t n;
	char *decoded; /* freed at the end */
	bool is_end;
	uint64_t rows, cols; /* 0: unchanged */
};

static int read_input(const cJSON *params, struct input *ret, struct trm_error *why)
{
	const char *text = NULL, *letters = NULL;
	*ret = (struct input){.bytes = ""};
	int r = rpc_get_text(params, "text", &text, why);
	if (r == 0)
		r = rpc_get_text(params, "base64", &letters, why);
	if (r == 0)
		r = rpc_get_bool(params, "eof", &ret->is_end, why);
	if (r == 0)
		r = rpc_get_number(params, "rows", UINT16_MAX, &ret->rows, why);
	if (r == 0)
		r = rpc_get_number(params, "cols", UINT16_MAX, &ret->cols, why);
	if (r < 0)
		return r;
	if (text && letters)
		return trm_error_set(why, TRM_EINVAL, "`text` and `base64` exclude each other");
	if (!text && !letters && !ret->is_end && !(ret->rows && ret->cols))
		return trm_error_set(why, TRM_EINVAL,
				"there is neither `text` nor `base64`, nor `eof`, nor `rows` and `cols`");
	if (text) {
		ret->bytes = text;
		ret->n = strlen(text);
	}
	if (!letters)
		return 0;
	ret->decoded = base64_decode(letters, strlen(letters), &ret->n);
	ret->bytes = ret->decoded;
	return ret->decoded ? 0 : trm_error_set(why, TRM_EINVAL, "`base64` is not valid base64");
}

void method_input(struct call *call)
{
	struct run_stream *stream = find_run(call);
	struct trm_error why = {0};
	struct input input;
	if (!stream)
		return;
	if (read_input(call->params, &input, &why) < 0) {
		target_fail(call, &why);
		return;
	}
	if (input.rows && input.cols)
		run_stream_resize(stream, (uint16_t)input.rows, (uint16_t)input.cols);
	run_stream_send(stream, call, input.bytes, input.n, input.is_end);
	free(input.decoded);
}

/* ---- interrupt ---- */

static int read_step(const cJSON *params, enum run_step *ret, struct trm_error *why)
{
	static const char *const names[] = {[RUN_STEP_INTERRUPT] = "interrupt",
			[RUN_STEP_TERMINATE] = "terminate",
			[RUN_STEP_KILL] = "kill",
			[RUN_STEP_PAUSE] = "pause",
			[RUN_STEP_RESUME] = "resume"};
	const char *name = "interrupt";
	int r = rpc_get_text(params, "step", &name, why);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret = (enum run_step)i;
			return 0;
		}
	}
	return trm_error_set(why, TRM_EINVAL, "`step` must be interrupt, terminate, kill, pause or resume");
}

void method_interrupt(struct call *call)
{
	struct run_stream *stream = find_run(call);
	struct trm_error why = {0};
	enum run_step step = RUN_STEP_INTERRUPT;
	bool holds = false;
	if (!stream)
		return;
	if (read_step(call->params, &step, &why) < 0
			|| rpc_get_bool(call->params, "hold", &holds, &why) < 0) {
		target_fail(call, &why);
		return;
	}
	run_stream_step(stream, step, holds);
	call_result(call, cJSON_CreateObject());
}
