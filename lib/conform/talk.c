/* SPDX-License-Identifier: MIT */
#include "conform/talk.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "sandbox/sandbox.h"
#include "wire/frame.h"

enum { STEP_MS = 100, NS_PER_MS = 1000000, ARGV_MAX = 32, REQUEST_MAX = 1 << 20 };

static void fault(struct talk *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct talk *t, const char *fmt, ...)
{
	char raw[sizeof t->fault];
	va_list args;
	va_start(args, fmt);
	vsnprintf(raw, sizeof raw, fmt, args);
	va_end(args);
	if (!*t->fault)
		trm_text_clean_line(t->fault, sizeof t->fault, raw, strlen(raw));
}

/* ---- output of the driver ---- */

static void take_answer(struct talk *t, struct kernel_event *event, bool has_mark)
{
	bool is_done = event->type == KERNEL_EVENT_DONE, is_ignored = event->id == TALK_IGNORED_ID;
	if (is_ignored)
		;
	else if (event->id != t->id)
		fault(t, "\"%s\" has not the id of the request, \"%llu\"", is_done ? "done" : "reply",
				(unsigned long long)t->id);
	else if (t->is_answered)
		fault(t, "the request was answered twice");
	else if (is_done && !has_mark)
		fault(t, "the line of \"done\" does not begin with %s", FRAME_END_MARK);
	else if (is_done && event->done == KERNEL_DONE_OK && !t->is_compiled
			&& kernel_spec(t->lang)->tells_compiled)
		fault(t, "\"compiled\" did not come before \"done\"");
	if (event->id != t->id || t->is_answered) {
		kernel_event_finish(event);
		return;
	}
	t->set = is_done && event->set >= 0 ? event->set : t->set;
	t->is_answered = true;
	t->answer = *event;
}

static void take_ready(struct talk *t, const struct kernel_event *event)
{
	if (t->is_ready)
		fault(t, "\"ready\" came twice");
	if (kernel_spec(t->lang)->tells_compiled && !event->tells_compiled)
		fault(t, "\"ready\" does not say \"tells_compiled\":true, as the language's row does");
	t->is_ready = true;
	snprintf(t->version, sizeof t->version, "%s", event->text ? event->text : "");
}

static void take_compiled(struct talk *t, const struct kernel_event *event, bool has_mark)
{
	if (!has_mark)
		fault(t, "the line of \"compiled\" does not begin with %s", FRAME_COMPILED_MARK);
	t->is_compiled |= event->id == t->id;
}

static void take_event(struct talk *t, struct kernel_event *event, bool has_mark)
{
	switch (event->type) {
	case KERNEL_EVENT_DONE:
	case KERNEL_EVENT_REPLY: take_answer(t, event, has_mark); return;
	case KERNEL_EVENT_READY: take_ready(t, event); break;
	case KERNEL_EVENT_COMPILED: take_compiled(t, event, has_mark); break;
	case KERNEL_EVENT_INPUT: t->was_asked_for_input = true; break;
	case KERNEL_EVENT_OTHER: fault(t, "an event is of no kind that the protocol has"); break;
	default: break;
	}
	kernel_event_finish(event);
}

static void take_lines(struct talk *t, const void *bytes, size_t n)
{
	size_t len;
	char *line;
	if (kernel_lines_feed(&t->lines, bytes, n) < 0) {
		fault(t, "a line on descriptor 4 is longer than %u MiB", KERNEL_LINE_MAX >> 20);
		talk_kill(t);
		return;
	}
	while ((line = kernel_lines_next(&t->lines, &len))) {
		bool has_mark = !strncmp(line, FRAME_END_MARK, strlen(FRAME_END_MARK))
				|| !strncmp(line, FRAME_COMPILED_MARK, strlen(FRAME_COMPILED_MARK));
		char shown[48];
		struct trm_error why;
		struct kernel_event event;
		trm_text_clean_line(shown, sizeof shown, line, len);
		if (kernel_event_decode(line, len, &event, &why) == 0)
			take_event(t, &event, has_mark);
		else
			fault(t, "%s: %s", why.msg, shown);
		kernel_lines_done(&t->lines, len);
	}
}

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct talk *t = user;
	(void)proc;
	if (channel == TRM_CONTROL)
		take_lines(t, bytes, n);
	else if ((int)(channel - TRM_STDOUT) / 2 == t->set
			&& buf_append(channel & 1 ? &t->out : &t->err, bytes, n) < 0)
		fault(t, "it prints more than %d MiB", TALK_OUTPUT_MAX >> 20);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct talk *t = user;
	(void)proc;
	t->proc = NULL;
	t->is_ready = false;
	t->exit_code = exit ? exit->exit_code : -1;
	t->signal = exit ? exit->signal : 0;
	if (!exit)
		t->why = *why;
}

/* ---- waiting ---- */

typedef bool is_over_fn(const struct talk *t, const void *arg);

static bool wait_until(struct talk *t, uint32_t ms, is_over_fn *is_over, const void *arg)
{
	uint64_t end = trm_loop_now_ns(t->loop) + (uint64_t)ms * NS_PER_MS;
	while (!is_over(t, arg)) {
		if (trm_loop_now_ns(t->loop) >= end) {
			t->is_late = true;
			fault(t, "there was no answer within %u s", ms / 1000);
			return false;
		}
		trm_loop_step(t->loop, STEP_MS);
	}
	return true;
}

static bool is_gone(const struct talk *t, const void *arg)
{
	(void)arg;
	return !t->proc || !t->sandbox;
}

static bool is_sandbox_there(const struct talk *t, const void *arg)
{
	(void)arg;
	return t->is_sandbox_ready || !t->sandbox;
}

static bool is_up(const struct talk *t, const void *arg)
{
	return t->is_ready || *t->fault || is_gone(t, arg);
}

static bool is_answered(const struct talk *t, const void *arg)
{
	return t->is_answered || *t->fault || is_gone(t, arg);
}

static bool has_printed(const struct talk *t, const void *arg)
{
	const char *text = arg;
	return (t->out.len && memmem(buf_at(&t->out), t->out.len, text, strlen(text)))
	       || is_answered(t, NULL);
}

bool talk_wait(struct talk *t)
{
	return wait_until(t, t->answer_ms, is_answered, NULL);
}

bool talk_wait_text(struct talk *t, const char *text)
{
	return wait_until(t, t->answer_ms, has_printed, text);
}

bool talk_wait_end(struct talk *t)
{
	return wait_until(t, t->answer_ms, is_gone, NULL);
}

/* ---- the driver ---- */

static void forget_answer(struct talk *t)
{
	if (t->is_answered)
		kernel_event_finish(&t->answer);
	t->is_answered = t->was_asked_for_input = t->is_compiled = t->is_late = false;
	t->fault[0] = '\0';
	buf_clear(&t->out);
	buf_clear(&t->err);
}

static int spawn(struct talk *t)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	const struct kernel_spec *spec = kernel_spec(t->lang);
	const char *argv[ARGV_MAX + 1] = {NULL};
	for (size_t i = 0; i < ARGV_MAX && spec->argv[i]; i++)
		argv[i] = i ? spec->argv[i] : sandbox_program(t->sandbox, spec->argv[i]);
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.label = "driver that is tested",
			.env = spec->env,
			.control = true,
			.script = spec->driver.bytes,
			.script_len = spec->driver.n,
			.spare_channels = KERNEL_SPARE_SETS};
	return trm_proc_spawn(t->sandbox, &opts, &cb, t, &t->proc, &t->why);
}

bool talk_start(struct talk *t)
{
	if (t->is_ready || !t->sandbox)
		return t->is_ready;
	forget_answer(t);
	kernel_lines_finish(&t->lines);
	kernel_lines_init(&t->lines);
	t->set = 0;
	t->why = (struct trm_error){0};
	return spawn(t) == 0 && wait_until(t, t->start_ms, is_up, NULL) && t->is_ready;
}

void talk_kill(struct talk *t)
{
	if (t->proc)
		trm_proc_close(t->proc);
	while (t->proc && t->sandbox)
		trm_loop_step(t->loop, STEP_MS);
}

bool talk_write(struct talk *t, const char *text)
{
	return t->proc && trm_proc_write(t->proc, TRM_CONTROL, text, strlen(text), &t->why) == 0;
}

bool talk_send(struct talk *t, struct kernel_request *request)
{
	struct buf line;
	forget_answer(t);
	request->id = ++t->id;
	buf_init(&line, REQUEST_MAX);
	bool is_sent = t->proc && kernel_request_put(&line, request) == 0
		       && trm_proc_write(t->proc, TRM_CONTROL, buf_at(&line), line.len, &t->why) == 0;
	buf_finish(&line);
	return is_sent;
}

bool talk_run(struct talk *t, const char *code)
{
	char file[32];
	struct kernel_request request = {
			.op = KERNEL_OP_RUN, .code = code, .code_len = strlen(code), .file = file};
	snprintf(file, sizeof file, "<run %llu>", (unsigned long long)t->id + 1);
	return talk_send(t, &request) && talk_wait(t) && t->is_answered;
}

/* ---- the sandbox ---- */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct talk *t = user;
	(void)sandbox;
	t->is_sandbox_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct talk *t = user;
	(void)sandbox;
	t->sandbox = NULL;
	t->why = *why;
}

int talk_open(struct talk *t, const struct trm_lang *lang, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr)
{
	static const struct trm_sandbox_cb cb = {.ready = on_ready, .closed = on_closed};
	*t = (struct talk){.lang = lang, .exit_code = -1};
	kernel_lines_init(&t->lines);
	buf_init(&t->out, TALK_OUTPUT_MAX);
	buf_init(&t->err, TALK_OUTPUT_MAX);
	int r = trm_loop_create(&t->loop, reterr);
	if (r == 0)
		r = trm_sandbox_open(t->loop, opts, &cb, t, &t->sandbox, reterr);
	if (r == 0
			&& !(wait_until(t, opts->start_timeout_ms + STEP_MS, is_sandbox_there, NULL)
					&& t->sandbox))
		r = trm_error_set(reterr, TRM_ETIMEDOUT, "%s", t->why.code ? t->why.msg : t->fault);
	if (r < 0)
		talk_close(t);
	return r;
}

void talk_close(struct talk *t)
{
	if (!t->loop)
		return;
	talk_kill(t);
	if (t->sandbox)
		trm_sandbox_close(t->sandbox);
	while (t->sandbox)
		trm_loop_step(t->loop, STEP_MS);
	forget_answer(t);
	kernel_lines_finish(&t->lines);
	buf_finish(&t->out);
	buf_finish(&t->err);
	trm_loop_destroy(t->loop);
	*t = (struct talk){0};
}
