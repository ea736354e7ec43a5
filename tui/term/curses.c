/* SPDX-License-Identifier: MIT */
/* The painter. Only this file and curses_cell.c know curses.
 *
 * Theory of operation. The views' canvas is compared with the one painted last. Cells that differ become
 * curses cells. Curses finds the cheapest bytes for them, and these leave in one write (frame.h). */
#include "term/curses_cell.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "term/crash_restore.h"
#include "term/curses_links.h"
#include "term/direct.h"
#include "term/frame.h"
#include "term/keys.h"
#include "term/term.h"
#include "term/term_internal.h"
#include "term/terminal_query.h"
#include <terrarium/error.h>

struct screen {
	SCREEN *curses;
	cchar_t *row; /* one row, converted for curses */
	struct curses_look look;
	struct frame frame;
};

/* ---- opening ---- */

static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define SIGNALS (sizeof(curses_signals) / sizeof(*curses_signals))

static void on_no_stop(int signo)
{
	(void)signo;
}

/* newterm(), but signal handlers stay as the program set them. curses ignores SIGTSTP while it writes, unless
 * it finds a handler at the start. Linux forgets a signal that waits to be read if it is ignored in between.
 */
static SCREEN *newterm_quietly(const char *name)
{
	struct sigaction saved[SIGNALS];
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(curses_signals[i], NULL, &saved[i]);
	sigaction(SIGTSTP, &(struct sigaction){.sa_handler = on_no_stop, .sa_flags = SA_RESTART}, NULL);
	SCREEN *s = newterm(name, stdout, stdin);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(curses_signals[i], &saved[i], NULL);
	return s;
}

/* A screen with 24-bit color by our own terminfo entry. NULL: that failed. */
static SCREEN *open_direct(void)
{
	const char *before = getenv("TERMINFO");
	char *kept = before ? strdup(before) : NULL, *entry = direct_terminfo();
	SCREEN *s = NULL;
	if (entry && (!before || kept) && setenv("TERMINFO", entry, 1) == 0) {
		s = newterm_quietly(DIRECT_NAME);
		if (kept)
			setenv("TERMINFO", kept, 1);
		else
			unsetenv("TERMINFO");
	}
	free(kept);
	free(entry);
	return s;
}

static bool is_color_forbidden(void)
{
	const char *no = getenv("NO_COLOR");
	return no && *no;
}

static enum color_depth find_depth(bool is_direct)
{
	int colors = tigetnum("colors"); /* COLORS is unknown before start_color() */
	if (is_color_forbidden() || !has_colors())
		return DEPTH_NONE;
	return is_direct ? DEPTH_RGB : colors >= 256 ? DEPTH_256 : colors >= 16 ? DEPTH_16 : DEPTH_8;
}

/* Open curses for TERM, with 24-bit color if the terminal has it and `depth` allows it. */
static int open_screen(int depth, SCREEN **ret, enum color_depth *ret_depth, struct trm_error *reterr)
{
	const char *name = getenv("TERM");
	bool wants_direct = depth < 0 ? direct_is_wanted() && !is_color_forbidden() : depth == DEPTH_RGB;
	SCREEN *s = wants_direct ? open_direct() : NULL;
	bool is_direct = s != NULL;
	if (!s)
		s = newterm_quietly(name);
	if (!s)
		return trm_error_set(reterr, TRM_ENOENT,
				"The terminal \"%s\" (TERM) is unknown on this machine; try"
				" TERM=xterm-256color, or install the package ncurses-term.",
				name);
	const char *cup = tigetstr("cup");
	if (!cup || cup == (char *)-1) {
		endwin();
		delscreen(s);
		return trm_error_set(reterr, TRM_ENOTSUP,
				"The terminal \"%s\" (TERM) is too simple for the workbench: its"
				" cursor can't be moved. Use `terrarium --linear` or `terrarium run` instead.",
				name);
	}
	enum color_depth most = find_depth(is_direct);
	*ret_depth = depth < 0 || (int)most < depth ? most : (enum color_depth)depth;
	*ret = s;
	return 0;
}

/* False: the person's own locale is another. */
static bool use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!is_utf8)
		setlocale(LC_CTYPE, "C.UTF-8");
	return is_utf8;
}

static const char *string_of(const char *capability)
{
	const char *s = tigetstr(capability);
	return s && s != (char *)-1 ? s : "";
}

/* Add the key sequences of this terminal that keys.h does not know. */
static void add_keys(struct keys *k)
{
	static const struct {
		const char *capability;
		uint32_t key;
		uint8_t mods;
	} table[] = {{"kf1", K_F1, 0}, {"kf2", K_F2, 0}, {"kf3", K_F3, 0}, {"kf4", K_F4, 0}, {"kf5", K_F5, 0},
			{"kf6", K_F6, 0}, {"kf7", K_F7, 0}, {"kf8", K_F8, 0}, {"kf9", K_F9, 0},
			{"kf10", K_F10, 0}, {"kf11", K_F11, 0}, {"kf12", K_F12, 0}, {"kcuu1", K_UP, 0},
			{"kcud1", K_DOWN, 0}, {"kcub1", K_LEFT, 0}, {"kcuf1", K_RIGHT, 0},
			{"khome", K_HOME, 0}, {"kend", K_END, 0}, {"kpp", K_PAGE_UP, 0},
			{"knp", K_PAGE_DOWN, 0}, {"kich1", K_INSERT, 0}, {"kdch1", K_DELETE, 0},
			{"kcbt", K_TAB, MOD_SHIFT}, {"kent", K_ENTER, 0}};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const char *s = string_of(table[i].capability);
		if (*s && s[1]) /* one byte is a control key, which is known */
			keys_add(k, s, table[i].key, table[i].mods);
	}
}

/* A terminfo string without its padding ("$<5/>"). */
static size_t copy_unpadded(char *out, size_t cap, const char *s)
{
	size_t n = 0;
	while (*s && n < cap) {
		const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
		if (end)
			s = end + 1;
		else
			out[n++] = *s++;
	}
	return n;
}

/* Without an alternate screen the painting stays visible, and the shell's prompt belongs below it. */
static bool has_alternate_screen(void)
{
	return *string_of("rmcup") != '\0';
}

static const char below[] = "\r\n"; /* goes one line down from the last row, which scrolls */

static void leave_curses(struct term *t)
{
	term_drop_pictures(t);
	term_write(t->modes_off, strlen(t->modes_off));
	endwin(); /* moves to the last row */
	if (!has_alternate_screen())
		term_write(below, strlen(below));
	tcsetattr(0, TCSADRAIN, &t->shell_mode);
}

static void arm_rescue(const struct term *t)
{
	static const char *const last[] = {"sgr0", "op", "cnorm", "rmcup"};
	char bytes[512];
	size_t n = copy_unpadded(bytes, sizeof(bytes), t->modes_off);
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++)
		n += copy_unpadded(bytes + n, sizeof(bytes) - n, string_of(last[i]));
	if (!has_alternate_screen()) {
		n += copy_unpadded(bytes + n, sizeof(bytes) - n, tiparm(string_of("cup"), LINES - 1, 0));
		n += copy_unpadded(bytes + n, sizeof(bytes) - n, below);
	}
	crash_restore_arm(bytes, n, &t->shell_mode);
}

static void set_up_curses(enum color_depth depth)
{
	raw();
	noecho();
	nonl();
	typeahead(-1); /* otherwise curses would check fd 0 and leave a frame half painted */
	if (depth != DEPTH_NONE) {
		start_color();
		use_default_colors();
	}
}

static int check_fds(struct trm_error *reterr)
{
	const char *name = getenv("TERM");
	if (!isatty(0) || !isatty(1))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"The workbench needs a terminal, but standard %s is none; use"
				" `terrarium run` in scripts and pipes.",
				isatty(0) ? "output" : "input");
	if (!name || !*name)
		return trm_error_set(reterr, TRM_EINVAL,
				"TERM is not set, so it is unknown what the terminal can do; try"
				" TERM=xterm-256color.");
	return 0;
}

int term_open(const struct term_opts *opts, struct term **ret, struct trm_error *reterr)
{
	int r = check_fds(reterr);
	if (r < 0)
		return r;
	bool is_utf8 = use_utf8();
	struct term *t = calloc(1, sizeof(*t));
	struct screen *s = calloc(1, sizeof(*s));
	struct keys *k = keys_create();
	r = t && s && k && tcgetattr(0, &t->shell_mode) == 0
			    ? 0
			    : trm_error_set(reterr, TRM_ENOMEM, "Not enough memory for the workbench.");
	if (r == 0)
		r = open_screen(opts ? opts->depth : -1, &s->curses, &t->depth, reterr);
	if (r < 0) {
		keys_destroy(k);
		free(s);
		free(t);
		return r;
	}
	frame_init(&s->frame);
	t->screen = s;
	t->keys = k;
	t->is_all_stale = true;
	t->is_utf8 = is_utf8;
	t->has_mouse = !(opts && opts->no_mouse);
	if (t->depth == DEPTH_NONE)
		theme_builtin("mono", &t->mono, NULL);
	modes_choose(t);
	arm_rescue(t);
	set_up_curses(t->depth);
	add_keys(k);
	*ret = t;
	return 0;
}

void term_close(struct term *t)
{
	if (!t)
		return;
	leave_curses(t);
	crash_restore_disarm();
	delscreen(t->screen->curses);
	canvas_finish(&t->last);
	keys_destroy(t->keys);
	frame_finish(&t->screen->frame);
	free(t->screen->row);
	free(t->screen);
	free(t);
}

void term_suspend(struct term *t)
{
	leave_curses(t);
	crash_restore_disarm();
}

void term_resume(struct term *t)
{
	arm_rescue(t);
	reset_prog_mode();
	t->has_modes = false;
	t->is_all_stale = true;
}

enum color_depth term_depth(const struct term *t)
{
	return t->depth;
}

void term_size(const struct term *t, int *ret_rows, int *ret_cols)
{
	struct winsize w = {0};
	(void)t;
	bool is_known = ioctl(1, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 && w.ws_col > 0;
	*ret_rows = is_known ? w.ws_row : LINES;
	*ret_cols = is_known ? w.ws_col : COLS;
}

/* ---- painting ---- */

struct curses_look *term_look(struct term *t)
{
	return &t->screen->look;
}

/* Give a row with links to curses, with blanks where there are or were some. */
static void paint_linked_row(struct term *t, const struct canvas *c, int row)
{
	const struct cell *now = c->cells + (size_t)row * (size_t)c->cols;
	struct cell *was = t->last.cells + (size_t)row * (size_t)c->cols, blank = {.text = " ", .width = 1};
	size_t n = 0;
	for (int col = 0; col < c->cols; col++) {
		bool is_blank = now[col].link || was[col].link;
		blank.style = now[col].style;
		for (int i = 0; i < now[col].width && is_blank; i++)
			n += curses_cell(&t->screen->look, t, &blank, t->screen->row + n);
		if (now[col].width > 0 && !is_blank)
			n += curses_cell(&t->screen->look, t, &now[col], t->screen->row + n);
		was[col] = now[col];
		if (is_blank)
			was[col].link = LINK_AWAITED;
	}
	mvadd_wchnstr(row, 0, t->screen->row, (int)n);
	t->awaits_links = true;
}

/* Give the changed columns of a row to curses. False: there are none. */
static bool paint_row(struct term *t, const struct canvas *c, int row, int first, int last)
{
	const struct cell *now = c->cells + (size_t)row * (size_t)c->cols;
	struct cell *was = t->last.cells + (size_t)row * (size_t)c->cols;
	bool has_links = t->has_links && (links_in_row(now, c->cols) || links_in_row(was, c->cols));
	if (has_links) {
		if (!t->is_all_stale && memcmp(now, was, (size_t)c->cols * sizeof(*now)) == 0)
			return false;
		paint_linked_row(t, c, row);
		return true;
	}
	if (!t->is_all_stale) {
		if (memcmp(now + first, was + first, (size_t)(last - first + 1) * sizeof(*now)) == 0)
			return false;
		while (memcmp(&now[first], &was[first], sizeof(*now)) == 0)
			first++;
		while (memcmp(&now[last], &was[last], sizeof(*now)) == 0)
			last--;
		while (first > 0 && now[first].width == 0)
			first--;
	}
	size_t n = 0;
	for (int col = first; col <= last; col++)
		if (now[col].width > 0)
			n += curses_cell(&t->screen->look, t, &now[col], t->screen->row + n);
	mvadd_wchnstr(row, first, t->screen->row, (int)n);
	memcpy(was + first, now + first, (size_t)(last - first + 1) * sizeof(*now));
	return true;
}

/* The area that may differ from the last frame. */
static struct rect stale_area(const struct term *t, const struct canvas *c)
{
	return t->is_all_stale ? (struct rect){0, 0, c->rows, c->cols} : c->touched;
}

/* Keep the theme, if its looks differ from those of the last frame. */
static void take_theme(struct term *t, const struct theme *theme)
{
	if (t->depth == DEPTH_NONE)
		theme = &t->mono;
	if (!t->is_all_stale && memcmp(t->theme.looks, theme->looks, sizeof(theme->looks)) == 0)
		return;
	t->theme = *theme;
	for (int role = 0; role < ROLE_COUNT; role++)
		t->looks[role] = theme_style(theme, (enum role)role, t->depth);
	t->screen->look.has_style = false;
	t->is_all_stale = true;
}

static bool take_size(struct term *t, const struct canvas *c)
{
	if (t->last.cells && t->last.rows == c->rows && t->last.cols == c->cols)
		return true;
	/* A flag may need one cell more than there are columns left. */
	cchar_t *row = realloc(t->screen->row, ((size_t)c->cols + 2) * sizeof(*row));
	if (!row)
		return false;
	t->screen->row = row;
	if ((t->last.cells ? canvas_resize(&t->last, c->rows, c->cols)
			   : canvas_init(&t->last, c->rows, c->cols))
			< 0)
		return false;
	if (LINES != c->rows || COLS != c->cols) {
		resize_term(c->rows, c->cols);
		arm_rescue(t); /* the last row has moved */
	}
	t->is_all_stale = true;
	clearok(stdscr, TRUE);
	return true;
}

/* New answers about emoji change how emoji are painted, so the screen is repainted. */
static void take_answers(struct term *t)
{
	int n = keys_answers(t->keys)->n_positions;

	t->is_all_stale |= n != t->n_emoji_answers;
	t->n_emoji_answers = n;
}

/* Have curses write rows again that it takes for blank, because pixels cover them. */
static void write_rows_anew(int row, int rows)
{
	wredrawln(stdscr, row, rows);
}

void term_paint(struct term *t, struct canvas *c, const struct theme *theme)
{
	bool differs = false;
	if (!take_size(t, c))
		return;
	take_theme(t, theme);
	take_answers(t);
	if (t->is_all_stale)
		pictures_cleared(&t->pictures);
	bool has_moved = pictures_compare(&t->pictures, c);
	t->has_links |= canvas_has_links(c);
	bool is_renumbered = links_renumbered(t, c);
	if (t->has_links && (has_moved || is_renumbered || t->wants_answer || t->wants_sync)) {
		links_spoil(t); /* curses may write rows anew */
		c->touched = (struct rect){0, 0, c->rows, c->cols};
	}
	idcok(stdscr, !t->has_links); /* a terminal moves links along with the cells behind what it inserts */
	struct rect area = stale_area(t, c);
	for (int row = area.row; row < area.row + area.rows && area.cols > 0; row++)
		differs |= paint_row(t, c, row, area.col, area.col + area.cols - 1);
	c->touched = (struct rect){0};
	if (!differs && !has_moved && !t->wants_answer && !t->is_all_stale
			&& c->cursor_row == t->last.cursor_row && c->cursor_col == t->last.cursor_col
			&& c->hides_cursor == t->last.hides_cursor)
		return;
	t->last.cursor_row = c->cursor_row;
	t->last.cursor_col = c->cursor_col;
	t->last.hides_cursor = c->hides_cursor;
	t->is_all_stale = false;
	if (has_moved)
		pictures_before(&t->pictures, write_rows_anew);
	bool is_caught = frame_catch(&t->screen->frame);
	if (term_ask_now(t, c->rows - 1))
		write_rows_anew(c->rows - 1, 1);
	if (t->awaits_links) {
		refresh();
		links_paint(t, c);
	}
	t->awaits_links = false;
	t->has_links = canvas_has_links(c);
	curs_set(c->cursor_row >= 0 && !c->hides_cursor);
	if (c->cursor_row >= 0)
		move(c->cursor_row, c->cursor_col);
	refresh();
	if (is_caught)
		frame_send(&t->screen->frame, keys_answers(t->keys)->has_sync);
	if (has_moved)
		term_paint_pictures(t);
	/* Only now is the terminal on its alternate screen, which has its own key modes. */
	if (!t->has_modes) {
		term_write(t->modes_on, strlen(t->modes_on));
		term_want_sync(t);
	}
	t->has_modes = true;
}

void term_repaint_all(struct term *t)
{
	t->is_all_stale = true;
	clearok(stdscr, TRUE);
}
