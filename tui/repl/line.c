/* SPDX-License-Identifier: MIT */
#include "repl/line.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "repl/line_internal.h"

enum { INDENT = 4, HISTORY_MOST = 5000 };

/* Readline exists once per process, and its callbacks take no user argument, so the current line is
 * global. */
static struct line *current;

/* ---- callbacks of readline ------------------------------------------------------------ */

static ssize_t on_paint(void *cookie, const char *bytes, size_t n)
{
	struct line *l = cookie;
	sink_put(l->out, bytes, n, 0);
	return (ssize_t)n;
}

/* Blocks only inside multi-key operations for which readline has no callback interface. None of them is
 * bound to a key of its own. */
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
	*current->rl.attempted_completion_over = 1; /* files of this machine are not files of the sandbox */
	return NULL;
}

/* Only blanks precede the cursor in its row. */
static bool is_in_margin(const struct line *l)
{
	const char *text = *l->rl.buffer;
	int at = *l->rl.point;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at == 0 || text[at - 1] == '\n';
}

static int on_line_tab(int count, int key)
{
	(void)count, (void)key;
	current->has_tab = true; /* handled after readline has finished the key */
	return 0;
}

/* At the start of a row, backspace removes one step of indentation. */
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

/* Readline uses the encoding of the locale. */
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

/* Keep keys that the user has bound to other functions. */
static void bind_over(struct line *l, const char *key, readline_command *old, readline_command *new)
{
	int kind;
	if (l->rl.function_of(key, NULL, &kind) == old && kind == READLINE_ISFUNC)
		l->rl.bind_key((unsigned char)*key, new);
}

static void bind_keys(struct line *l)
{
	bind_over(l, "\t", l->rl.complete, on_line_tab);
	bind_over(l, "\177", l->rl.rubout, on_rubout);
	bind_over(l, "\b", l->rl.rubout, on_rubout);
}

/* Bind the keys for every line, because readline binds the terminal's erase key to rl_rubout at the start
 * of each line. */
void line_install(struct line *l, const char *prompt)
{
	l->rl.reset_screen_size();
	l->rl.install(prompt, on_handler);
	bind_keys(l);
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
	l->rl.add_defun("terrarium-complete", on_line_tab, -1);
	initialize_in_utf8(l);
	l->rl.using_history();
	l->rl.stifle_history(HISTORY_MOST);
	return true;
}

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
	int r = trm_loop_add_fd(loop, STDIN_FILENO, TRM_READ, line_on_readable, l, &l->watch, reterr);
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
	typed_finish(&l->held);
	tty_restore(&l->found);
	free(l);
	current = NULL;
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
