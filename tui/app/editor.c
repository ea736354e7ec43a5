/* SPDX-License-Identifier: MIT */
/* Editing the buffer in $VISUAL or $EDITOR. The editor uses the terminal in the meantime, and runs continue.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "stream/external_editor.h"
#include "text/text.h"

struct app_editor {
	uint32_t buffer;
	char dir[64], path[PATH_MAX];
	struct trm_child *child;
};

/* Write a copy with the name of the buffer's file, so that the editor recognizes the language. */
static int write_copy(struct app_editor *x, const struct editor *e, struct trm_error *reterr)
{
	const char *slash = e->path ? strrchr(e->path, '/') : NULL, *name = slash ? slash + 1 : e->path;
	struct file_stamp ignored;
	char made[64];

	snprintf(made, sizeof made, "buffer%s", e->lang ? e->lang->suffixes[0] : ".txt");
	snprintf(x->dir, sizeof x->dir, "/tmp/terrarium-edit-XXXXXX");
	if (!mkdtemp(x->dir))
		return trm_error_set(reterr, TRM_EIO, "There is no room in /tmp for a copy of the buffer.");
	snprintf(x->path, sizeof x->path, "%s/%.200s", x->dir, name && !e->notebook ? name : made);
	return file_save(x->path, e->text, e->format, &ignored, reterr);
}

static void remove_copy(struct app_editor *x)
{
	if (x->path[0])
		unlink(x->path);
	state_remove_dir(x->dir); /* with files that the editor may have left */
}

/* Take the new text into the buffer, as one step of undo. */
static void take_over(struct app *a, struct app_editor *x, int status)
{
	struct buffer *b = buffers_find(&a->model.buffers, x->buffer);
	struct trm_error err = {0};
	char text[160];

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		snprintf(text, sizeof text, "the editor ended with %s %d: the buffer is as it was",
				WIFEXITED(status) ? "code" : "signal",
				WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		app_notify(a, MSG_ERROR, text);
	} else if (b && editor_take_file(&b->editor, x->path, &err) < 0) {
		app_notify(a, MSG_ERROR, err.msg);
	}
}

static void come_back(struct app *a)
{
	struct event ev = {.type = EVENT_RESIZE};

	term_resume(a->term);
	trm_watch_set_events(a->keys_watch, TRM_READ);
	term_size(a->term, &ev.row, &ev.col);
	app_send(a, &(struct msg){.type = MSG_EVENT, .event = &ev});
	a->model.needs_draw = true;
}

static void on_app_editor_end(void *user, pid_t pid, int status)
{
	struct app *a = user;
	struct app_editor *x = a->editor;

	(void)pid;
	a->editor = NULL;
	come_back(a);
	take_over(a, x, status);
	remove_copy(x);
	free(x);
}

static int start_external_editor(
		struct app *a, struct app_editor *x, const struct editor *e, struct trm_error *reterr)
{
	pid_t pid;
	int r = write_copy(x, e, reterr);

	if (r < 0)
		return r;
	term_suspend(a->term);
	trm_watch_set_events(a->keys_watch, 0);
	a->editor = x;
	r = external_editor_start(x->path, editor_line(e) + 1, &pid);
	if (r == 0)
		r = trm_loop_add_child(a->loop, pid, on_app_editor_end, a, &x->child, reterr);
	else
		trm_error_set(reterr, TRM_EIO, "The editor cannot be started: %s.", strerror(-r));
	if (r < 0) {
		a->editor = NULL;
		come_back(a);
	}
	return r;
}

void app_edit_outside(struct app *a, uint32_t buffer)
{
	struct buffer *b = buffers_find(&a->model.buffers, buffer);
	struct app_editor *x = b && a->term && !a->editor ? calloc(1, sizeof *x) : NULL;
	struct trm_error err = {0};

	if (!a->term)
		app_notify(a, MSG_ERROR,
				"there is no screen that the editor could be given: save, edit, open again");
	if (!x)
		return;
	x->buffer = buffer;
	if (start_external_editor(a, x, &b->editor, &err) == 0)
		return;
	remove_copy(x);
	free(x);
	app_notify(a, MSG_ERROR, err.msg);
}

void app_close_editor(struct app *a)
{
	if (!a->editor)
		return;
	trm_child_remove(a->editor->child);
	remove_copy(a->editor);
	free(a->editor);
	a->editor = NULL;
}
