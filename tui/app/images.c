/* SPDX-License-Identifier: MIT */
/* Images: finding out what the terminal can show, and having images decoded one after the other. */
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"
#include "image/job.h"

enum { ANSWER_MS = 300, WANTED_MAX = 64 };

struct wanted {
	uint32_t id;
	bool is_zoom;
};

struct app_images {
	struct app *app;
	bool is_asking;
	struct trm_timer *timer; /* limit for the terminal's answer and for the job */
	struct image_job *job;   /* NULL: none */
	struct trm_watch *watch;
	struct wanted current, queue[WANTED_MAX];
	size_t n_queue;
};

/* ---- the terminal ---- */

static const char *const ways[] = {"auto", "kitty", "sixel", "symbols", "off"};
enum way { WAY_AUTO, WAY_KITTY, WAY_SIXEL, WAY_SYMBOLS, WAY_OFF, WAYS };

static enum way way_of(const char *name)
{
	int way = WAY_AUTO;

	while (name && way < WAYS && strcmp(name, ways[way]) != 0)
		way++;
	return way < WAYS ? (enum way)way : WAY_AUTO;
}

bool app_knows_images(const char *how)
{
	return *how && strcmp(ways[way_of(how)], how) == 0;
}

static enum picture_kind kind_for(enum way way, const struct term_images *can)
{
	if (way == WAY_KITTY || (way == WAY_AUTO && can->has_kitty))
		return PICTURE_KITTY;
	if (way == WAY_SIXEL || (way == WAY_AUTO && can->has_sixel && can->cell_w))
		/* Without the size of a cell, the size of an image in cells is unknown. */
		return PICTURE_SIXEL;
	return PICTURE_SYMBOLS;
}

static enum picture_glyphs glyphs_for(const struct app *a)
{
	const char *term = getenv("TERM");

	if (!a->model.has_utf8)
		return PICTURE_ASCII;
	return term && strncmp(term, "linux", 5) == 0 ? PICTURE_HALVES : PICTURE_UNICODE;
}

static void report_terminal(struct app *a)
{
	static const enum picture_colors colors[] = {[DEPTH_NONE] = PICTURE_MONO,
			/* With eight colors, thin lines of plots would vanish into the background. */
			[DEPTH_8] = PICTURE_MONO,
			[DEPTH_16] = PICTURE_16,
			[DEPTH_256] = PICTURE_256,
			[DEPTH_RGB] = PICTURE_RGB};
	enum way way = way_of(a->opts->images);
	struct term_images can;

	term_images(a->term, &can);
	struct picture_style look = {.kind = kind_for(way, &can),
			.cell_w = can.cell_w,
			.cell_h = can.cell_h,
			.colors = colors[term_depth(a->term)],
			.glyphs = glyphs_for(a)};
	if (look.kind != PICTURE_SYMBOLS && !look.cell_w) {
		/* The person asked for sixel, so assume the cell size of DEC's terminals. */
		look.cell_w = 10;
		look.cell_h = 20;
	}
	a->images->is_asking = false;
	trm_timer_stop(a->images->timer);
	app_send(a, &(struct msg){.type = MSG_IMAGES, .images.look = &look, .images.is_off = way == WAY_OFF});
}

void app_images_answered(struct app *a)
{
	struct term_images can;

	if (!a->images || !a->images->is_asking)
		return;
	term_images(a->term, &can);
	if (can.is_answered)
		report_terminal(a);
}

/* ---- decoding ---- */

static void begin_next(struct app_images *images);

static void end_job(struct app_images *images)
{
	trm_timer_stop(images->timer);
	trm_watch_remove(images->watch);
	image_job_destroy(images->job);
	images->watch = NULL;
	images->job = NULL;
}

static void report_drawn(struct app_images *images, struct picture *picture, const char *why)
{
	struct msg msg = {.type = MSG_FIGURE_DRAWN,
			.figure_drawn.id = images->current.id,
			.figure_drawn.is_zoom = images->current.is_zoom,
			.figure_drawn.picture = picture,
			.figure_drawn.why = picture ? NULL : why};

	end_job(images);
	app_send(images->app, &msg);
	begin_next(images);
}

static void on_app_images_readable(void *user, int fd, uint32_t events)
{
	struct app_images *images = user;
	struct picture *picture = NULL;
	struct trm_error why = {0};

	(void)fd;
	(void)events;
	enum image_job_state state = image_job_read(images->job, &picture, &why);
	if (state != IMAGE_JOB_BUSY)
		report_drawn(images, state == IMAGE_JOB_DONE ? picture : NULL, why.msg);
}

static void on_app_images_timer(void *user)
{
	struct app_images *images = user;

	if (images->is_asking)
		report_terminal(images->app); /* the terminal does not answer */
	else if (images->job)
		report_drawn(images, NULL, "the image takes too long to decode");
}

/* Start decoding. False: the image is not wanted any more, or cannot be drawn. */
static bool begin_image_job(struct app_images *images, const struct wanted *wanted)
{
	struct app *a = images->app;
	const struct figures *f = &a->model.out.figures;
	const struct figure *fig = figures_find(f, wanted->id);
	struct picture_style look = f->terminal.look;
	struct trm_error why = {0};

	images->current = *wanted;
	if (!fig)
		return false;
	look.cols = wanted->is_zoom ? f->zoom_cols : fig->cols;
	look.rows = wanted->is_zoom ? f->zoom_rows : fig->rows;
	int r = image_job_start(fig->bytes, fig->n, &fig->info, &look, &images->job, &why);
	if (r == 0)
		r = trm_loop_add_fd(a->loop, image_job_fd(images->job), TRM_READ, on_app_images_readable,
				images, &images->watch, &why);
	if (r == 0) {
		trm_timer_start(images->timer, IMAGE_JOB_MS, 0);
		return true;
	}
	end_job(images);
	app_send(a, &(struct msg){.type = MSG_FIGURE_DRAWN,
				    .figure_drawn.id = wanted->id,
				    .figure_drawn.is_zoom = wanted->is_zoom,
				    .figure_drawn.why = why.msg});
	return false;
}

static void begin_next(struct app_images *images)
{
	while (!images->job && images->n_queue) {
		struct wanted next = images->queue[0];
		memmove(images->queue, images->queue + 1, --images->n_queue * sizeof *images->queue);
		begin_image_job(images, &next);
	}
}

/* ---- requests of the workbench ---- */

static struct app_images *images_of(struct app *a)
{
	struct trm_error why = {0};

	if (a->images)
		return a->images;
	struct app_images *images = calloc(1, sizeof *images);
	if (!images)
		return NULL;
	images->app = a;
	if (trm_loop_add_timer(a->loop, on_app_images_timer, images, &images->timer, &why) < 0) {
		free(images);
		return NULL;
	}
	return a->images = images;
}

void app_ask_terminal(struct app *a)
{
	struct app_images *images = images_of(a);
	enum way way = way_of(a->opts->images);
	bool needs_no_answer = way == WAY_SYMBOLS || way == WAY_OFF;

	if (!images || !a->term)
		return;
	images->is_asking = true;
	if (needs_no_answer || !term_ask_images(a->term))
		report_terminal(a);
	else
		trm_timer_start(images->timer, ANSWER_MS, 0);
	a->model.needs_draw = true;
}

void app_draw_figure(struct app *a, uint32_t id, bool is_zoom)
{
	struct app_images *images = images_of(a);

	if (!images || images->n_queue == WANTED_MAX) {
		app_send(a, &(struct msg){.type = MSG_FIGURE_DRAWN,
					    .figure_drawn.id = id,
					    .figure_drawn.is_zoom = is_zoom,
					    .figure_drawn.why = "too many images at once"});
		return;
	}
	images->queue[images->n_queue++] = (struct wanted){id, is_zoom};
	begin_next(images);
}

void app_close_images(struct app *a)
{
	if (!a->images)
		return;
	end_job(a->images);
	trm_timer_remove(a->images->timer);
	free(a->images);
	a->images = NULL;
}
