/* SPDX-License-Identifier: MIT */
/* The linear workbench: lines from standard input and to standard output. The terminal keeps its mode, but
 * does not echo while a secret is typed. From a pipe or a file, the next line is read when the previous one
 * has had its effect. A person's line is read at once. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "linear/linear.h"
#include "model/update.h"
#include "text/text.h"

#define LINE_MAX_BYTES ((size_t)16 << 20) /* limit for input that was not handled yet */
#define READ_BYTES 65536

struct app_lines {
	struct linear linear;
	struct writer typed; /* input */
	size_t taken;        /* bytes of it that were handled */
	bool is_ended;       /* end of the input */
	bool is_end_reported;
	bool is_file;   /* a file is always readable, but cannot be waited for */
	bool is_silent; /* the terminal does not echo */
	struct termios before;
	struct trm_watch *watch;
};

/* ---- out ---- */

static void print_linear(struct app *a)
{
	struct writer *w = &a->linear->linear.out;

	for (size_t at = 0; at < w->n;) {
		ssize_t n = write(STDOUT_FILENO, w->bytes + at, w->n - at);
		if (n > 0) {
			at += (size_t)n;
		} else if (errno != EINTR) {
			a->ended_by = errno == EPIPE ? SIGPIPE : a->ended_by;
			app_quit(a);
			break;
		}
	}
	writer_clear(w);
}

/* Turn off the echo while a secret is typed. */
static void set_echo(struct app *a)
{
	struct app_lines *s = a->linear;
	bool wants_silence = a->model.run.reads_line && a->model.run.is_secret && s->linear.has_person;
	struct termios t = s->before;

	if (wants_silence == s->is_silent)
		return;
	if (wants_silence) {
		if (tcgetattr(STDIN_FILENO, &s->before) < 0)
			return;
		t = s->before;
		t.c_lflag &= ~(tcflag_t)ECHO;
		t.c_lflag |= ECHONL;
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &t);
	s->is_silent = wants_silence;
}

/* ---- in ---- */

static void send_from_line(void *user, struct msg *msg)
{
	app_send(user, msg);
}

static void on_line(struct app *a, const char *line)
{
	linear_line(&a->linear->linear, &a->model, line);
	a->model.needs_draw = true; /* what the line has said is printed */
}

bool app_linear_has_person(const struct app *a)
{
	return a->linear->linear.has_person;
}

bool app_linear_interrupt(struct app *a)
{
	if (!a->linear->linear.has_person && !model_is_running(&a->model))
		return false;
	linear_interrupt(&a->linear->linear, &a->model);
	a->model.needs_draw = true;
	return true;
}

static bool may_take(const struct app *a)
{
	const struct model *m = &a->model;
	bool is_quiet = linear_is_ready(&a->linear->linear, m)
			&& (m->replay.is_on || m->sandbox.state != SANDBOX_STARTING);

	return a->linear->linear.has_person || is_quiet;
}

static bool take_line(struct app *a)
{
	struct app_lines *s = a->linear;
	char *start = s->typed.bytes + s->taken;
	size_t left = s->typed.n - s->taken;
	char *newline = left ? memchr(start, '\n', left) : NULL;

	if (!may_take(a) || (!newline && !(s->is_ended && left)))
		return false;
	size_t n = newline ? (size_t)(newline - start) : left;
	char *line = strndup(start, n);
	s->taken += n + (newline != NULL);
	if (line)
		on_line(a, line);
	free(line);
	if (s->taken == s->typed.n) {
		writer_clear(&s->typed);
		s->taken = 0;
	}
	return true;
}

static void on_linear_end(struct app *a)
{
	linear_end(&a->linear->linear, &a->model);
	a->model.needs_draw = true;
}

/* Handle the lines that may be handled now, then the end of the input. Then print the results. */
void app_linear_turn(struct app *a)
{
	struct app_lines *s = a->linear;

	do {
		if (linear_report(&s->linear, &a->model))
			on_line(a, ""); /* the message was printed and needs no answer */
		print_linear(a);
		set_echo(a);
	} while (!a->is_quitting && take_line(a));
	if (s->is_ended && !s->is_end_reported && s->typed.n == s->taken && may_take(a) && !a->is_quitting) {
		s->is_end_reported = true;
		on_linear_end(a);
		linear_report(&s->linear, &a->model);
	}
	if (!a->is_quitting)
		linear_prompt(&s->linear, &a->model);
	print_linear(a);
	a->model.needs_draw = a->model.needs_editor_draw = a->model.needs_metrics_draw = false;
}

static void read_some(struct app *a)
{
	struct app_lines *s = a->linear;
	char bytes[READ_BYTES];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

	if (n > 0)
		writer_put(&s->typed, bytes, (size_t)n);
	if (n == 0 && s->linear.has_person) {
		on_linear_end(a); /* a key after which more may come; the second one leaves */
		return;
	}
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN) || s->typed.error) {
		s->is_ended = true;
		trm_watch_remove(s->watch);
		s->watch = NULL;
	}
	a->model.needs_draw = true;
}

static void on_linear_input(void *user, int fd, uint32_t events)
{
	struct app *a = user;

	(void)fd, (void)events;
	read_some(a);
}

/* ---- start and end ---- */

int app_linear_open(struct app *a, struct trm_error *reterr)
{
	struct app_lines *s = calloc(1, sizeof *s);

	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "the workbench cannot start: out of memory");
	linear_init(&s->linear, isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), send_from_line, a);
	writer_init(&s->typed, LINE_MAX_BYTES);
	a->linear = s;
	if (s->linear.has_person)
		linear_say(&s->linear,
				"terrarium, linear mode. Type code, then :run; :help explains, :quit leaves.");
	return 0;
}

void app_linear_begin(struct app *a)
{
	struct model *m = &a->model;
	bool is_any = false;

	for (size_t i = 0; i < m->buffers.n; i++)
		is_any |= m->buffers.items[i]->editor.path || text_len(m->buffers.items[i]->editor.text) > 0;
	if (!is_any)
		return;
	if (model_editor(m)->path || text_len(model_editor(m)->text) > 0)
		buffer_new(m, &a->effects);
	linear_say_buffers(&a->linear->linear, m, false);
}

int app_linear_watch(struct app *a, struct trm_error *reterr)
{
	int r = trm_loop_add_fd(
			a->loop, STDIN_FILENO, TRM_READ, on_linear_input, a, &a->linear->watch, reterr);

	if (r != TRM_ENOTSUP)
		return r;
	*reterr = (struct trm_error){0};
	while (!a->linear->is_ended) /* a file cannot be waited for */
		read_some(a);
	return 0;
}

void app_linear_close(struct app *a)
{
	struct app_lines *s = a->linear;

	if (!s)
		return;
	if (s->is_silent)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
	trm_watch_remove(s->watch);
	writer_finish(&s->typed);
	linear_finish(&s->linear);
	free(s);
	a->linear = NULL;
}
