/* SPDX-License-Identifier: MIT */
#include "repl/line.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "repl/library.h"
#include "repl/paste.h"
#include "repl/typed.h"
#include "stream/sink.h"
#include "stream/tty.h"

enum { READ_BYTES = 65536, AHEAD_MAX = 1 << 20, BATCH_LEAST = 16, INDENT = 4, HISTORY_MOST = 5000 };

struct line {
	struct trm_loop *loop;
	struct sink *out;
	const struct line_cb *cb;
	void *user;
	struct trm_watch *watch;
	bool has_library;
	struct readline rl;
	FILE *paint; /* readline's output */
	line_borrow_fn *borrower;
	void *borrower_user;
	bool is_shown, is_hidden, is_suspended, passes;
	bool has_tab;
	bool is_accepted; /* readline has called back */
	char *accepted;
	struct typed typed;
	struct termios found; /* how the terminal was */
	struct paste paste;
	char *shown_prompt;
};

/* Readline is one per process, and so is what its functions without argument work on. */
static struct line *current;

/* ---- what readline calls -------------------------------------------------------------- */

static ssize_t on_paint(void *cookie, const char *bytes, size_t n)
{
	struct line *l = cookie;
	sink_put(l->out, bytes, n, 0);
	return (ssize_t)n;
}

/* Waits only in the middle of what readline does not do piecemeal, none of which is bound to a key of its
 * own. */
static int on_getc(FILE *stream)
{
	struct line *l = current;
	(void)stream;
	while (!typed_left(&l->typed) && !l->typed.is_ended)
		typed_read(&l->typed);
	return typed_left(&l->typed) ? (unsigned char)l->typed.bytes[l->typed.at++] : EOF;
}

static int on_input_available(void)
{
	return typed_left(&current->typed) > 0;
}

static void on_handler(char *text)
{
	current->is_accepted = true;
	current->accepted = text;
	current->rl.remove();
}

static char **on_attempted_completion(const char *text, int start, int end)
{
	(void)text, (void)start, (void)end;
	*current->rl.attempted_completion_over = 1; /* files of this machine are none of the sandbox's */
	return NULL;
}

/* The cursor's row, up to the cursor, is blank. */
static bool is_in_margin(const struct line *l)
{
	const char *text = *l->rl.buffer;
	int at = *l->rl.point;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at == 0 || text[at - 1] == '\n';
}

static int on_tab(int count, int key)
{
	(void)count, (void)key;
	current->has_tab = true; /* dealt with when readline is done with the key */
	return 0;
}

/* In the margin backspace takes a step of indentation away. */
static int on_rubout(int count, int key)
{
	struct line *l = current;
	const char *text = *l->rl.buffer;
	int at = *l->rl.point, column = 0;
	while (column < at && text[at - 1 - column] == ' ')
		column++;
	if (count == 1 && column >= 2 && is_in_margin(l)) {
		int step = (column - 1) % INDENT + 1;
		l->rl.delete_text(at - step, at);
		*l->rl.point = at - step;
		return 0;
	}
	return l->rl.rubout(count, key);
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Readline takes the locale's word for what a character is. */
static void initialize_in_utf8(struct line *l)
{
	const char *before = getenv("LC_ALL");
	char *kept = before ? strdup(before) : NULL;
	setlocale(LC_CTYPE, "");
	bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!is_utf8)
		setenv("LC_ALL", "C.UTF-8", 1);
	l->rl.initialize();
	if (!is_utf8 && kept)
		setenv("LC_ALL", kept, 1);
	else if (!is_utf8)
		unsetenv("LC_ALL");
	free(kept);
}

/* What the person has bound otherwise stays so. */
static void bind_over(struct line *l, const char *key, readline_command *old, readline_command *new)
{
	int kind;
	if (l->rl.function_of(key, NULL, &kind) == old && kind == READLINE_ISFUNC)
		l->rl.bind_key((unsigned char)*key, new);
}

/* Each time anew: the terminal's own erase key is bound to rl_rubout whenever a line begins. */
static void bind_keys(struct line *l)
{
	bind_over(l, "\t", l->rl.complete, on_tab);
	bind_over(l, "\177", l->rl.rubout, on_rubout);
	bind_over(l, "\b", l->rl.rubout, on_rubout);
}

static bool set_up_library(struct line *l)
{
	l->paint = fopencookie(l, "w", (cookie_io_functions_t){.write = on_paint});
	if (!l->paint)
		return false;
	*l->rl.name = "terrarium";
	*l->rl.instream = stdin;
	*l->rl.outstream = l->paint;
	*l->rl.catches_signals = *l->rl.catches_sigwinch = *l->rl.changes_environment = 0;
	*l->rl.getc_function = on_getc;
	*l->rl.input_available_hook = on_input_available;
	*l->rl.attempted_completion = on_attempted_completion;
	l->rl.add_defun("terrarium-complete", on_tab, -1);
	initialize_in_utf8(l);
	l->rl.using_history();
	l->rl.stifle_history(HISTORY_MOST);
	return true;
}

static void on_readable(void *user, int fd, uint32_t events);

int line_open(struct trm_loop *loop, struct sink *out, const struct line_cb *cb, void *user,
		struct line **ret, struct trm_error *ret_notice, struct trm_error *reterr)
{
	struct line *l = calloc(1, sizeof *l);
	if (!l)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*l = (struct line){.loop = loop, .out = out, .cb = cb, .user = user};
	current = l;
	l->has_library = readline_load(&l->rl, ret_notice) == 0 && set_up_library(l);
	tcgetattr(STDIN_FILENO, &l->found);
	tty_quiet(&l->found);
	int r = trm_loop_add_fd(loop, STDIN_FILENO, TRM_READ, on_readable, l, &l->watch, reterr);
	if (r < 0)
		line_close(l);
	else
		*ret = l;
	return r;
}

void line_close(struct line *l)
{
	if (!l)
		return;
	if (l->is_shown && l->has_library)
		l->rl.remove();
	if (l->has_library)
		l->rl.clear_history();
	trm_watch_remove(l->watch);
	if (l->paint) {
		fflush(l->paint);
		*l->rl.outstream = stdout;
		fclose(l->paint);
	}
	paste_finish(&l->paste);
	free(l->accepted);
	free(l->shown_prompt);
	typed_finish(&l->typed);
	tty_restore(&l->found);
	free(l);
	current = NULL;
}

/* ---- taking what is typed -------------------------------------------------------------------- */

static const char *front(const struct line *l)
{
	return l->typed.bytes + l->typed.at;
}

/* What is typed while nobody reads is kept, as far as that goes. */
static void update_watch(struct line *l)
{
	bool has_room = !l->typed.is_ended && (l->is_shown || typed_left(&l->typed) < AHEAD_MAX);
	bool is_wanted = l->passes || l->borrower || (has_room && !l->is_hidden);
	trm_watch_set_events(l->watch, is_wanted && !l->is_suspended ? TRM_READ : 0);
}

/* No line is shown, and nobody reads: what is typed shall not stand among what is printed. */
static void make_quiet(const struct line *l)
{
	tty_quiet(&l->found);
}

static void insert(struct line *l, const char *text, size_t n)
{
	if ((size_t)*l->rl.end + n > LINE_MAX_BYTES) {
		l->rl.ding();
		return;
	}
	l->rl.begin_undo_group();
	l->rl.insert_text(text);
	l->rl.end_undo_group();
	l->rl.redisplay();
}

/* How many bytes at the front of the queue stand for nothing but themselves. */
static size_t plain_run(const struct line *l)
{
	size_t n = 0;
	int kind;
	while (n < typed_left(&l->typed) && (unsigned char)front(l)[n] >= ' ' && front(l)[n] != 0x7f)
		n++;
	while (n && n == typed_left(&l->typed) && ((unsigned char)front(l)[n - 1] & 0x80))
		n--; /* the rest of a character may still come */
	bool is_plain = n >= BATCH_LEAST && !(*l->rl.state & READLINE_STATE_BUSY)
			&& l->rl.function_of("a", NULL, &kind) == l->rl.insert;
	return is_plain ? n : 0;
}

static bool insert_run(struct line *l)
{
	size_t n = plain_run(l);
	char *text = n ? strndup(front(l), n) : NULL;
	if (!text)
		return false;
	l->typed.at += n;
	insert(l, text, n);
	free(text);
	return true;
}

/* One step; false: more bytes are needed. */
static bool take_step(struct line *l)
{
	size_t used = 0;
	switch (paste_feed(&l->paste, front(l), typed_left(&l->typed), &used)) {
	case PASTE_MORE: l->typed.at += used; return false;
	case PASTE_DONE:
		l->typed.at += used;
		if (l->paste.is_cut)
			l->rl.ding();
		else if (!(*l->rl.state & READLINE_STATE_BUSY))
			insert(l, l->paste.text, l->paste.n);
		return true;
	case PASTE_NONE: break;
	}
	if (!insert_run(l))
		l->rl.read_char();
	if (l->has_tab)
		l->cb->tab(l->user);
	l->has_tab = false;
	return true;
}

static void deliver(struct line *l)
{
	char *text = l->accepted;
	l->accepted = NULL;
	l->is_accepted = false;
	l->is_shown = l->is_hidden = false;
	if (l->paint)
		fflush(l->paint);
	make_quiet(l);
	update_watch(l);
	l->cb->accepted(l->user, text);
	free(text);
}

/* Without the library: a line as the terminal has edited it. */
static void take_plain(struct line *l)
{
	const char *end = memchr(front(l), '\n', typed_left(&l->typed));
	if (!end && l->typed.is_ended && typed_left(&l->typed) && typed_add(&l->typed, "\n", 1))
		end = l->typed.bytes + l->typed.n - 1;
	if (!end && !l->typed.is_ended)
		return;
	l->is_accepted = true;
	if (end) {
		size_t n = (size_t)(end - (front(l)));
		l->accepted = strndup(front(l), n);
		l->typed.at += n + 1;
	}
}

static void take_typed(struct line *l)
{
	while (l->is_shown && !l->is_accepted && l->has_library && typed_left(&l->typed) && take_step(l))
		;
	if (!l->has_library && l->is_shown && (typed_left(&l->typed) || l->typed.is_ended))
		take_plain(l);
	if (l->typed.is_ended && !l->is_accepted && l->is_shown && l->has_library) {
		l->rl.remove();
		l->is_accepted = true;
	}
	if (l->paint)
		fflush(l->paint);
	if (l->is_accepted)
		deliver(l);
}

/* What is typed behind a Ctrl-C belongs behind it. */
static bool interrupt_is_pending(void)
{
	sigset_t set;
	return sigpending(&set) == 0 && sigismember(&set, SIGINT) == 1;
}

static void pass_on(struct line *l)
{
	char bytes[READ_BYTES];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	n = n < 0 ? 0 : n;
	if (l->borrower)
		l->borrower(l->borrower_user, bytes, (size_t)n);
	else
		l->cb->passed(l->user, bytes, (size_t)n);
}

void line_borrow(struct line *l, line_borrow_fn *fn, void *user)
{
	l->borrower = fn;
	l->borrower_user = user;
	update_watch(l);
}

void line_type_ahead(struct line *l, const char *bytes, size_t n)
{
	typed_add(&l->typed, bytes, n);
}

void line_pass(struct line *l, bool is_on)
{
	if (is_on && !l->passes)
		tty_restore(&l->found);
	else if (!is_on && l->passes && !l->is_shown)
		make_quiet(l);
	l->passes = is_on;
	update_watch(l);
}

static void on_readable(void *user, int fd, uint32_t events)
{
	struct line *l = user;
	(void)fd;
	(void)events;
	if (l->passes || l->borrower) {
		pass_on(l);
	} else if (!interrupt_is_pending()) {
		typed_read(&l->typed);
		take_typed(l);
		update_watch(l);
	}
}

char *line_take_ahead(struct line *l, size_t *ret_n)
{
	if (!l->passes)
		typed_poll(&l->typed);
	size_t n = typed_left(&l->typed);
	char *text = n ? strndup(front(l), n) : NULL;
	*ret_n = text ? strlen(text) : 0;
	for (size_t i = 0; i < *ret_n; i++)
		text[i] = text[i] == '\r' ? '\n' : text[i];
	typed_clear(&l->typed);
	return text;
}

/* ---- showing ---------------------------------------------------------------------------------- */

bool line_is_shown(const struct line *l)
{
	return l->is_shown;
}

/* The prompt without the marks of readline. */
static void print_prompt(struct line *l, const char *prompt)
{
	for (const char *p = prompt; *p; p++)
		if (*p != '\001' && *p != '\002')
			sink_put(l->out, p, 1, 0);
}

void line_show(struct line *l, const char *prompt, const char *text)
{
	free(l->shown_prompt);
	l->shown_prompt = strdup(prompt);
	l->is_shown = true;
	l->is_hidden = false;
	typed_poll(&l->typed);
	tty_restore(&l->found); /* readline starts from what the terminal was like */
	if (l->has_library) {
		l->rl.reset_screen_size();
		l->rl.install(prompt, on_handler);
		bind_keys(l);
		/* What comes at once was not typed, and has its own indentation. */
		if (*text && !typed_left(&l->typed)) {
			l->rl.insert_text(text);
			l->rl.redisplay();
		}
		fflush(l->paint);
	} else {
		print_prompt(l, prompt);
	}
	if (typed_left(&l->typed) || l->typed.is_ended)
		take_typed(l);
	update_watch(l);
}

void line_set_prompt(struct line *l, const char *prompt)
{
	if (!l->is_shown)
		return;
	free(l->shown_prompt);
	l->shown_prompt = strdup(prompt);
	if (l->has_library && !(*l->rl.state & READLINE_STATE_BUSY))
		l->rl.set_prompt(prompt);
}

void line_drop(struct line *l, const char *why)
{
	if (!l || !l->is_shown)
		return;
	if (l->has_library) {
		l->rl.signal_cleanup();
		*l->rl.point = *l->rl.end;
		l->rl.redisplay();
		fflush(l->paint);
		sink_put(l->out, why, strlen(why), 0);
		l->rl.free_line_state();
		l->rl.remove();
		fflush(l->paint);
	}
	sink_put(l->out, "\n", 1, 0);
	paste_finish(&l->paste);
	typed_clear(&l->typed);
	l->is_shown = l->is_hidden = false;
	make_quiet(l);
	update_watch(l);
}

void line_hide(struct line *l)
{
	if (!l->is_shown || l->is_hidden)
		return;
	l->is_hidden = true;
	update_watch(l);
	if (!l->has_library) {
		sink_put(l->out, "\n", 1, 0);
		return;
	}
	l->rl.clear_visible_line();
	fflush(l->paint);
}

void line_unhide(struct line *l)
{
	if (!l->is_shown || !l->is_hidden)
		return;
	l->is_hidden = false;
	update_watch(l);
	if (!l->has_library) {
		print_prompt(l, l->shown_prompt ? l->shown_prompt : "> ");
		return;
	}
	l->rl.on_new_line();
	l->rl.redisplay();
	fflush(l->paint);
}

void line_resize(struct line *l)
{
	if (!l || !l->is_shown || !l->has_library || l->is_suspended)
		return;
	l->rl.resize_terminal();
	fflush(l->paint);
}

void line_suspend(struct line *l)
{
	if (!l)
		return;
	if (l->is_shown && l->has_library)
		l->rl.deprep_terminal();
	if (l->paint)
		fflush(l->paint);
	tty_restore(&l->found);
	l->is_suspended = true;
	update_watch(l);
}

void line_resume(struct line *l)
{
	if (!l)
		return;
	l->is_suspended = false;
	update_watch(l);
	if (!l->is_shown && !l->passes)
		make_quiet(l);
	if (!l->is_shown || !l->has_library)
		return;
	l->rl.prep_terminal(1);
	l->rl.on_new_line();
	l->rl.redisplay();
	fflush(l->paint);
}

/* ---- the text ------------------------------------------------------------------------------------ */

const char *line_text(const struct line *l)
{
	return l->has_library && l->is_shown ? *l->rl.buffer : "";
}

size_t line_point(const struct line *l)
{
	return l->has_library && l->is_shown ? (size_t)*l->rl.point : 0;
}

void line_replace(struct line *l, size_t from, size_t to, const char *text)
{
	if (!l->has_library || !l->is_shown || from > to || to > (size_t)*l->rl.end)
		return;
	l->rl.begin_undo_group();
	l->rl.delete_text((int)from, (int)to);
	*l->rl.point = (int)from;
	l->rl.insert_text(text);
	l->rl.end_undo_group();
	l->rl.redisplay();
	fflush(l->paint);
}

void line_bell(struct line *l)
{
	if (l->has_library)
		l->rl.ding();
}

void line_history_clear(struct line *l)
{
	if (l && l->has_library)
		l->rl.clear_history();
}

void line_history_add(struct line *l, const char *text)
{
	if (l && l->has_library)
		l->rl.add_history(text);
}
