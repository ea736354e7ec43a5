/* SPDX-License-Identifier: MIT */
#include "agent/batch/go_pieces.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
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
#include "agent/batch/order.h"
#include "agent/batch/question.h"
#include "agent/batch/reading.h"
#include "base/clock.h"
#include "base/signame.h"

enum { GO_WORDS = 40, GO_KILL_TICKS = 1000 / READING_TICK_MS };

#define GO_TEXT_MAX (8u << 20)

/* One that runs. */
struct go_run {
	struct go_pieces *p;
	const struct order *o;
	struct go_piece piece;
	struct buf said, rows;
	char program[PATH_MAX];
	bool is_direct; /* compiled without `go build` */
};

/* The report that a program writes at its end: see trmWriteRecord() in kernel/carry.go. */
struct go_report {
	struct buf value, name, message, variables, known;
	bool is_done;
};

static bool write_go_file(const struct go_pieces *p, const char *name, const char *bytes, size_t n)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 100, p->source.files.folder, name);
	FILE *f = fopen(path, "we");
	bool is_written = f && (!n || fwrite(bytes, n, 1, f) == 1);
	return f && fclose(f) == 0 && is_written;
}

static void remove_state(const struct go_pieces *p, unsigned number)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%.*s/state_%u", PATH_MAX - 100, p->source.files.folder, number);
	unlink(path);
}

/* Gives errno. */
static int make_go_ready(struct go_pieces *p)
{
	char folder[PATH_MAX], path[PATH_MAX];
	if (p->is_ready)
		return 0;
	if (!step_folder_make(folder))
		return errno;
	go_source_open(&p->source, folder, p->ending);
	go_direct_open(&p->direct, p->name, p->compiler, folder, p->carry, p->carry_len);
	buf_init(&p->known, GO_TEXT_MAX);
	snprintf(path, sizeof path, "%.*s/src", PATH_MAX - 10, folder);
	p->is_ready = true;
	if (mkdir(path, 0700) < 0 || !write_go_file(p, "src/carry.go", p->carry, p->carry_len)) {
		int error = errno ? errno : EIO;
		go_pieces_stop(p);
		return error;
	}
	return 0;
}

void go_pieces_stop(struct go_pieces *p)
{
	char folder[PATH_MAX];
	if (!p->is_ready)
		return;
	snprintf(folder, sizeof folder, "%s", p->source.files.folder);
	go_source_close(&p->source);
	go_direct_close(&p->direct);
	buf_finish(&p->known);
	step_folder_remove(folder);
	p->is_ready = false;
}

/* ---- the compiler ---- */

/* Under the names that the user knows: the compiler may have made paths relative. */
static void rename_said(const struct go_pieces *p, const struct buf *said, struct buf *out)
{
	const struct source *files = &p->source.files;
	const char *base = strrchr(files->folder, '/') + 1;
	const char *at = buf_at(said), *end = at + said->len, *done = at;
	for (; at && at < end && (at = memmem(at, (size_t)(end - at), base, strlen(base)));) {
		char *behind;
		const char *from = at, *number_at = at + strlen(base) + 1;
		unsigned long number = strtoul(number_at, &behind, 10);
		at = number_at;
		if (number < 1 || number > files->number
				|| strncmp(behind, files->ending, strlen(files->ending)))
			continue;
		while (from > done && !strchr(" \t\n(", from[-1]))
			from--;
		buf_append(out, done, (size_t)(from - done));
		event_add(out, files->files[number]);
		done = at = behind + strlen(files->ending);
	}
	buf_append(out, done, (size_t)(end - done));
}

/* Lines that tell only what was compiled. */
static void keep_said(struct go_run *r)
{
	struct buf text;
	buf_init(&text, GO_TEXT_MAX);
	rename_said(r->p, &r->said, &text);
	for (const char *at = buf_at(&text), *end = at + text.len; at && at < end;) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		size_t n = line ? (size_t)(line + 1 - at) : (size_t)(end - at);
		if (*at != '#')
			buf_append(&r->rows, at, n);
		at += n;
	}
	buf_finish(&text);
}

/* Gives errno. */
static int compile_go(struct go_run *r, bool shows, int *ret_status)
{
	struct go_pieces *p = r->p;
	const char *argv[GO_WORDS];
	char source[PATH_MAX], carry[PATH_MAX];
	size_t n = 0;
	go_piece_finish(&r->piece);
	buf_clear(&r->said);
	if (!go_source_make(&p->source, r->o->code, r->o->code_len, shows, &r->piece))
		return ENOMEM;
	snprintf(r->program, sizeof r->program, "%.*s/piece", PATH_MAX - 20, p->source.files.folder);
	r->is_direct = go_direct_build(&p->direct, &r->piece.text, r->program, &r->said, ret_status);
	if (r->is_direct)
		return 0;
	if (!write_go_file(p, "src/piece.go", buf_at(&r->piece.text), r->piece.text.len))
		return EIO;
	const char *folder = p->source.files.folder;
	snprintf(source, sizeof source, "%.*s/src/piece.go", PATH_MAX - 20, folder);
	snprintf(carry, sizeof carry, "%.*s/src/carry.go", PATH_MAX - 20, folder);
	for (; p->compiler[n] && n < GO_WORDS - 5; n++)
		argv[n] = p->compiler[n];
	argv[n++] = "-o";
	argv[n++] = r->program;
	argv[n++] = carry; /* its variables come first in the order of initialization */
	argv[n++] = source;
	argv[n] = NULL;
	return step_listen((char **)argv, &r->said, ret_status);
}

static bool is_void(const struct go_run *r)
{
	static const char words[] = "(no value) used as value";
	return r->piece.shows && r->said.len && memmem(buf_at(&r->said), r->said.len, words, strlen(words));
}

/* False: it has failed, and the event tells. */
static bool build_go(struct go_run *r, struct buf *event)
{
	struct go_pieces *p = r->p;
	char message[1000];
	int status = 0, error = make_go_ready(p);
	if (!error && !source_begin(&p->source.files, r->o->file))
		error = ENOMEM;
	if (!error)
		error = compile_go(r, true, &status);
	if (!error && status && is_void(r))
		error = compile_go(r, false, &status);
	if (error == ENOENT) {
		failure_say(event, "NotInstalled", "%s cannot be started in the sandbox: it is not there%s%s",
				p->compiler[0], *p->missing ? ": " : "", p->missing);
	} else if (error) {
		failure_say(event, "SandboxError", "the piece cannot be compiled in the sandbox: %s",
				strerror(error));
	} else if (status) {
		keep_said(r);
		diagnose_message(buf_at(&r->rows), r->rows.len, message, sizeof message);
		event_add(event, "error\"");
		failure_put(event, "CompileError", *message ? message : "the compiler gave no reason",
				&r->rows);
	}
	return !error && !status;
}

/* ---- running ---- */

/* One that does not end after an interrupt is killed. Gives waitpid()'s status. */
static int wait_for_go(pid_t pid, const struct order *o, bool (*interrupts)(void))
{
	struct reading reading = {.tell = event_input, .user = (void *)o};
	return reading_wait_or_kill(&reading, pid, interrupts, GO_KILL_TICKS);
}

static void init_report(struct go_report *report)
{
	*report = (struct go_report){0};
	struct buf *const bufs[] = {
			&report->value, &report->name, &report->message, &report->variables, &report->known};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_init(bufs[i], GO_TEXT_MAX);
}

static void finish_report(struct go_report *report)
{
	struct buf *const bufs[] = {
			&report->value, &report->name, &report->message, &report->variables, &report->known};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_finish(bufs[i]);
}

static void add_text(struct buf *out, const char *text)
{
	buf_append(out, text, strlen(text) + 1);
}

static void put_go_frame(struct go_run *r, const char *function, const char *place)
{
	struct buf row;
	const char *folder = r->p->source.files.folder;
	if (strncmp(place, folder, strlen(folder)) != 0 || strstr(place, "/terrarium.go:")
			|| strstr(place, "/src/"))
		return;
	buf_init(&row, GO_TEXT_MAX);
	event_add(&row, "  at ");
	event_add(&row, function);
	event_add(&row, *function ? " (" : "");
	event_add(&row, place);
	event_add(&row, *function ? ")\n" : "\n");
	rename_said(r->p, &row, &r->rows);
	buf_finish(&row);
}

/* The kind of a record, then its fields. */
static void take_record(struct go_run *r, struct go_report *report, const char *fields[6])
{
	switch (*fields[0]) {
	case 'D': report->is_done = true; break;
	case 'V': add_text(&report->value, fields[1]); break;
	case 'E':
		add_text(&report->name, fields[1]);
		add_text(&report->message, fields[2]);
		event_add(&r->rows, fields[1]);
		event_add(&r->rows, ": ");
		event_add(&r->rows, fields[2]);
		event_add(&r->rows, "\n");
		break;
	case 'T': put_go_frame(r, fields[1], fields[2]); break;
	case 'v':
		for (int i = 1; i <= 3; i++)
			add_text(&report->variables, fields[i]);
		add_text(&report->known, fields[1]);
		add_text(&report->known, fields[4]);
		add_text(&report->known, fields[5]);
		break;
	default: break;
	}
}

static size_t fields_of(char kind)
{
	return kind == 'v' ? 6 : kind == 'E' || kind == 'T' ? 3 : kind == 'V' ? 2 : 1;
}

static void read_report(struct go_run *r, struct go_report *report)
{
	struct buf text;
	char piece[16 * 1024];
	size_t n;
	FILE *f = fopen(r->piece.report, "re");
	buf_init(&text, GO_TEXT_MAX);
	while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
		buf_append(&text, piece, n);
	if (f)
		fclose(f);
	unlink(r->piece.report);
	buf_append(&text, "", 1);
	const char *at = buf_at(&text), *end = at ? at + text.len : at;
	while (at && at < end && *at) {
		const char *fields[6] = {"", "", "", "", "", ""};
		for (size_t i = 0, count = fields_of(*at); i < count && at < end; i++) {
			fields[i] = at;
			at += strlen(at) + 1;
		}
		take_record(r, report, fields);
	}
	buf_append(&report->variables, "", 1);
	buf_finish(&text);
}

static void put_go_value(struct buf *event, const struct go_report *report)
{
	event_add(event, "ok\"");
	if (report->value.len > 1) {
		event_add(event, ",\"value\":");
		event_add_string(event, buf_at(&report->value));
	}
}

static void put_go_outcome(struct go_run *r, int status, struct buf *event, struct go_report *report)
{
	struct go_pieces *p = r->p;
	char text[100];
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (report->is_done && code == 0) {
		unsigned old = p->source.state;
		put_go_value(event, report);
		if (!go_source_keep(&p->source, &r->piece, &report->variables))
			return;
		remove_state(p, old);
		buf_clear(&p->known);
		buf_append(&p->known, buf_at(&report->known), report->known.len);
		return;
	}
	remove_state(p, r->piece.number);
	event_add(event, code ? "error\"" : "ok\"");
	bool is_ours = report->name.len && !strcmp(buf_at(&report->name), "NotCarriedOver");
	if (!is_ours) {
		snprintf(text, sizeof text, ",\"exit_code\":%d", code);
		event_add(event, text);
	}
	if (report->name.len) {
		struct buf message;
		buf_init(&message, GO_TEXT_MAX);
		event_add(&message, buf_at(&report->message));
		event_add(&message, is_ours ? "; the variables are those before this piece" : "");
		buf_append(&message, "", 1);
		failure_put(event, buf_at(&report->name), buf_at(&message), &r->rows);
		buf_finish(&message);
	} else if (WIFSIGNALED(status)) {
		snprintf(text, sizeof text, "the piece was ended by signal %d", WTERMSIG(status));
		event_add_error(event, signal_text(WTERMSIG(status)), text);
	}
}

void go_pieces_run(struct go_pieces *p, const struct order *o, bool (*interrupts)(void), struct buf *event,
		uint64_t *ret_compile_ns)
{
	struct go_run r = {.p = p, .o = o};
	struct go_report report;
	pid_t pid;
	buf_init(&r.said, GO_TEXT_MAX);
	buf_init(&r.rows, GO_TEXT_MAX);
	init_report(&report);
	uint64_t begin_ns = clock_ns();
	bool is_built = build_go(&r, event);
	*ret_compile_ns = clock_ns() - begin_ns;
	if (is_built && !interrupts()) {
		char *argv[] = {r.program, NULL};
		event_compiled(o);
		int error = step_start(argv, -1, &pid);
		if (error) {
			failure_say(event, "SandboxError", "the piece cannot be started: %s",
					strerror(error));
		} else {
			int status = wait_for_go(pid, o, interrupts);
			if (!interrupts() || WIFEXITED(status)) {
				read_report(&r, &report);
				put_go_outcome(&r, status, event, &report);
			}
		}
	}
	if (interrupts()) {
		buf_clear(event);
		event_add(event, "interrupted\"");
	}
	if (is_built && !r.is_direct)
		go_direct_learn(&p->direct, &r.piece.text);
	finish_report(&report);
	go_piece_finish(&r.piece);
	buf_finish(&r.said);
	buf_finish(&r.rows);
}

/* ---- questions ---- */

static const char go_words[] =
		"append any bool break byte cap case chan close comparable complex complex128 complex64 const continue copy "
		"default defer delete else error fallthrough false float32 float64 for func go goto if import int int16 int32 "
		"int64 int8 interface iota len make map new nil package panic print println range recover return rune select "
		"string struct switch true type uint uint16 uint32 uint64 uint8 uintptr var";

static void add_to_question(void *user, const char *name, const char *kind)
{
	question_add(user, name, kind);
}

static void answer_go_complete(struct go_pieces *p, const struct order *o)
{
	struct question_names names;
	if (question_begin(&names, o, ".")) {
		go_source_names(&p->source, add_to_question, &names);
		question_add_words(&names, go_words);
	}
	question_end(&names);
}

static void answer_go_inspect(struct go_pieces *p, const struct order *o)
{
	struct buf known;
	char name[QUESTION_NAME_SIZE];
	bool has_name = question_name(o, name);
	buf_init(&known, GO_TEXT_MAX);
	const char *at = buf_at(&p->known), *end = at ? at + p->known.len : at;
	while (has_name && at && at < end) {
		const char *type = at + strlen(at) + 1, *value = type + strlen(type) + 1;
		const char *next = value + strlen(value) + 1;
		if (!strcmp(at, name))
			buf_append(&known, at, (size_t)(next - at));
		at = next;
	}
	question_answer_variable(o, &known);
	buf_finish(&known);
}

bool go_pieces_answer(struct go_pieces *p, const struct order *o)
{
	if (!strcmp(o->op, "complete"))
		answer_go_complete(p, o);
	else if (!strcmp(o->op, "inspect"))
		answer_go_inspect(p, o);
	else if (!strcmp(o->op, "variables"))
		question_answer_variables(o, &p->known);
	else if (strcmp(o->op, "reset") != 0)
		return false;
	else {
		remove_state(p, p->source.state);
		go_source_reset(&p->source);
		buf_clear(&p->known);
		event_reply(o, "{}");
	}
	return true;
}
