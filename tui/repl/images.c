/* SPDX-License-Identifier: MIT */
/* Images between the lines of the output: the abilities of the terminal, and decoding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "image/image.h"
#include "image/job.h"
#include "repl/repl_internal.h"
#include "stream/tty.h"
#include "term/sequence.h"
#include "term/term.h"
#include "term/terminal_query.h"

enum { TERMINAL_QUERY_MS = 300, WAITING_MAX = 32 };
static const size_t KEPT_MAX = (size_t)64 << 20;

struct waiting {
	uint8_t *bytes;
	size_t n;
	struct image_info info;
};

struct images {
	struct repl *r;
	struct terminal_answers terminal_answers;
	bool is_asking, is_known;
	char held[256]; /* incomplete answer */
	size_t n_held;
	struct trm_timer *timer;
	struct image_job *job;
	struct trm_watch *watch;
	struct waiting queue[WAITING_MAX]; /* the first item is being drawn */
	size_t n;
	struct waiting last;   /* for :save */
	uint32_t last_picture; /* its number; no number of earlier programs on this terminal */
};

static void begin_next(struct images *m);

const uint8_t *images_last(const struct repl *r, size_t *ret_n, const char **ret_mime)
{
	if (!r->images || !r->images->last.bytes)
		return NULL;
	*ret_n = r->images->last.n;
	*ret_mime = image_mime(r->images->last.info.type);
	return r->images->last.bytes;
}

/* ---- the terminal --------------------------------------------------------------------------- */

static struct picture_style look_of(struct images *m, const struct image_info *info)
{
	static const enum picture_colors colors[] = {[DEPTH_NONE] = PICTURE_MONO,
			[DEPTH_8] = PICTURE_MONO, /* with eight colors thin lines of plots would vanish into
						     the background */
			[DEPTH_16] = PICTURE_16,
			[DEPTH_256] = PICTURE_256,
			[DEPTH_RGB] = PICTURE_RGB};
	const char *how = m->r->opts->settings->images, *term = getenv("TERM");
	const struct terminal_answers *a = &m->terminal_answers;
	bool is_auto = !strcmp(how, "auto"), is_console = term && !strncmp(term, "linux", 5);
	struct picture_style look = {.kind = PICTURE_SYMBOLS,
			.cell_w = a->cell_w,
			.cell_h = a->cell_h,
			.colors = colors[m->r->paint.depth],
			.glyphs = is_console ? PICTURE_HALVES : PICTURE_UNICODE};
	struct winsize size;
	tty_size(&size);
	if (look.cell_w < 2 || look.cell_h < 2 || look.cell_w > 512 || look.cell_h > 512)
		look.cell_w = look.cell_h = 0;
	if (!strcmp(how, "kitty") || (is_auto && a->has_kitty))
		look.kind = PICTURE_KITTY;
	else if (!strcmp(how, "sixel") || (is_auto && a->has_sixel && look.cell_w))
		look.kind = PICTURE_SIXEL;
	if (look.kind != PICTURE_SYMBOLS && !look.cell_w) {
		look.cell_w = 10; /* protocol chosen by name: the cell size of DEC terminals */
		look.cell_h = 20;
	}
	image_fit(info, look.cell_w, look.cell_h, size.ws_col > 1 ? size.ws_col - 1 : 1,
			size.ws_row > 3 ? size.ws_row - 3 : 1, &look.cols, &look.rows);
	return look;
}

static void end_asking(struct images *m)
{
	if (!m->is_asking)
		return;
	m->is_asking = false;
	m->is_known = true;
	trm_timer_stop(m->timer);
	line_borrow(m->r->line, NULL, NULL);
	begin_next(m);
}

/* Take the terminal's answers out of the bytes. All other bytes were typed. */
static void on_repl_images_answer(void *user, const char *bytes, size_t n)
{
	struct images *m = user;
	size_t at = 0, room = sizeof m->held - m->n_held;
	memcpy(m->held + m->n_held, bytes, n < room ? n : room);
	m->n_held += n < room ? n : room;
	while (at < m->n_held) {
		struct sequence seq;
		const char *s = m->held + at;
		size_t left = m->n_held - at;
		long taken = left > 1 && s[0] == '\033' && s[1] == '_'
					     ? terminal_query_take_string(&m->terminal_answers, s, left)
					     : -1;
		if (taken == 0 || (s[0] == '\033' && left == 1))
			break;
		if (taken < 0 && s[0] == '\033' && left > 1 && s[1] == '[') {
			enum sequence_result got = sequence_parse(s, left, &seq);
			if (got == SEQUENCE_MORE)
				break;
			if (got == SEQUENCE_WHOLE
					&& terminal_query_take_sequence(
							&m->terminal_answers, s, seq.len, &seq))
				taken = (long)seq.len;
		}
		if (taken < 0)
			line_type_ahead(m->r->line, s, (size_t)(taken = 1));
		at += (size_t)taken;
	}
	memmove(m->held, m->held + at, m->n_held - at);
	m->n_held -= at;
	if (m->terminal_answers.is_whole || n == 0)
		end_asking(m);
}

/* False: asking is not allowed or not necessary. */
static bool ask_terminal(struct images *m)
{
	const char *term = getenv("TERM");
	bool is_inside = term && (!strncmp(term, "screen", 6) || !strncmp(term, "tmux", 4));
	if (m->is_known || strcmp(m->r->opts->settings->images, "symbols") == 0 || !term_can_be_asked())
		return false;
	m->is_asking = m->terminal_answers.is_expected = true;
	line_borrow(m->r->line, on_repl_images_answer, m);
	sink_put(&m->r->show.out, is_inside ? TERMINAL_QUERY_QUERY_PLAIN : TERMINAL_QUERY_QUERY,
			strlen(is_inside ? TERMINAL_QUERY_QUERY_PLAIN : TERMINAL_QUERY_QUERY), 0);
	trm_timer_start(m->timer, TERMINAL_QUERY_MS, 0);
	return true;
}

/* ---- decoding ------------------------------------------------------------------------------- */

static void end_job(struct images *m)
{
	trm_timer_stop(m->timer);
	trm_watch_remove(m->watch);
	image_job_destroy(m->job);
	m->watch = NULL;
	m->job = NULL;
}

/* Finish the first item of the queue: draw it, or print why it cannot be drawn. */
static void end_first(struct images *m, struct picture *picture, const char *why)
{
	char note[700];
	snprintf(note, sizeof note, "[%s %dx%d] %s; :save NAME keeps it", image_mime(m->queue[0].info.type),
			m->queue[0].info.width, m->queue[0].info.height, picture ? "" : why);
	end_job(m);
	if (picture)
		picture->id = ++m->last_picture;
	show_picture(&m->r->show, picture, note);
	picture_destroy(picture);
	free(m->last.bytes);
	m->last = m->queue[0];
	memmove(m->queue, m->queue + 1, --m->n * sizeof *m->queue);
	if (m->n)
		show_wait(&m->r->show);
	begin_next(m);
}

static void on_repl_images_readable(void *user, int fd, uint32_t events)
{
	struct images *m = user;
	struct picture *picture = NULL;
	struct trm_error why = {0};
	(void)fd, (void)events;
	enum image_job_state state = image_job_read(m->job, &picture, &why);
	if (state != IMAGE_JOB_BUSY)
		end_first(m, state == IMAGE_JOB_DONE ? picture : NULL, why.msg);
}

static void on_repl_images_timer(void *user)
{
	struct images *m = user;
	if (m->is_asking)
		end_asking(m); /* the terminal does not answer */
	else if (m->job)
		end_first(m, NULL, "it takes too long to decode");
}

static void begin_next(struct images *m)
{
	struct trm_error why = {0};
	if (m->job || !m->n || m->is_asking || ask_terminal(m))
		return;
	const struct waiting *w = &m->queue[0];
	struct picture_style look = look_of(m, &w->info);
	int e = image_job_start(w->bytes, w->n, &w->info, &look, &m->job, &why);
	if (e == 0)
		e = trm_loop_add_fd(m->r->cli_session.loop, image_job_fd(m->job), TRM_READ,
				on_repl_images_readable, m, &m->watch, &why);
	if (e == 0)
		trm_timer_start(m->timer, IMAGE_JOB_MS, 0);
	else
		end_first(m, NULL, why.msg);
}

static struct images *images_of(struct repl *r)
{
	if (r->images)
		return r->images;
	struct images *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->r = r;
	m->last_picture = (uint32_t)getpid() << 12;
	if (trm_loop_add_timer(r->cli_session.loop, on_repl_images_timer, m, &m->timer, NULL) < 0) {
		free(m);
		return NULL;
	}
	return r->images = m;
}

bool images_draw(struct repl *r, const uint8_t *bytes, size_t n, const struct image_info *info)
{
	struct images *m = images_of(r);
	uint8_t *copy = m && n <= KEPT_MAX && m->n < WAITING_MAX ? malloc(n) : NULL;
	if (!copy)
		return false;
	memcpy(copy, bytes, n);
	if (!repl_has_person(r) || strcmp(r->opts->settings->images, "off") == 0) {
		free(m->last.bytes);
		m->last = (struct waiting){copy, n, *info};
		repl_say(r, "[%s %dx%d] :save NAME keeps it", image_mime(info->type), info->width,
				info->height);
		return true;
	}
	m->queue[m->n++] = (struct waiting){copy, n, *info};
	show_wait(&r->show);
	begin_next(m);
	return true;
}

void images_close(struct repl *r)
{
	struct images *m = r->images;
	if (!m)
		return;
	end_job(m);
	trm_timer_remove(m->timer);
	for (size_t i = 0; i < m->n; i++)
		free(m->queue[i].bytes);
	free(m->last.bytes);
	free(m);
	r->images = NULL;
}
