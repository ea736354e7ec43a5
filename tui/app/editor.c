/* SPDX-License-Identifier: MIT */
/* The buffer in $VISUAL or $EDITOR, and back. The terminal is the editor's meanwhile; runs go on. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/inside.h"
#include "text/text.h"

extern char **environ;

struct app_editor {
	uint32_t buffer;
	char dir[64], path[PATH_MAX];
	struct trm_child *child;
};

static const char *command_of_person(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	if (visual && *visual)
		return visual;
	if (editor && *editor)
		return editor;
	if (access("/usr/bin/editor", X_OK) == 0)
		return "editor";
	return access("/usr/bin/nano", X_OK) == 0 ? "nano" : "vi";
}

/* Whether the editor takes +LINE before the file. */
static bool takes_line(const char *command)
{
	static const char *const known[] = {"editor", "vi", "vim", "nvim", "nano", "micro", "emacs",
			"emacsclient", "joe", "mcedit", "kak", "ne"};
	size_t n = strcspn(command, " \t");
	const char *name = command + n;

	while (name > command && name[-1] != '/')
		name--;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == (size_t)(command + n - name)
				&& memcmp(known[i], name, strlen(known[i])) == 0)
			return true;
	return false;
}

/* A file that looks like the buffer's, so that the editor knows the language. */
static int write_copy(struct app_editor *x, const struct editor *e, struct trm_error *reterr)
{
	const char *slash = e->path ? strrchr(e->path, '/') : NULL, *name = slash ? slash + 1 : e->path;
	struct file_stamp ignored;
	char made[64];

	snprintf(made, sizeof made, "buffer%s", e->lang ? e->lang->suffixes[0] : ".txt");
	snprintf(x->dir, sizeof x->dir, "/tmp/terrarium-edit-XXXXXX");
	if (!mkdtemp(x->dir))
		return trm_error_set(reterr, TRM_EIO, "There is no room in /tmp for a copy of the buffer.");
	snprintf(x->path, sizeof x->path, "%s/%.200s", x->dir, name ? name : made);
	return file_save(x->path, e->text, e->format, &ignored, reterr);
}

static void remove_copy(struct app_editor *x)
{
	if (x->path[0])
		unlink(x->path);
	state_remove_dir(x->dir); /* what the editor may have left beside it */
}

static int start(struct app_editor *x, const struct editor *e, pid_t *ret)
{
	const char *command = command_of_person();
	char shell[1024], line[32];
	const char *const argv[] = {"sh", "-c", shell, "sh", x->path, line, NULL};
	posix_spawnattr_t attr;
	sigset_t none, all;

	snprintf(line, sizeof line, "+%zu", editor_line(e) + 1);
	snprintf(shell, sizeof shell, "exec %.900s %s\"$1\"", command, takes_line(command) ? "\"$2\" " : "");
	sigemptyset(&none);
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int err = posix_spawn(ret, "/bin/sh", NULL, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attr);
	return -err;
}

/* Take over what was written, as one step of undo. */
static void take_over(struct app *a, struct app_editor *x, int status)
{
	struct buffer *b = buffers_find(&a->model.buffers, x->buffer);
	struct trm_error err = {0};
	char text[160];

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		snprintf(text, sizeof text, "the editor ended with %s %d: the buffer is as it was",
				WIFEXITED(status) ? "code" : "signal",
				WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		app_tell(a, MSG_ERROR, text);
	} else if (b && editor_take_file(&b->editor, x->path, &err) < 0) {
		app_tell(a, MSG_ERROR, err.msg);
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

static void on_end(void *user, pid_t pid, int status)
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

static int run(struct app *a, struct app_editor *x, const struct editor *e, struct trm_error *reterr)
{
	pid_t pid;
	int r = write_copy(x, e, reterr);

	if (r < 0)
		return r;
	term_suspend(a->term);
	trm_watch_set_events(a->keys_watch, 0);
	a->editor = x;
	r = start(x, e, &pid);
	if (r == 0)
		r = trm_loop_add_child(a->loop, pid, on_end, a, &x->child, reterr);
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
		app_tell(a, MSG_ERROR,
				"there is no screen that the editor could be given: save, edit, open again");
	if (!x)
		return;
	x->buffer = buffer;
	if (run(a, x, &b->editor, &err) == 0)
		return;
	remove_copy(x);
	free(x);
	app_tell(a, MSG_ERROR, err.msg);
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
