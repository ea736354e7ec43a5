/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/fake/fake.h"
#include "kernel/kernel.h"

/* The result of a statement. */
enum outcome { NEXT, WAIT, END };

/* Takes the item, even if there is no list. */
static void add_to(cJSON *list, cJSON *item)
{
	if (!cJSON_AddItemToArray(list, item))
		cJSON_Delete(item);
}

/* errno was 0 before the event was built, so ENOMEM means that a part of the event is missing. */
static void send_event(struct fake_proc *p, cJSON *event)
{
	char *text = errno == ENOMEM ? NULL : cJSON_PrintUnformatted(event);
	if (text)
		fake_proc_event(p, text);
	else
		p->fake->is_short = true;
	cJSON_free(text);
	cJSON_Delete(event);
}

static cJSON *event_of(struct fake_proc *p, const char *name)
{
	errno = 0;
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "ev", name);
	if (p->id[0])
		cJSON_AddStringToObject(event, "id", p->id);
	return event;
}

void fake_kernel_start(struct fake_proc *p)
{
	if (p->fake->prints_first)
		fake_proc_print(p, CHANNEL_STDOUT, "first\n", strlen("first\n"));
	if (p->fake->is_never_ready)
		return;
	cJSON *event = event_of(p, "ready");
	cJSON_AddStringToObject(event, "version", "fake");
	cJSON_AddBoolToObject(event, "tells_compiled", strcmp(p->command, "/bin/sh") != 0);
	send_event(p, event);
}

static void run_done(struct fake_proc *p, cJSON *event, const char *status)
{
	free(p->code);
	p->code = p->at = NULL; /* first, because a flush runs what is left */
	p->flood_left = 0;
	cJSON_AddStringToObject(event, "status", status);
	if (p->value[0])
		cJSON_AddStringToObject(event, "value", p->value);
	/* Late output belongs to this run, so the next run gets another set. */
	if (p->late && trm_timer_is_running(p->late)) {
		p->late_set = p->set;
		uint8_t next = (uint8_t)((p->set + 1) % (KERNEL_SPARE_SETS + 1));
		cJSON_AddNumberToObject(event, "set", next);
		fake_proc_flush(p);
		p->set = next;
	}
	send_event(p, event);
	p->id[0] = p->value[0] = '\0';
	p->is_looping = p->is_stubborn = p->is_asking = p->is_deaf = false;
	if (p->sleep)
		trm_timer_stop(p->sleep);
}

static enum outcome run_failed(struct fake_proc *p, const char *name, const char *message)
{
	char line[FAKE_LINE];
	cJSON *event = event_of(p, "done");
	cJSON *error = cJSON_AddObjectToObject(event, "error");
	cJSON_AddStringToObject(error, "name", name);
	cJSON_AddStringToObject(error, "message", message);
	cJSON *traceback = cJSON_AddArrayToObject(error, "traceback");
	add_to(traceback, cJSON_CreateString("Traceback (most recent call last):"));
	snprintf(line, sizeof line, "%s: %s", name, message);
	add_to(traceback, cJSON_CreateString(line));
	cJSON_AddNumberToObject(event, "exit_code", 1);
	run_done(p, event, "error");
	return END;
}

void fake_kernel_interrupt(struct fake_proc *p)
{
	bool is_lost = p->is_deaf;
	p->is_deaf = false;
	if (!p->code || p->is_stubborn || is_lost)
		return;
	buf_clear(&p->out[0]);
	buf_clear(&p->out[1]);
	run_done(p, event_of(p, "done"), "interrupted");
}

/* ---- statements ---- */

static enum outcome do_print(struct fake_proc *p, char *rest)
{
	fake_proc_print(p, CHANNEL_STDOUT, rest, strlen(rest));
	fake_proc_print(p, CHANNEL_STDOUT, "\n", 1);
	return NEXT;
}

static enum outcome do_write(struct fake_proc *p, char *rest)
{
	fake_proc_print(p, CHANNEL_STDOUT, rest, strlen(rest));
	return NEXT;
}

static enum outcome do_err(struct fake_proc *p, char *rest)
{
	fake_proc_print(p, CHANNEL_STDERR, rest, strlen(rest));
	fake_proc_print(p, CHANNEL_STDERR, "\n", 1);
	return NEXT;
}

static enum outcome do_compiled(struct fake_proc *p, char *rest)
{
	(void)rest;
	send_event(p, event_of(p, "compiled"));
	return NEXT;
}

static enum outcome do_value(struct fake_proc *p, char *rest)
{
	snprintf(p->value, sizeof p->value, "%s", rest);
	return NEXT;
}

static struct fake_name *name_find(struct fake_proc *p, const char *name)
{
	for (size_t i = 0; i < FAKE_NAMES; i++)
		if (strcmp(p->names[i].name, name) == 0)
			return &p->names[i];
	return NULL;
}

static enum outcome do_set(struct fake_proc *p, char *rest)
{
	char *value = strchr(rest, ' ');
	if (!value || value - rest >= (int)sizeof p->names->name)
		return run_failed(p, "SyntaxError", "set NAME VALUE");
	*value++ = '\0';
	struct fake_name *row = name_find(p, rest);
	if (!row)
		row = name_find(p, "");
	if (!row)
		return run_failed(p, "MemoryError", "the fake kernel remembers 32 names");
	snprintf(row->name, sizeof row->name, "%.63s", rest);
	snprintf(row->value, sizeof row->value, "%.255s", value);
	return NEXT;
}

static enum outcome do_get(struct fake_proc *p, char *rest)
{
	struct fake_name *row = *rest ? name_find(p, rest) : NULL;
	char message[FAKE_LINE];
	if (row)
		return do_print(p, row->value);
	snprintf(message, sizeof message, "name '%.100s' is not defined", rest);
	return run_failed(p, "NameError", message);
}

static enum outcome do_flood(struct fake_proc *p, char *rest)
{
	p->flood_left = strtoull(rest, NULL, 10);
	return WAIT;
}

static void on_awake(void *user)
{
	struct fake_proc *p = user;
	fake_kernel_step(p);
	fake_proc_input(p, CHANNEL_CONTROL, "", 0); /* requests that have waited */
}

static enum outcome do_sleep(struct fake_proc *p, char *rest)
{
	if (!p->sleep && trm_loop_add_timer(p->fake->loop, on_awake, p, &p->sleep, NULL) < 0)
		return run_failed(p, "MemoryError", "out of memory");
	trm_timer_start(p->sleep, strtoull(rest, NULL, 10), 0);
	return WAIT;
}

static enum outcome do_loop(struct fake_proc *p, char *rest)
{
	(void)rest;
	p->is_looping = true;
	return WAIT;
}

static enum outcome do_deaf(struct fake_proc *p, char *rest)
{
	p->is_deaf = true;
	return do_loop(p, rest);
}

static enum outcome do_stubborn(struct fake_proc *p, char *rest)
{
	p->is_stubborn = true;
	return do_loop(p, rest);
}

static enum outcome do_immortal(struct fake_proc *p, char *rest)
{
	p->is_immortal = true;
	return do_stubborn(p, rest);
}

static enum outcome do_ask(struct fake_proc *p, char *rest)
{
	cJSON *event = event_of(p, "input");
	cJSON_AddStringToObject(event, "prompt", rest);
	cJSON_AddBoolToObject(event, "secret", false);
	fake_proc_print(p, CHANNEL_STDOUT, rest, strlen(rest));
	send_event(p, event);
	p->is_asking = true;
	return WAIT;
}

static enum outcome do_fail(struct fake_proc *p, char *rest)
{
	char *message = strchr(rest, ' ');
	if (message)
		*message++ = '\0';
	char name[64];
	snprintf(name, sizeof name, "%.63s", *rest ? rest : "Error");
	return run_failed(p, name, message ? message : "");
}

static enum outcome do_exit(struct fake_proc *p, char *rest)
{
	int code = atoi(rest) & 255;
	cJSON *event = event_of(p, "done");
	cJSON_AddNumberToObject(event, "exit_code", code);
	run_done(p, event, code ? "error" : "ok");
	return END;
}

static enum outcome do_die(struct fake_proc *p, char *rest)
{
	fake_proc_end(p, 0, (uint32_t)atoi(rest) & 63);
	return WAIT;
}

static void on_late(void *user)
{
	struct fake_proc *p = user;
	uint8_t channel = (uint8_t)(2 * (p->code || p->late_set != p->set ? p->late_set : p->set));
	size_t n = strlen(p->late_text);
	if (p->credit < n)
		return; /* the late line is lost if the fake also floods */
	p->credit -= n;
	frame_put(&p->fake->out, p->stream, FRAME_OUTPUT, channel, p->late_text, n);
	fake_send(p->fake);
}

static enum outcome do_late(struct fake_proc *p, char *rest)
{
	char *text;
	uint64_t delay_ms = strtoull(rest, &text, 10);
	if (!p->late && trm_loop_add_timer(p->fake->loop, on_late, p, &p->late, NULL) < 0)
		return run_failed(p, "MemoryError", "out of memory");
	snprintf(p->late_text, sizeof p->late_text, "%.1000s\n", *text == ' ' ? text + 1 : text);
	p->late_set = p->set;
	trm_timer_start(p->late, delay_ms, 0);
	return NEXT;
}

static enum outcome do_display(struct fake_proc *p, char *rest)
{
	char *data = strchr(rest, ' ');
	cJSON *event = event_of(p, "display");
	cJSON *bundle = cJSON_AddObjectToObject(event, "data");
	if (data)
		*data++ = '\0';
	cJSON_AddStringToObject(bundle, rest, data ? data : "");
	send_event(p, event);
	return NEXT;
}

static const struct {
	const char *word;
	enum outcome (*run)(struct fake_proc *p, char *rest);
} statements[] = {
		{"ask", do_ask},
		{"compiled", do_compiled},
		{"die", do_die},
		{"display", do_display},
		{"err", do_err},
		{"exit", do_exit},
		{"fail", do_fail},
		{"flood", do_flood},
		{"get", do_get},
		{"immortal", do_immortal},
		{"late", do_late},
		{"loop", do_loop},
		{"print", do_print},
		{"set", do_set},
		{"sleep", do_sleep},
		{"stubborn", do_stubborn},
		{"deaf", do_deaf},
		{"value", do_value},
		{"write", do_write},
};

static enum outcome run_line(struct fake_proc *p, char *line)
{
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NEXT;
	char *rest = line + strcspn(line, " ");
	if (*rest)
		*rest++ = '\0';
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
		if (strcmp(line, statements[i].word) == 0)
			return statements[i].run(p, rest);
	return run_failed(p, "SyntaxError", "the fake kernel does not know this statement");
}

static void flood(struct fake_proc *p)
{
	char line[128];
	int n = snprintf(line, sizeof line, "%099d\n", 0);
	while (p->flood_left && p->out[0].len < FRAME_MAX_PAYLOAD && fake_proc_print(p, 0, line, (size_t)n))
		p->flood_left--;
}

/* Read the requested line, or the end of input. False: still waiting. */
static bool answer_ask(struct fake_proc *p)
{
	char *end = p->in_stdin.len ? memchr(buf_at(&p->in_stdin), '\n', p->in_stdin.len) : NULL;
	char text[FAKE_LINE];
	if (!end && p->stdin_is_open)
		return false;
	p->is_asking = false;
	if (!end) {
		run_failed(p, "EOFError", "EOF when reading a line");
		return true;
	}
	*end = '\0';
	snprintf(text, sizeof text, "got %.1000s", buf_at(&p->in_stdin));
	buf_take(&p->in_stdin, (size_t)(end + 1 - buf_at(&p->in_stdin)));
	do_print(p, text);
	return true;
}

bool fake_kernel_can_step(const struct fake_proc *p)
{
	return p->code && !p->will_exit && !p->is_looping && !p->is_asking
	       && !(p->sleep && trm_timer_is_running(p->sleep));
}

void fake_kernel_step(struct fake_proc *p)
{
	while (fake_kernel_can_step(p) || (p->is_asking && answer_ask(p))) {
		if (!p->code)
			return; /* the answer has ended the run */
		if (p->flood_left) {
			flood(p);
			return; /* fake_proc_flush comes back while there is more */
		}
		if (!*p->at) {
			run_done(p, event_of(p, "done"), "ok");
			return;
		}
		char line[FAKE_LINE];
		size_t n = strcspn(p->at, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, p->at);
		p->at += n + (p->at[n] == '\n');
		if (run_line(p, line) == END)
			return;
	}
}

static void reply_question(struct fake_proc *p, const char *op, const char *id)
{
	errno = 0;
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "ev", "reply");
	cJSON_AddStringToObject(event, "id", id);
	cJSON *data = cJSON_AddObjectToObject(event, "data");
	if (strcmp(op, "variables") == 0) {
		cJSON *list = cJSON_AddArrayToObject(data, "variables");
		for (size_t i = 0; i < FAKE_NAMES && p->names[i].name[0]; i++) {
			cJSON *row = cJSON_CreateObject();
			cJSON_AddStringToObject(row, "name", p->names[i].name);
			cJSON_AddStringToObject(row, "type", "str");
			cJSON_AddNumberToObject(row, "size", (double)strlen(p->names[i].value));
			cJSON_AddStringToObject(row, "value", p->names[i].value);
			add_to(list, row);
		}
	} else if (strcmp(op, "complete") == 0) {
		cJSON *list = cJSON_AddArrayToObject(data, "matches");
		for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
			add_to(list, cJSON_CreateString(statements[i].word));
		cJSON_AddNumberToObject(data, "start", 0);
		cJSON_AddNumberToObject(data, "end", 0);
	} else if (strcmp(op, "is_complete") == 0) {
		cJSON_AddStringToObject(data, "status", "complete");
		cJSON_AddStringToObject(data, "indent", "");
	} else if (strcmp(op, "inspect") == 0) {
		cJSON_AddBoolToObject(data, "found", false);
	} else if (strcmp(op, "reset") == 0) {
		memset(p->names, 0, sizeof p->names);
	}
	send_event(p, event);
}

void fake_kernel_request(struct fake_proc *p, const char *line)
{
	cJSON *request = cJSON_Parse(line);
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItem(request, "op"));
	const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(request, "id"));
	const char *code = cJSON_GetStringValue(cJSON_GetObjectItem(request, "code"));
	p->fake->is_short |= !request;
	if (op && id && strcmp(op, "run") == 0 && code) {
		snprintf(p->id, sizeof p->id, "%s", id);
		p->code = p->at = strdup(code);
		p->fake->is_short |= !p->code;
		fake_kernel_step(p);
	} else if (op && strcmp(op, "leave") == 0) {
		fake_proc_end(p, 0, 0);
	} else if (op && id) {
		reply_question(p, op, id);
	}
	cJSON_Delete(request);
}
