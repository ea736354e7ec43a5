/* SPDX-License-Identifier: MIT */
/* Commands for images: save, open, show on the whole screen. */
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/figures_internal.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

static void answer_figure_over(struct model *m, int answer, struct effects *out);

/* ---- the current image ---- */

static bool note_last(struct model *m, uint32_t id, void *user)
{
	(void)m;
	*(uint32_t *)user = id;
	return true;
}

/* The image in the current line of the output; 0: none. */
static uint32_t under_mark(const struct model *m)
{
	struct output_line l = {0};
	bool is_figure = m->focus == PANE_OUTPUT && m->out.has_mark && outpane_read(&m->out, m->out.mark, &l)
			 && l.kind == OUT_FIGURE;

	output_line_finish(&l);
	return is_figure ? l.figure : 0;
}

/* The image on the whole screen, else the one in the current line, else the lowest visible one, else the
 * newest. NULL: there is none, and a notice says so. */
static struct figure *at_hand(struct model *m)
{
	struct figures *f = &m->out.figures;
	uint32_t id = f->zoomed ? f->zoomed : under_mark(m);

	if (!id && m->layout.panes[PANE_OUTPUT].rows > 0)
		figures_each_shown(m, note_last, &id);
	struct figure *fig = id ? figures_find(f, id) : NULL;
	if (!fig && f->n)
		fig = &f->all[f->n - 1];
	if (!fig)
		notices_add(&m->notices, m->now_ns, false, "no run has shown an image yet");
	m->needs_draw = true;
	return fig;
}

static unsigned run_number(const struct model *m, const struct figure *fig)
{
	const struct run_info *run = runs_find(&m->out.runs, fig->run);

	return run && run->number ? (unsigned)run->number : fig->run;
}

/* ---- saving and opening ---- */

static void ask_where(struct model *m, const struct figure *fig, const char *path, const char *why)
{
	struct dialog *d = &m->dialog;

	m->out.figures.pending = fig->id;
	dialog_begin(d, "Save the image as", answer_save_figure);
	if (fig->info.type)
		dialog_add(d, ROLE_DIALOG_DIM, "%s, %d x %d   Tab: complete   Esc: cancel",
				image_mime(fig->info.type), fig->info.width, fig->info.height);
	if (why)
		dialog_add(d, ROLE_DIALOG_WARN, "%s", why);
	dialog_set_field(d, "Path", path, why != NULL);
	m->needs_draw = true;
}

static void save_figure(struct model *m, struct effects *out)
{
	const struct figure *fig = at_hand(m);
	char name[64];

	(void)out;
	if (!fig)
		return;
	figure_file_name(fig, run_number(m, fig), name);
	ask_where(m, fig, name, NULL);
}

static void add_save(const struct model *m, enum effect_type type, const char *path, struct effects *out)
{
	effect_add(out, (struct effect){.type = type,
					.save_figure = {m->out.figures.pending, effects_string(out, path)}});
}

void answer_save_figure(struct model *m, int answer, struct effects *out)
{
	if (dialog_takes_path(m, answer, out))
		add_save(m, EFFECT_SAVE_FIGURE, field_text(&m->dialog.field), out);
}

static void answer_figure_over(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_REPLACE)
		add_save(m, EFFECT_SAVE_FIGURE_OVER, m->pending_path, out);
}

void figures_saved(struct model *m, const struct msg *msg)
{
	const struct figure *fig = figures_find(&m->out.figures, msg->figure_saved.id);

	m->needs_draw = true;
	if (msg->figure_saved.exists) {
		snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->figure_saved.path);
		dialog_ask_over(m, "The file exists", m->pending_path, "already exists. Replace it?",
				answer_figure_over);
	} else if (!msg->figure_saved.error) {
		dialog_close(m);
		snprintf(m->out.figures.saved, sizeof m->out.figures.saved, "%s", msg->figure_saved.path);
		notices_add(&m->notices, m->now_ns, false, "saved the image as %s", msg->figure_saved.path);
	} else if (fig && m->dialog.answer == answer_save_figure) {
		ask_where(m, fig, msg->figure_saved.path, msg->figure_saved.error);
	} else {
		notices_add(&m->notices, m->now_ns, true, "%s", msg->figure_saved.error);
	}
}

static void open_figure(struct model *m, struct effects *out)
{
	const struct figure *fig = at_hand(m);

	if (fig)
		effect_figure(out, EFFECT_OPEN_FIGURE, fig->id);
}

static void copy_path(struct model *m, struct effects *out)
{
	const char *path = m->out.figures.saved;

	if (*path) {
		effect_text(out, EFFECT_COPY, path, strlen(path));
		notices_add(&m->notices, m->now_ns, false, "copied %s", path);
	} else {
		notices_add(&m->notices, m->now_ns, false, "no image has been saved yet");
	}
	m->needs_draw = true;
}

/* ---- on the whole screen ---- */

void figures_zoom(struct model *m, uint32_t id)
{
	struct figures *f = &m->out.figures;

	picture_destroy(f->zoom);
	f->zoom = NULL;
	f->is_zoom_asked = false;
	f->zoomed = id;
	m->needs_draw = true;
}

static void zoom_figure(struct model *m, struct effects *out)
{
	const struct figure *fig = at_hand(m);

	(void)out;
	if (fig)
		figures_zoom(m, fig->id);
}

static void zoom_next(struct model *m, int by)
{
	struct figures *f = &m->out.figures;
	const struct figure *fig = figures_find(f, f->zoomed);
	size_t at = fig ? (size_t)(fig - f->all) : 0;

	if (by < 0 ? at > 0 : at + 1 < f->n)
		figures_zoom(m, f->all[by < 0 ? at - 1 : at + 1].id);
}

bool figures_zoom_event(struct model *m, const struct event *ev, struct effects *out)
{
	if (!m->out.figures.zoomed)
		return false;
	if (ev->type == EVENT_MOUSE && ev->action == MOUSE_PRESS) {
		figures_zoom(m, 0);
	} else if (ev->type == EVENT_KEY) {
		switch (ev->key) {
		case K_LEFT:
		case K_UP:
		case K_PAGE_UP: zoom_next(m, -1); break;
		case K_RIGHT:
		case K_DOWN:
		case K_PAGE_DOWN:
		case ' ': zoom_next(m, 1); break;
		case 's': save_figure(m, out); break;
		case 'o': open_figure(m, out); break;
		default: figures_zoom(m, 0);
		}
	}
	return true;
}

static const struct command commands[] = {
		{"save-figure", "Save the image as…", "save the newest image in the output pane to a file",
				CONTEXT_ANY, .run = save_figure},
		{"zoom-figure", "Zoom the image",
				"show the image on the whole screen; arrow keys go to others", CONTEXT_ANY,
				.run = zoom_figure},
		{"open-figure", "Open the image outside", "open the image with the desktop's program",
				CONTEXT_ANY, .run = open_figure},
		{"copy-figure-path", "Copy the path of the saved image",
				"copy the path of the image that was saved last", CONTEXT_ANY,
				.run = copy_path},
};
const struct command_table figure_commands = COMMAND_TABLE(commands);
