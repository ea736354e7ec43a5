/* SPDX-License-Identifier: MIT */
/* The painter: the only file that knows curses.
 *
 * Theory of operation. The views' canvas is compared with the one painted last;
 * the cells that differ become curses cells, and curses finds the cheapest
 * bytes for them. Curses believes in libc's idea of how wide a character is, so only
 * what libc and our own table (text/cluster.h) agree on is handed to it; of a
 * cluster, that is its first code point and the marks on it. What a terminal might
 * widen (variation selectors, what follows a joiner) is left out, and a flag goes as
 * its two letters. So no terminal's columns drift from ours.
 *
 * Colours are pairs in curses, of which there are as many as the terminal has;
 * alloc_pair(3) keeps those in use and drops the oldest. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "term/answer.h"
#include "term/direct.h"
#include "term/internal.h"
#include "term/keys.h"
#include "term/rescue.h"
#include "term/squeeze.h"
#include "term/term.h"
#include "text/cluster.h"
#include <terrarium/error.h>

#define REPLACEMENT 0xFFFDu
#define BIG_FRAME 1024 /* bytes */

struct screen {
	SCREEN *curses;
	cchar_t *row;       /* one row on its way to curses */
	struct style style; /* the last one looked up, and what it was found to be */
	attr_t attrs;
	int pair;
	bool has_style;
	int tty_fd, frame_fd; /* fd 1 itself, and what stands in for it while a frame is painted; -1: not
				 there */
	char *frame;          /* the bytes of a frame on their way */
	size_t frame_cap;
};

/* ---- opening ---- */

static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define SIGNALS (sizeof(curses_signals) / sizeof(*curses_signals))

/* newterm(), but handlers stay as the program set them. */
static SCREEN *newterm_quietly(const char *name)
{
	struct sigaction saved[SIGNALS];
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(curses_signals[i], NULL, &saved[i]);
	SCREEN *s = newterm(name, stdout, stdin);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(curses_signals[i], &saved[i], NULL);
	return s;
}

/* A screen with 24-bit colour by our own terminfo entry; NULL if that fails. */
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
	int colors = tigetnum("colors"); /* COLORS is not known before start_color() */
	if (is_color_forbidden() || !has_colors())
		return DEPTH_NONE;
	return is_direct ? DEPTH_RGB : colors >= 256 ? DEPTH_256 : colors >= 16 ? DEPTH_16 : DEPTH_8;
}

/* Open curses for TERM; 24-bit where the terminal has it and `depth` asks for no less. */
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

static void use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static const char *string_of(const char *capability)
{
	const char *s = tigetstr(capability);
	return s && s != (char *)-1 ? s : "";
}

/* Keys that this terminal has other sequences for than keys.h knows. */
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
		if (*s && s[1]) /* one byte: a control key, which is known */
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

/* Without one, what was painted stays where it is, and the shell's prompt belongs below it. */
static bool has_alternate_screen(void)
{
	return *string_of("rmcup") != '\0';
}

static const char below[] = "\r\n"; /* goes one line down from the last row, which scrolls */

static void leave_curses(struct term *t)
{
	term_drop_pictures(t);
	term_write(t->modes_off, strlen(t->modes_off));
	endwin(); /* goes to the last row */
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
	rescue_arm(bytes, n, &t->shell_mode);
}

static void set_up_curses(enum color_depth depth)
{
	raw();
	noecho();
	nonl();
	typeahead(-1); /* or curses would look at fd 0 and leave a frame half painted */
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
	use_utf8();
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
	s->tty_fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	s->frame_fd = memfd_create("frame", MFD_CLOEXEC);
	t->screen = s;
	t->keys = k;
	t->is_all_stale = true;
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
	rescue_disarm();
	delscreen(t->screen->curses);
	canvas_finish(&t->last);
	keys_destroy(t->keys);
	close(t->screen->tty_fd);
	close(t->screen->frame_fd);
	free(t->screen->frame);
	free(t->screen->row);
	free(t->screen);
	free(t);
}

void term_suspend(struct term *t)
{
	leave_curses(t);
	rescue_disarm();
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

/* Number of a colour for curses; -1 is the terminal's default. */
static int curses_color(uint32_t color, enum color_depth depth)
{
	color = color_degrade(color, depth);
	if (color == COLOR_NONE)
		return -1;
	if (depth != DEPTH_RGB)
		return (int)(color & 0xFF);
	if ((color & 0xFF000000u) == COLOR_INDEX(0) && (color & 0xFF) < 8)
		return (int)(color & 0xFF);
	/* With 24 bits, curses takes 0 to 7 for the palette; the darkest blues give way. */
	uint32_t rgb = color_rgb(color);
	return rgb < 8 ? 8 : (int)rgb;
}

static attr_t curses_attrs(unsigned attrs)
{
	static const struct {
		unsigned ours;
		attr_t theirs;
	} table[] = {{ATTR_BOLD, A_BOLD}, {ATTR_DIM, A_DIM}, {ATTR_ITALIC, A_ITALIC},
			{ATTR_UNDERLINE, A_UNDERLINE}, {ATTR_REVERSE, A_REVERSE}};
	attr_t result = A_NORMAL;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (attrs & table[i].ours)
			result |= table[i].theirs;
	return result;
}

/* Find attributes and pair of a style; neighbours mostly share one. */
static void look_up(struct term *t, const struct style *style)
{
	struct screen *s = t->screen;
	if (s->has_style && memcmp(&s->style, style, sizeof(*style)) == 0)
		return;
	enum role role = style->role < ROLE_COUNT ? (enum role)style->role : ROLE_TEXT;
	bool has_ground = style->ground > 0 && style->ground < ROLE_COUNT;
	struct theme_look look =
			has_ground ? theme_look_on(&t->theme, role, (enum role)style->ground, t->depth)
				   : t->looks[role];
	int fg = curses_color(style->fg != COLOR_NONE ? style->fg : look.fg, t->depth);
	int bg = curses_color(style->bg != COLOR_NONE ? style->bg : look.bg, t->depth);
	s->style = *style;
	s->has_style = true;
	s->attrs = curses_attrs(look.attrs | style->attrs);
	s->pair = t->depth == DEPTH_NONE || (fg < 0 && bg < 0) ? 0 : alloc_pair(fg, bg);
	if (s->pair < 0)
		s->pair = 0;
}

static void make_cell(const struct screen *s, const wchar_t *text, cchar_t *out)
{
	setcchar(out, text, s->attrs, 0, &s->pair);
}

/* A cell's cluster as curses cells; returns how many (a flag is two). */
static size_t convert_cluster(const struct screen *s, const struct cell *cell, cchar_t *out)
{
	wchar_t text[CCHARW_MAX + 1] = {0};
	uint32_t cp;
	bool valid;
	size_t n = strlen(cell->text), used = 1;
	size_t at = trm_utf8_decode(cell->text, n, &cp, &valid);
	text[0] = (wchar_t)cp;
	if (cell->width == 2 && cp >= 0x1F1E6 && cp <= 0x1F1FF && at < n) {
		make_cell(s, text, out);
		trm_utf8_decode(cell->text + at, n - at, &cp, &valid);
		text[0] = (wchar_t)cp;
		make_cell(s, text, out + 1);
		return 2;
	}
	if (wcwidth(text[0]) != cell->width) {
		text[0] = REPLACEMENT;
		make_cell(s, text, out);
		if (cell->width == 2)
			make_cell(s, L" ", out + 1);
		return cell->width;
	}
	while (at < n && used < CCHARW_MAX) {
		at += trm_utf8_decode(cell->text + at, n - at, &cp, &valid);
		bool is_joiner = cp == 0x200D || cp == 0xFE0E || cp == 0xFE0F;
		if (cp == 0x200D)
			break;
		if (!is_joiner && wcwidth((wchar_t)cp) == 0)
			text[used++] = (wchar_t)cp;
	}
	make_cell(s, text, out);
	return 1;
}

static size_t convert_cell(struct term *t, const struct cell *cell, cchar_t *out)
{
	unsigned char first = (unsigned char)cell->text[0];
	look_up(t, &cell->style);
	if (first < 0x20 || (first < 0x80 && cell->text[1] == '\0')) {
		wchar_t text[2] = {first < 0x20 || first == 0x7F ? L' ' : (wchar_t)first, 0};
		make_cell(t->screen, text, out);
		return 1;
	}
	return convert_cluster(t->screen, cell, out);
}

/* Hand those of a row's columns that differ to curses, if there are any. */
static bool paint_row(struct term *t, const struct canvas *c, int row, int first, int last)
{
	const struct cell *now = c->cells + (size_t)row * (size_t)c->cols;
	struct cell *was = t->last.cells + (size_t)row * (size_t)c->cols;
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
			n += convert_cell(t, &now[col], t->screen->row + n);
	mvadd_wchnstr(row, first, t->screen->row, (int)n);
	memcpy(was + first, now + first, (size_t)(last - first + 1) * sizeof(*now));
	return true;
}

/* What may differ from the last frame. */
static struct rect stale_area(const struct term *t, const struct canvas *c)
{
	return t->is_all_stale ? (struct rect){0, 0, c->rows, c->cols} : c->touched;
}

/* Keep the theme, if its looks are not those of the last frame. */
static void take_theme(struct term *t, const struct theme *theme)
{
	if (t->depth == DEPTH_NONE)
		theme = &t->mono;
	if (!t->is_all_stale && memcmp(t->theme.looks, theme->looks, sizeof(theme->looks)) == 0)
		return;
	t->theme = *theme;
	for (int role = 0; role < ROLE_COUNT; role++)
		t->looks[role] = theme_look(theme, (enum role)role, t->depth);
	t->screen->has_style = false;
	t->is_all_stale = true;
}

static bool take_size(struct term *t, const struct canvas *c)
{
	if (t->last.cells && t->last.rows == c->rows && t->last.cols == c->cols)
		return true;
	/* A flag may need a cell more than it has columns left to stand in. */
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
		arm_rescue(t); /* the last row is another one now */
	}
	t->is_all_stale = true;
	clearok(stdscr, TRUE);
	return true;
}

/* Curses writes at every move of the cursor: dozens of times a frame, and each time the terminal
 * wakes up for a few bytes. So for as long as it paints, fd 1 is a file in memory. */
static bool catch_output(const struct screen *s)
{
	return s->frame_fd >= 0 && s->tty_fd >= 0 && dup2(s->frame_fd, 1) == 1;
}

/* Give fd 1 back and send what was caught, in one go. A terminal that can is told to show a big frame only
 * when it is whole; a small one comes whole anyway, and shall stay small. */
static void send_caught(const struct term *t)
{
	static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
	struct screen *s = t->screen;
	off_t n = lseek(s->frame_fd, 0, SEEK_CUR);
	dup2(s->tty_fd, 1);
	while (n > 0 && (size_t)n > s->frame_cap) {
		size_t cap = s->frame_cap ? s->frame_cap * 2 : 4096;
		char *frame = realloc(s->frame, cap);
		if (!frame)
			break;
		s->frame = frame;
		s->frame_cap = cap;
	}
	bool is_held = n >= BIG_FRAME && keys_answers(t->keys)->has_sync;
	if (is_held)
		term_write(begin, sizeof(begin) - 1);
	/* Short of memory it goes out in parts. */
	for (off_t at = 0; at < n && s->frame_cap;) {
		size_t want = (size_t)(n - at);
		ssize_t part = pread(s->frame_fd, s->frame, want < s->frame_cap ? want : s->frame_cap, at);
		if (part <= 0)
			break;
		term_write(s->frame, part == n ? squeeze(s->frame, (size_t)part) : (size_t)part);
		at += part;
	}
	if (is_held)
		term_write(end, sizeof(end) - 1);
	lseek(s->frame_fd, 0, SEEK_SET);
}

/* Pixels stand in cells that curses takes for blank already. */
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
	if (t->is_all_stale)
		pictures_cleared(&t->pictures);
	bool has_moved = pictures_look(&t->pictures, c);
	struct rect area = stale_area(t, c);
	for (int row = area.row; row < area.row + area.rows && area.cols > 0; row++)
		differs |= paint_row(t, c, row, area.col, area.col + area.cols - 1);
	c->touched = (struct rect){0};
	if (!differs && !has_moved && !t->wants_answer && !t->is_all_stale
			&& c->cursor_row == t->last.cursor_row && c->cursor_col == t->last.cursor_col)
		return;
	t->last.cursor_row = c->cursor_row;
	t->last.cursor_col = c->cursor_col;
	t->is_all_stale = false;
	if (has_moved)
		pictures_before(&t->pictures, write_rows_anew);
	bool is_caught = catch_output(t->screen);
	if (term_ask_now(t, c->rows - 1))
		write_rows_anew(c->rows - 1, 1);
	curs_set(c->cursor_row >= 0);
	if (c->cursor_row >= 0)
		move(c->cursor_row, c->cursor_col);
	refresh();
	if (is_caught)
		send_caught(t);
	if (has_moved)
		term_paint_pictures(t);
	/* Only now is the terminal on its alternate screen, which has key modes of its own. */
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
