/* SPDX-License-Identifier: MIT */
/* :edit opens the last input, or a file, in the user's editor. The edited text is the next input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "repl/command.h"
#include "repl/repl_internal.h"
#include "state/dir.h"
#include "stream/external_editor.h"

struct edit {
	char dir[64], path[4096]; /* dir "": the user's own file */
	struct trm_child *child;
};

static void finish_edit(struct repl *r)
{
	struct edit *e = r->edit;
	if (e->dir[0]) {
		unlink(e->path);
		state_remove_dir(e->dir); /* the editor may have left other files */
	}
	trm_child_remove(e->child);
	free(e);
	r->edit = NULL;
	line_resume(r->line);
}

void edit_close(struct repl *r)
{
	if (r->edit)
		finish_edit(r);
}

static void take_over(struct repl *r, const char *path)
{
	size_t n;
	char *text = state_read(path, LINE_MAX_BYTES, &n);
	while (text && n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
	if (!text)
		repl_error(r, "cannot read the edited text");
	else if (memchr(text, 0, n))
		repl_error(r, "the edited file is not text");
	else
		repl_offer(r, text);
	free(text);
}

static void on_repl_edit_end(void *user, pid_t pid, int status)
{
	struct repl *r = user;
	(void)pid;
	r->edit->child = NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		take_over(r, r->edit->path);
	else
		repl_error(r, "the editor ended with %s %d: the input is unchanged",
				WIFEXITED(status) ? "code" : "signal",
				WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	finish_edit(r);
	repl_done(r);
}

/* The suffix of the copy tells the editor the language. */
static int write_copy(struct repl *r, struct edit *e)
{
	snprintf(e->dir, sizeof e->dir, "/tmp/terrarium-edit-XXXXXX");
	if (!mkdtemp(e->dir)) {
		e->dir[0] = '\0';
		return -errno;
	}
	snprintf(e->path, sizeof e->path, "%s/input%s", e->dir, r->lang->suffixes[0]);
	return state_write(e->path, r->last.text ? r->last.text : "", r->last.n);
}

static const struct activity editing = {.what = "an editor"}; /* the editor handles Ctrl-C */

void repl_command_edit(struct repl *r, const char *rest)
{
	struct edit *e = calloc(1, sizeof *e);
	struct trm_error why = {0};
	pid_t pid;
	if (!repl_has_person(r) || !e) {
		repl_error(r, "there is no terminal for an editor");
		free(e);
		return;
	}
	r->edit = e;
	int error = 0;
	if (*rest)
		snprintf(e->path, sizeof e->path, "%s", rest);
	else
		error = write_copy(r, e);
	line_suspend(r->line);
	if (error == 0)
		error = external_editor_start(e->path, 1, &pid);
	if (error == 0
			&& trm_loop_add_child(r->cli_session.loop, pid, on_repl_edit_end, r, &e->child, &why)
					   == 0) {
		repl_begin(r, &editing);
		return;
	}
	repl_error(r, "cannot start the editor: %s", error ? strerror(-error) : why.msg);
	finish_edit(r);
}
