/* SPDX-License-Identifier: MIT */
#include "conform/behavior.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

/* ---- describing faults ---- */

static bool wrong(char *detail, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(char *detail, size_t cap, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(detail, cap, fmt, args);
	va_end(args);
	return false;
}

/* The beginning of a text, on one line. */
static const char *shown(const struct buf *text, char out[64])
{
	size_t n = text->len < 40 ? text->len : 40;
	trm_text_clean_line(out, 64, text->len ? buf_at(text) : "", n);
	return out;
}

static const char *code_of(const struct talk *t, enum kernel_sample sample)
{
	return kernel_spec(t->lang)->samples[sample];
}

static const char *const done_words[] = {[KERNEL_DONE_OK] = "ok",
		[KERNEL_DONE_ERROR] = "error",
		[KERNEL_DONE_INTERRUPTED] = "interrupted"};

/* True, with the reason, if there is no usable answer. */
static bool has_no_answer(const struct talk *t, char *detail, size_t cap)
{
	if (t->is_late)
		return !wrong(detail, cap, "%s", t->fault);
	if (!t->is_answered && !t->proc && t->signal)
		return !wrong(detail, cap, "signal %d ended the driver instead of an answer", t->signal);
	if (!t->is_answered && !t->proc)
		return !wrong(detail, cap, "the driver ended instead of an answer, exit code %d",
				t->exit_code);
	if (!t->is_answered || *t->fault)
		return !wrong(detail, cap, "%s", *t->fault ? t->fault : "there was no answer");
	return false;
}

/* Always false; describes why there is no usable answer. */
static bool no_answer(const struct talk *t, char *detail, size_t cap)
{
	has_no_answer(t, detail, cap);
	return false;
}

static bool ends_as(struct talk *t, enum kernel_done want, char *detail, size_t cap)
{
	if (has_no_answer(t, detail, cap))
		return false;
	if (t->answer.type != KERNEL_EVENT_DONE)
		return wrong(detail, cap, "the answer is no \"done\"");
	if (t->answer.done != want)
		return wrong(detail, cap, "the status is \"%s\" instead of \"%s\"%s%.80s",
				done_words[t->answer.done], done_words[want],
				t->answer.error_message ? ": " : "",
				t->answer.error_message ? t->answer.error_message : "");
	return true;
}

static bool has_text(const struct buf *text, const char *want, size_t n)
{
	return text->len == n && memcmp(n ? buf_at(text) : "", want, n) == 0;
}

/* Run the code. True if its end and its output are as expected. */
static bool runs_as(struct talk *t, const char *code, const char *out, char *detail, size_t cap)
{
	char text[64], want[64];
	talk_run(t, code);
	if (!ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	trm_text_clean_line(want, sizeof want, out, strcspn(out, "\n"));
	if (!has_text(&t->out, out, strlen(out)))
		return wrong(detail, cap, "it printed \"%s\" instead of \"%s\" before its \"done\"",
				shown(&t->out, text), want);
	return true;
}

/* ---- behaviors ---- */

static bool starts(struct talk *t, char *detail, size_t cap)
{
	wrong(detail, cap, "version %s", *t->version ? t->version : "n/a");
	return true;
}

static bool runs_nothing(struct talk *t, char *detail, size_t cap)
{
	/* An empty program can be invalid in a batch language. */
	talk_run(t, "");
	if (t->lang->commands && !has_no_answer(t, detail, cap))
		return true;
	if (!ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	if (t->out.len || t->answer.value)
		return wrong(detail, cap, "there is output, or a value");
	return true;
}

static bool prints(struct talk *t, char *detail, size_t cap)
{
	if (!runs_as(t, code_of(t, KERNEL_SAMPLE_PRINT), "hello\n", detail, cap))
		return false;
	return !t->err.len || wrong(detail, cap, "there is output on standard error, too");
}

static bool complains(struct talk *t, char *detail, size_t cap)
{
	char text[64];
	if (!runs_as(t, code_of(t, KERNEL_SAMPLE_COMPLAIN), "", detail, cap))
		return false;
	return has_text(&t->err, "hello\n", 6)
	       || wrong(detail, cap, "standard error got \"%s\" instead of \"hello\"", shown(&t->err, text));
}

static bool writes_bytes(struct talk *t, char *detail, size_t cap)
{
	return runs_as(t, code_of(t, KERNEL_SAMPLE_BYTES), "\xff\xfe\n", detail, cap);
}

static bool writes_long(struct talk *t, char *detail, size_t cap)
{
	enum { LONG = 1000000 };
	talk_run(t, code_of(t, KERNEL_SAMPLE_LONG));
	if (!ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	return t->out.len == LONG + 1
	       || wrong(detail, cap, "%zu bytes came before \"done\" instead of %d", t->out.len, LONG + 1);
}

static bool shows_values(struct talk *t, char *detail, size_t cap)
{
	talk_run(t, code_of(t, KERNEL_SAMPLE_VALUE));
	if (!ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	return (t->answer.value && strstr(t->answer.value, "42"))
	       || wrong(detail, cap, "the value is \"%.40s\" instead of \"42\"",
			       t->answer.value ? t->answer.value : "");
}

static bool keeps_state(struct talk *t, char *detail, size_t cap)
{
	return runs_as(t, code_of(t, KERNEL_SAMPLE_SET), "", detail, cap)
	       && runs_as(t, code_of(t, KERNEL_SAMPLE_GET), "42\n", detail, cap);
}

static bool tells_line_2(const char *text)
{
	return text && (strstr(text, "line 2") || strstr(text, ":2"));
}

/* The line can be in the traceback, or in the messages of a compiler or shell. */
static bool tells_line(struct talk *t)
{
	const cJSON *row;
	cJSON_ArrayForEach(row, t->answer.traceback) if (tells_line_2(cJSON_GetStringValue(row))) return true;
	bool has_end = t->err.len && buf_append(&t->err, "", 1) == 0;
	return tells_line_2(t->answer.error_message) || (has_end && tells_line_2(buf_at(&t->err)));
}

static bool tells_errors(struct talk *t, char *detail, size_t cap)
{
	talk_run(t, code_of(t, KERNEL_SAMPLE_FAIL));
	if (!ends_as(t, KERNEL_DONE_ERROR, detail, cap))
		return false;
	if (!tells_line(t))
		return wrong(detail, cap, "neither error nor output names line 2");
	return prints(t, detail, cap);
}

static bool tells_exit_codes(struct talk *t, char *detail, size_t cap)
{
	talk_run(t, code_of(t, KERNEL_SAMPLE_EXIT));
	if (!ends_as(t, KERNEL_DONE_ERROR, detail, cap))
		return false;
	if (t->answer.exit_code != 3)
		return wrong(detail, cap, "the exit code is %d instead of 3", t->answer.exit_code);
	return t->proc || wrong(detail, cap, "the driver ended with the code");
}

static bool reads_input(struct talk *t, char *detail, size_t cap)
{
	const char *code = code_of(t, KERNEL_SAMPLE_READ);
	struct kernel_request request = {
			.op = KERNEL_OP_RUN, .code = code, .code_len = strlen(code), .file = "<run>"};
	trm_proc_open_stdin(t->proc);
	bool is_sent = talk_send(t, &request) && trm_proc_write(t->proc, TRM_STDIN, "one\n", 4, &t->why) == 0;
	if (is_sent)
		trm_proc_close_stdin(t->proc);
	talk_wait(t);
	if (!ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	char text[64];
	return (t->out.len >= 4 && !memcmp(buf_at(&t->out), "one\n", 4))
	       || wrong(detail, cap, "it printed \"%s\" instead of \"one\"", shown(&t->out, text));
}

/* An interrupt may get lost (see kernel.h), so languages with that problem get several. */
static void interrupt(struct talk *t)
{
	enum { TRIES = 5 };
	const uint32_t whole_ms = t->answer_ms;
	unsigned tries = kernel_spec(t->lang)->loses_interrupts ? TRIES : 1;
	t->answer_ms = whole_ms / tries;
	do {
		t->is_late = false;
		t->fault[0] = '\0';
		trm_proc_signal(t->proc, SIGINT, TRM_SIGNAL_GROUP);
	} while (!talk_wait(t) && --tries);
	t->answer_ms = whole_ms;
}

static bool stops(struct talk *t, char *detail, size_t cap)
{
	const char *code = code_of(t, KERNEL_SAMPLE_LOOP);
	struct kernel_request request = {
			.op = KERNEL_OP_RUN, .code = code, .code_len = strlen(code), .file = "<run>"};
	if (!talk_send(t, &request) || !talk_wait_text(t, "going\n"))
		return no_answer(t, detail, cap);
	if (t->is_answered || !t->proc)
		return wrong(detail, cap, "the loop ended by itself");
	interrupt(t);
	if (!ends_as(t, KERNEL_DONE_INTERRUPTED, detail, cap))
		return false;
	return t->proc || wrong(detail, cap, "the driver ended with the loop");
}

static bool keeps_state_at_stop(struct talk *t, char *detail, size_t cap)
{
	return runs_as(t, code_of(t, KERNEL_SAMPLE_SET), "", detail, cap) && stops(t, detail, cap)
	       && runs_as(t, code_of(t, KERNEL_SAMPLE_GET), "42\n", detail, cap);
}

/* A late interrupt hits one of the next runs, even if the first of them was not hit. */
static bool ignores_idle_interrupt(struct talk *t, char *detail, size_t cap)
{
	enum { TRIES = 3 };
	bool is_hit = false;
	trm_proc_signal(t->proc, SIGINT, TRM_SIGNAL_GROUP);
	for (unsigned i = 0; i < TRIES && !is_hit; i++) {
		talk_run(t, code_of(t, KERNEL_SAMPLE_PRINT));
		if (has_no_answer(t, detail, cap))
			return false;
		is_hit = t->answer.type == KERNEL_EVENT_DONE && t->answer.done == KERNEL_DONE_INTERRUPTED;
	}
	return prints(t, detail, cap);
}

/* The driver may answer or stay silent. */
static bool ignores_unknown(struct talk *t, char *detail, size_t cap)
{
	char line[80];
	snprintf(line, sizeof line, "{\"op\":\"no-such-op\",\"id\":\"%u\"}\n", TALK_IGNORED_ID);
	talk_write(t, line);
	talk_run(t, "");
	return !has_no_answer(t, detail, cap);
}

/* The request of a client that has died in the middle: the byte 0x18 ends it. Even if it looks whole. */
static bool forgets_cut(struct talk *t, char *detail, size_t cap)
{
	char line[200];
	snprintf(line, sizeof line, "{\"op\":\"run\",\"id\":\"%u\",\"file\":\"<run>\",\"code\":\"\x18\n",
			TALK_IGNORED_ID);
	talk_write(t, line);
	struct kernel_request request = {.op = KERNEL_OP_RUN,
			.id = TALK_IGNORED_ID,
			.code = code_of(t, KERNEL_SAMPLE_PRINT),
			.code_len = strlen(code_of(t, KERNEL_SAMPLE_PRINT)),
			.file = "<run>"};
	struct buf cut;
	buf_init(&cut, 1 << 20);
	bool is_made = kernel_request_put(&cut, &request) == 0 && buf_append(&cut, "", 1) == 0;
	if (is_made) {
		memcpy(buf_at(&cut) + cut.len - 2, "\x18", 2); /* in place of its newline */
		talk_write(t, buf_at(&cut));
		talk_write(t, "\n");
	}
	buf_finish(&cut);
	return prints(t, detail, cap);
}

/* An interrupt of such a request is not meant for the next run. But it may be late, and hit that by chance.
 */
static bool forgets_interrupt_of_cut(struct talk *t, char *detail, size_t cap)
{
	enum { TRIES = 3 };
	const char *code = code_of(t, KERNEL_SAMPLE_PRINT);
	bool is_hit = true;
	char line[80];
	snprintf(line, sizeof line, "{\"op\":\"run\",\"id\":\"%u\",\"file\":\"<run>\",\"code\":\"",
			TALK_IGNORED_ID);
	for (unsigned i = 0; i < TRIES && is_hit; i++) {
		talk_write(t, line);
		trm_proc_signal(t->proc, SIGINT, TRM_SIGNAL_GROUP);
		talk_write(t, "\x18\n");
		talk_run(t, code);
		if (has_no_answer(t, detail, cap))
			return false;
		is_hit = t->answer.type == KERNEL_EVENT_DONE && t->answer.done == KERNEL_DONE_INTERRUPTED;
	}
	for (unsigned i = 0; i < TRIES && !is_hit; i++) {
		talk_run(t, code);
		if (has_no_answer(t, detail, cap))
			return false;
	}
	return !is_hit || wrong(detail, cap, "an interrupt of a cut request ended the next run");
}

/* ---- questions ---- */

static bool is_list(const cJSON *data, const char *name)
{
	return cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(data, name));
}

static bool is_number(const cJSON *data, const char *name)
{
	return cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(data, name));
}

static bool is_completion(const cJSON *data)
{
	return is_list(data, "matches") && is_number(data, "start") && is_number(data, "end");
}

static bool is_inspection(const cJSON *data)
{
	return cJSON_IsBool(cJSON_GetObjectItemCaseSensitive(data, "found"));
}

static bool is_completeness(const cJSON *data)
{
	const char *status = kernel_json_text(data, "status");
	return status
	       && (!strcmp(status, "complete") || !strcmp(status, "incomplete")
			       || !strcmp(status, "invalid"));
}

static bool is_table(const cJSON *data)
{
	return is_list(data, "variables");
}

static bool answers(struct talk *t, enum kernel_op op, bool (*is_shape)(const cJSON *data), char *detail,
		size_t cap)
{
	struct kernel_request request = {.op = op, .code = "x", .code_len = 1, .cursor = 1};
	talk_send(t, &request);
	talk_wait(t);
	if (has_no_answer(t, detail, cap))
		return false;
	if (t->answer.type != KERNEL_EVENT_REPLY)
		return wrong(detail, cap, "the answer is no \"reply\"");
	if (!t->answer.data && t->answer.text)
		return !wrong(detail, cap, "refused: %.120s", t->answer.text);
	return is_shape(t->answer.data)
	       || wrong(detail, cap, "\"data\" is not of the form of docs/languages.md");
}

static bool completes(struct talk *t, char *detail, size_t cap)
{
	return answers(t, KERNEL_OP_COMPLETE, is_completion, detail, cap);
}

static bool inspects(struct talk *t, char *detail, size_t cap)
{
	return answers(t, KERNEL_OP_INSPECT, is_inspection, detail, cap);
}

static bool tells_completeness(struct talk *t, char *detail, size_t cap)
{
	return answers(t, KERNEL_OP_IS_COMPLETE, is_completeness, detail, cap);
}

static bool lists_variables(struct talk *t, char *detail, size_t cap)
{
	return answers(t, KERNEL_OP_VARIABLES, is_table, detail, cap);
}

/* ---- programs and ends ---- */

static bool is_any(const cJSON *data)
{
	(void)data;
	return true;
}

static bool resets(struct talk *t, char *detail, size_t cap)
{
	if (kernel_spec(t->lang)->resets_by_restart)
		return !wrong(detail, cap, "by a new process");
	if (!runs_as(t, code_of(t, KERNEL_SAMPLE_SET), "", detail, cap)
			|| !answers(t, KERNEL_OP_RESET, is_any, detail, cap))
		return false;
	talk_run(t, code_of(t, KERNEL_SAMPLE_GET));
	t->fault[0] = '\0';
	return !has_no_answer(t, detail, cap)
	       && (!has_text(&t->out, "42\n", 3) || wrong(detail, cap, "the variable is still there"));
}

/* The interpreter may end together with its program. */
static bool runs_programs(struct talk *t, char *detail, size_t cap)
{
	const char *code = code_of(t, KERNEL_SAMPLE_ARGS);
	char file[64], text[64];
	char word[] = "two words", *args[] = {word, NULL};
	struct kernel_request request = {.op = KERNEL_OP_RUN,
			.code = code,
			.code_len = strlen(code),
			.file = file,
			.is_program = true,
			.args = args};
	snprintf(file, sizeof file, "conform%.16s", t->lang->suffixes[0] ? t->lang->suffixes[0] : "");
	talk_send(t, &request);
	talk_wait(t);
	bool has_ended = !t->proc && !t->is_answered && !t->signal && t->exit_code == 0;
	if (!has_ended && !ends_as(t, KERNEL_DONE_OK, detail, cap))
		return false;
	return has_text(&t->out, "two words\n", 10)
	       || wrong(detail, cap, "it printed \"%s\" instead of \"two words\"", shown(&t->out, text));
}

static bool leaves(struct talk *t, char *detail, size_t cap)
{
	struct kernel_request request = {.op = KERNEL_OP_LEAVE};
	talk_send(t, &request);
	if (!talk_wait_end(t))
		return wrong(detail, cap, "it still runs: %s", t->fault);
	return (!t->signal && t->exit_code == 0)
	       || wrong(detail, cap, "exit code %d, signal %d", t->exit_code, t->signal);
}

#define NONE \
	{ \
		NO_SAMPLE, NO_SAMPLE \
	}
#define ONE(name) \
	{ \
		KERNEL_SAMPLE_##name, NO_SAMPLE \
	}
#define STATE \
	{ \
		KERNEL_SAMPLE_SET, KERNEL_SAMPLE_GET \
	}

const struct behavior behaviors[] = {
		{"starts", NONE, starts},
		{"runs nothing", NONE, runs_nothing},
		{"prints", ONE(PRINT), prints},
		{"prints to standard error", ONE(COMPLAIN), complains},
		{"prints any bytes", ONE(BYTES), writes_bytes},
		{"prints a long line", ONE(LONG), writes_long},
		{"shows values", ONE(VALUE), shows_values},
		{"keeps state", STATE, keeps_state},
		{"tells errors", {KERNEL_SAMPLE_FAIL, KERNEL_SAMPLE_PRINT}, tells_errors},
		{"tells exit codes", ONE(EXIT), tells_exit_codes},
		{"reads input", ONE(READ), reads_input},
		{"stops at an interrupt", ONE(LOOP), stops},
		{"keeps state at an interrupt", {KERNEL_SAMPLE_SET, KERNEL_SAMPLE_LOOP}, keeps_state_at_stop},
		{"ignores an idle interrupt", ONE(PRINT), ignores_idle_interrupt},
		{"survives an unknown request", NONE, ignores_unknown},
		{"forgets a cut request", ONE(PRINT), forgets_cut},
		{"forgets a cut one's interrupt", ONE(PRINT), forgets_interrupt_of_cut},
		{"completes", NONE, completes},
		{"inspects", NONE, inspects},
		{"tells complete code", NONE, tells_completeness},
		{"lists variables", NONE, lists_variables},
		{"resets", STATE, resets},
		{"runs programs with arguments", ONE(ARGS), runs_programs},
		{"leaves", NONE, leaves},
};
const size_t n_behaviors = sizeof behaviors / sizeof *behaviors;
