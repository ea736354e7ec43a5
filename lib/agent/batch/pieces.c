/* SPDX-License-Identifier: MIT */
#include "agent/batch/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/batch/command.h"
#include "agent/batch/diagnose.h"
#include "agent/batch/event.h"
#include "agent/batch/failure.h"
#include "agent/batch/go_part.h"
#include "agent/batch/making.h"
#include "agent/batch/order.h"
#include "agent/batch/question.h"
#include "agent/batch/reading.h"
#include "agent/batch/trace.h"
#include "base/clock.h"
#include "base/signame.h"

/* The host has all libraries. The linker needs those whose symbols have incompatible older versions; to read
 * the symbols of libstdc++ takes it longer than the rest of its work. */
#define PIECE_LIBRARIES "-nodefaultlibs", "-lc", "-lm", "-lgcc"
#define SAID_MAX (1u << 20)
#define EVENT_MAX (8u << 20)

/* One that runs. */
struct attempt {
	struct pieces *p;
	const struct order *o;
	struct source_piece piece;
	struct buf rows; /* of the traceback, each ended by a newline */
	char object[PATH_MAX];
	unsigned front;
};

/* The word after -x among the compiler's words; "": there is none. */
static const char *dialect(const struct pieces *p)
{
	const char *is = "";
	for (size_t i = 0; p->compiler[i] && p->compiler[i + 1]; i++)
		if (!strcmp(p->compiler[i], "-x"))
			is = p->compiler[i + 1];
	return is;
}

void pieces_init(struct pieces *p)
{
	p->is_go = p->compiler[0] && !*dialect(p);
	p->go = (struct go_pieces){.compiler = p->compiler,
			.carry = p->native,
			.carry_len = p->native_len,
			.name = p->name,
			.missing = p->missing,
			.ending = p->ending};
}

/* ---- the process that keeps the state ---- */

/* The initializers of a piece, which the host calls: see call() in kernel/native.inc. */
static const char script[] =
		"SECTIONS\n{\n\t.trm_steps : { trm_begin = .; KEEP(*(.init_array .init_array.*)) trm_end = .; }\n}\n"
		"INSERT AFTER .init_array;\n";

static void pieces_stop(struct pieces *p)
{
	char folder[PATH_MAX];
	go_pieces_stop(&p->go);
	if (!p->is_ready)
		return;
	keeper_stop(&p->keeper);
	pid_t *const makers[] = {&p->precompiler, &p->host_maker};
	for (size_t i = 0; i < 2; i++) {
		if (*makers[i] && kill(*makers[i], SIGKILL) == 0)
			waitpid(*makers[i], NULL, 0);
		*makers[i] = 0;
	}
	prepared_finish(&p->prepared);
	snprintf(folder, sizeof folder, "%s", p->source.folder);
	source_close(&p->source);
	step_folder_remove(folder);
	p->is_ready = false;
}

/* A folder, the host's program, and what every piece is compiled with. Gives errno. */
static int make_ready(struct pieces *p)
{
	char folder[PATH_MAX], code[PATH_MAX], path[PATH_MAX];
	struct buf text;
	if (p->is_ready)
		return 0;
	if (!step_folder_make(folder))
		return errno;
	source_open(&p->source, folder, p->ending, !strcmp(dialect(p), "c"));
	prepared_find(&p->prepared, p->name, "front.h", p->compiler, p->native, p->native_len);
	making_name(code, p, "host%s", p->ending);
	making_name(path, p, "steps.ld");
	buf_init(&text, EVENT_MAX);
	buf_append(&text, script, strlen(script));
	bool is_written = making_write(path, &text, NULL);
	buf_clear(&text);
	buf_append(&text, p->native, p->native_len);
	is_written = is_written && making_write(code, &text, NULL) && making_write_front(p, 0, NULL);
	buf_finish(&text);
	p->is_ready = true;
	int error = is_written ? making_begin_host(p) : EIO;
	if (error) {
		pieces_stop(p);
		return error;
	}
	p->front = p->attempts = 0;
	p->made_front = 1; /* so that the first one is made */
	return 0;
}

int pieces_leave(struct pieces *p)
{
	int code = p->is_ready ? keeper_leave(&p->keeper) : 0;
	pieces_stop(p);
	return code;
}

bool pieces_has_left(const struct pieces *p)
{
	return keeper_has_left(&p->keeper, p->is_go ? p->go.direct.maker : p->precompiler);
}

bool pieces_take(const struct pieces *p, const struct order *o)
{
	return p->compiler[0] && !o->is_program && !o->args[0] && !o->env[0] && !*o->cwd
	       && !(p->is_go ? go_part_is_program(o->code, o->code_len)
			     : part_has_main(o->code, o->code_len));
}

/* ---- errors ---- */

static bool begins_with(const char *at, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(at, with, strlen(with));
}

/* Does a line tell only how the compiler was called, or about text of ours? */
static bool is_about_us(const struct pieces *p, const char *at, size_t n)
{
	static const char *const idle[] = {"In file included from <command-line>", "compilation terminated."};
	char ours[2][PATH_MAX];
	making_name(ours[0], p, "piece_");
	making_name(ours[1], p, "front_");
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (begins_with(at, n, idle[i]))
			return true;
	/* "a.cpp: In function 'void trm_s0()':" */
	if (memmem(at, n, ": In function ", 14) && memmem(at, n, "trm_", 4))
		return true;
	return p->source.is_c
	       && (begins_with(at, n, "<terrarium>:") || begins_with(at, n, ours[0])
			       || begins_with(at, n, ours[1]));
}

/* All of it, if nothing else would be left. */
static void put_said(struct attempt *a, const struct buf *said)
{
	struct buf text;
	bool is_dropped = false;
	buf_init(&text, SAID_MAX * 2);
	source_rename(&a->p->source, buf_at(said), said->len, &text);
	for (const char *at = buf_at(&text), *end = at + text.len; at < end;) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		size_t n = line ? (size_t)(line + 1 - at) : (size_t)(end - at);
		/* Lines of source follow, which begin with a space. */
		is_dropped = is_about_us(a->p, at, n) || (is_dropped && *at == ' ');
		if (!is_dropped)
			buf_append(&a->rows, at, n);
		at += n;
	}
	if (!a->rows.len)
		buf_append(&a->rows, buf_at(&text), text.len);
	buf_finish(&text);
}

/* ---- a piece ---- */

/* Gives errno. */
static int compile_piece(struct attempt *a, const struct buf *first, struct buf *said, int *ret_status)
{
	struct pieces *p = a->p;
	char code[PATH_MAX], fronts[2][PATH_MAX], steps[PATH_MAX + 8];
	const char *argv[PIECES_WORDS + MAKING_ARGS + 1], *front[5];
	source_piece_finish(&a->piece);
	buf_clear(said);
	if (!source_make(&p->source, a->o->code, a->o->code_len, first, &a->piece))
		return ENOMEM;
	making_name(code, p, "piece_%u%s", a->piece.number, p->ending);
	making_name(a->object, p, "piece_%u.so", a->piece.number);
	a->front = p->front + a->piece.has_includes;
	snprintf(steps, sizeof steps, "-Wl,-T,%.*s/steps.ld", PATH_MAX - 16, p->source.folder);
	if (!making_write(code, &a->piece.text, NULL)
			|| (a->piece.has_includes && !making_write_front(p, a->front, &a->piece.includes)))
		return EIO;
	making_put_front(p, a->front, fronts, front);
	const char *const more[] = {MAKING_OBJECT, "-shared", "-Wl,-z,lazy", steps, "-o", a->object, code,
			PIECE_LIBRARIES, NULL};
	making_begin(p, argv, front);
	making_append(argv, more);
	int error = step_listen((char **)argv, said, ret_status);
	unlink(code);
	return error;
}

/* For the compiler to show lines of. */
static bool write_shown(const struct pieces *p, const struct order *o, unsigned number)
{
	char path[PATH_MAX];
	struct buf text = {.mem = (char *)o->code, .len = o->code_len};
	making_name(path, p, "%u%s", number, p->ending);
	return making_write(path, &text, NULL);
}

/* False: it has failed, and the event tells. */
static bool build(struct attempt *a, struct buf *event)
{
	struct pieces *p = a->p;
	struct buf said;
	int status = 0;
	char message[1000];
	buf_init(&said, SAID_MAX);
	int error = make_ready(p);
	unsigned number = error ? 0 : source_begin(&p->source, a->o->file);
	if (!error && (!number || !write_shown(p, a->o, number)))
		error = EIO;
	if (!error)
		error = compile_piece(a, NULL, &said, &status);
	if (!error && status && source_wants_again(&p->source, &said)) {
		struct buf first = said;
		buf_init(&said, SAID_MAX);
		error = compile_piece(a, &first, &said, &status);
		buf_finish(&first);
	}
	int host_error = making_finish_host(p, &said);
	if (host_error)
		pieces_stop(p);
	if (!error)
		error = host_error;
	if (error == ENOENT)
		failure_say(event, "NotInstalled", "%s cannot be started in the sandbox: it is not there%s%s",
				p->compiler[0], *p->missing ? ": " : "", p->missing);
	else if (error == ENOEXEC)
		failure_say(event, "SandboxError",
				"%s cannot compile the program that keeps the state: %.2000s", p->compiler[0],
				said.len ? (buf_append(&said, "", 1), buf_at(&said)) : "no reason was given");
	else if (error)
		failure_say(event, "SandboxError", "the piece cannot be compiled in the sandbox: %s",
				strerror(error));
	else if (!making_succeeded(0, status)) {
		put_said(a, &said);
		diagnose_message(buf_at(&a->rows), a->rows.len, message, sizeof message);
		event_add(event, "error\"");
		failure_put(event, "CompileError", *message ? message : "the compiler gave no reason",
				&a->rows);
	}
	buf_finish(&said);
	return !error && making_succeeded(0, status);
}

/* The piece has ended its process. */
static void put_end(struct attempt *a, struct keeper_result *r, bool is_interrupted, struct buf *event)
{
	char message[2000], code[40] = "", first[4000];
	const char *name = r->name.len ? (buf_append(&r->name, "", 1), buf_at(&r->name)) : "";
	bool is_signal = r->status != -1 && WIFSIGNALED(r->status),
	     has_exited = r->status != -1 && !is_signal && !*name;
	int number = is_signal ? 128 + WTERMSIG(r->status) : has_exited ? WEXITSTATUS(r->status) : -1;
	bool is_ok = has_exited && number == 0 && !r->has_lost_all;
	event_add(event, is_interrupted && is_signal ? "interrupted\"" : is_ok ? "ok\"" : "error\"");
	if (number >= 0 && !(is_interrupted && is_signal))
		snprintf(code, sizeof code, ",\"exit_code\":%d", number);
	event_add(event, code);
	if (is_ok || (is_interrupted && is_signal && !r->has_lost_all && !r->lost_threads))
		return;
	buf_append(&r->message, "", 1);
	if (*name || is_signal)
		snprintf(message, sizeof message, "%.1500s", buf_at(&r->message));
	else
		snprintf(message, sizeof message, "the piece has ended with exit code %d", number);
	if (is_signal && !*message)
		snprintf(message, sizeof message, "signal %d", WTERMSIG(r->status));
	size_t n = strlen(message);
	if (r->has_lost_all)
		snprintf(message + n, sizeof message - n, "; all variables are lost");
	else if (r->lost_threads)
		snprintf(message + n, sizeof message - n,
				"; the variables are those before this piece, but %d thread%s of earlier pieces ended",
				r->lost_threads, r->lost_threads == 1 ? "" : "s");
	if (has_exited && !r->has_lost_all && !r->lost_threads)
		return; /* the exit code says it all */
	name = *name ? name : is_signal ? signal_text(WTERMSIG(r->status)) : "SystemExit";
	snprintf(first, sizeof first, "%s%s%s\n", name, *message ? ": " : "", message);
	event_add(&a->rows, first);
	trace_put(&a->p->source, &r->frames, &a->rows);
	failure_put(event, name, message, &a->rows);
}

static void put_result(struct attempt *a, struct keeper_result *r, bool is_interrupted, struct buf *event)
{
	struct pieces *p = a->p;
	if (r->no_copy) {
		failure_say(event, "SandboxError",
				"the piece was not run: the state cannot be copied before it: %s",
				strerror(r->no_copy));
	} else if (!r->is_done) {
		put_end(a, r, is_interrupted, event);
		if (r->has_lost_all)
			source_reset(&p->source);
	} else if (r->name.len) {
		buf_append(&r->name, "", 1);
		buf_append(&r->message, "", 1);
		failure_say(event, buf_at(&r->name), "%s", buf_at(&r->message));
	} else {
		buf_append(&r->sizes, "", 1);
		if (source_keep(&p->source, &a->piece, buf_at(&r->sizes)))
			p->front = a->front;
		event_add(event, "ok\"");
		buf_append(&r->value, "", 1);
		if (r->value.len > 1) {
			event_add(event, ",\"value\":");
			event_add_string(event, buf_at(&r->value));
		}
	}
}

void pieces_run(struct pieces *p, const struct order *o, int set, bool (*interrupts)(void), struct buf *event,
		struct pieces_cost *ret_cost)
{
	struct attempt a = {.p = p, .o = o};
	struct keeper_result result;
	if (p->is_go) {
		go_pieces_run(&p->go, o, interrupts, event, &ret_cost->compile_ns);
		return;
	}
	buf_init(&a.rows, SAID_MAX * 2);
	if (p->is_ready)
		making_precompile(p); /* which may be ready now */
	uint64_t begin_ns = clock_ns();
	bool is_built = build(&a, event);
	ret_cost->compile_ns = clock_ns() - begin_ns;
	if (interrupts()) {
		buf_clear(event);
		event_add(event, "interrupted\"");
	} else if (is_built) {
		event_compiled(o);
		int error = keeper_start(&p->keeper);
		if (error) {
			failure_say(event, "SandboxError",
					"the process that keeps the state cannot be started: %s",
					strerror(error));
		} else {
			struct reading reading = {.tell = event_input, .user = (void *)o};
			keeper_run(&p->keeper, set, a.object, interrupts, &reading, &result);
			put_result(&a, &result, interrupts(), event);
			ret_cost->cpu_us = result.cpu_us;
			keeper_result_finish(&result);
		}
	}
	if (p->is_ready)
		making_precompile(p);
	source_piece_finish(&a.piece);
	buf_finish(&a.rows);
}

/* ---- questions ---- */

static const char keywords[] =
		"alignas alignof auto bool break case catch char class concept const constexpr const_cast continue decltype "
		"default delete do double dynamic_cast else enum explicit extern false float for friend goto if inline int long "
		"mutable namespace new noexcept nullptr operator private protected public reinterpret_cast return short signed "
		"sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid "
		"typename union unsigned using virtual void volatile while";

static void list_names(struct pieces *p, struct question_names *names)
{
	for (size_t i = 0; i < p->source.n_names; i++) {
		const struct source_name *name = &p->source.names[i];
		question_add(names, name->text,
				name->kind == PART_FUNCTION ? "function"
				: name->kind == PART_TYPE   ? "class"
							    : "variable");
	}
}

static void answer_complete(struct pieces *p, const struct order *o)
{
	struct question_names names;
	if (question_begin(&names, o, ".:>")) {
		list_names(p, &names);
		question_add_words(&names, keywords);
	}
	question_end(&names);
}

static void answer_variables(struct pieces *p, const struct order *o)
{
	struct buf known;
	buf_init(&known, SAID_MAX);
	keeper_ask(&p->keeper, "", o->cursor != 1, &known);
	question_answer_variables(o, &known);
	buf_finish(&known);
}

static void answer_inspect(struct pieces *p, const struct order *o)
{
	struct buf known;
	char name[QUESTION_NAME_SIZE];
	buf_init(&known, SAID_MAX);
	if (question_name(o, name) && source_knows(&p->source, name, strlen(name)))
		keeper_ask(&p->keeper, name, true, &known);
	question_answer_variable(o, &known);
	buf_finish(&known);
}

static void answer_is_complete(struct pieces *p, const struct order *o)
{
	static const char *const answers[] = {[PART_COMPLETE] = "{\"status\":\"complete\",\"indent\":\"\"}",
			[PART_INCOMPLETE] = "{\"status\":\"incomplete\",\"indent\":\"\"}",
			[PART_INVALID] = "{\"status\":\"invalid\",\"indent\":\"\"}"};
	event_reply(o, answers[part_state_of(o->code, o->code_len, source_knows, &p->source)]);
}

static void answer_reset(struct pieces *p, const struct order *o)
{
	if (p->is_ready) {
		keeper_stop(&p->keeper);
		source_reset(&p->source);
		p->front++;
		making_write_front(p, p->front, NULL);
	}
	event_reply(o, "{}");
}

bool pieces_answer(struct pieces *p, const struct order *o)
{
	static const struct {
		const char *op;
		void (*answer)(struct pieces *p, const struct order *o);
	} answers[] = {{"complete", answer_complete}, {"inspect", answer_inspect},
			{"variables", answer_variables}, {"is_complete", answer_is_complete},
			{"reset", answer_reset}};
	if (p->is_go)
		return go_pieces_answer(&p->go, o);
	for (size_t i = 0; p->compiler[0] && i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(o->op, answers[i].op)) {
			answers[i].answer(p, o);
			return true;
		}
	return false;
}
