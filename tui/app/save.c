/* SPDX-License-Identifier: MIT */
/* Saves files, and writes copies. The text is written into the system's cache at once. If it is large, a
 * thread waits for the disk. The thread uses only its own struct app_save until it reports the end. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "text/text.h"

#define BIG_BYTES ((size_t)4 << 20) /* smaller files are synced at once, which takes milliseconds */

struct app_save {
	struct app_save *next;
	uint32_t buffer;
	bool closes;  /* the buffer is to be closed then */
	bool is_copy; /* the file does not become the buffer's */
	int done_fd;  /* eventfd of the app; 0: the save does not go on in the background */
	struct file_saving *saving;
	pthread_t thread;
	bool has_thread;
	atomic_bool is_done;
	/* The result. */
	int result;
	struct file_stamp stamp;
	struct trm_error error;
	char path[4096];
};

static void *wait_for_disk(void *user)
{
	struct app_save *s = user;
	const uint64_t one = 1;

	s->result = file_save_end(s->saving, &s->stamp, &s->error);
	atomic_store(&s->is_done, true);
	return write(s->done_fd, &one, sizeof one) < 0 ? s : NULL;
}

static void report_copy(struct app *a, const char *path)
{
	char text[NOTICE_BYTES];

	snprintf(text, sizeof text, "wrote a copy to %.300s", path);
	app_notify(a, MSG_NOTICE, text);
}

/* `why`: it has failed; or NULL. */
static void report_saved(struct app *a, const struct app_save *s, const char *why)
{
	app_send(a, &(struct msg){.type = MSG_SAVED,
				    .file = {.buffer = s->buffer,
						    .path = s->path,
						    .error = why,
						    .closes = s->closes,
						    .is_behind = s->done_fd > 0}});
}

/* Takes `s`. False: it has failed. */
static bool finish_save(struct app *a, struct app_save *s)
{
	struct buffer *b = buffers_find(&a->model.buffers, s->buffer);

	if (s->has_thread)
		pthread_join(s->thread, NULL);
	bool is_saved = s->result == 0;
	if (b && !s->is_copy) {
		bool is_renamed = is_saved && b->editor.next_path;
		editor_saved(&b->editor, is_saved ? &s->stamp : NULL);
		if (is_renamed)
			app_keep_anew(a, b);
	}
	if (!is_saved && a->is_quitting && !a->save_failure.code)
		a->save_failure = s->error;
	if (is_saved && s->is_copy)
		report_copy(a, s->path);
	else
		report_saved(a, s, is_saved ? NULL : s->error.msg);
	free(s);
	return is_saved;
}

/* The screen stays alive meanwhile. */
static void leave_later(struct app *a, enum effect_type how)
{
	a->is_leaving = true;
	a->leaves_by = how;
	app_notify(a, MSG_LEAVING, a->saves->path);
}

static void leave_now(struct app *a, bool is_saved)
{
	const struct effect effect = {.type = a->leaves_by};

	a->is_leaving = false;
	app_notify(a, MSG_LEAVING, NULL);
	if (is_saved)
		app_perform(a, &effect);
}

static void on_save_done(void *user, int fd, uint32_t events)
{
	struct app *a = user;
	bool is_saved = true;
	uint64_t count;

	(void)events;
	if (read(fd, &count, sizeof count) < 0)
		return;
	for (struct app_save **at = &a->saves; *at;) {
		struct app_save *s = *at;
		if (!atomic_load(&s->is_done)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		is_saved &= finish_save(a, s);
	}
	if (a->is_leaving && !a->is_quitting && (!is_saved || !a->saves))
		leave_now(a, is_saved);
}

static void close_saves_watch(struct app *a)
{
	trm_watch_remove(a->saves_watch);
	a->saves_watch = NULL;
	if (a->saves_fd > 0)
		close(a->saves_fd);
	a->saves_fd = 0;
}

/* False: nobody would hear that a save behind has ended. */
static bool has_watch(struct app *a)
{
	if (a->saves_fd > 0 || !a->loop)
		return a->saves_fd > 0;
	a->saves_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (a->saves_fd > 0
			&& trm_loop_add_fd(a->loop, a->saves_fd, TRM_READ, on_save_done, a, &a->saves_watch,
					   NULL)
					   == 0)
		return true;
	close_saves_watch(a);
	return false;
}

static bool is_big(const struct buffer *b)
{
	return text_len(b->editor.text) >= BIG_BYTES;
}

static void report_begin(struct app *a, const struct buffer *b, const struct app_save *s)
{
	char text[NOTICE_BYTES];

	snprintf(text, sizeof text, "%s %.300s, %zu MiB ...", s->is_copy ? "writing a copy to" : "saving",
			s->path, text_len(b->editor.text) >> 20);
	app_notify(a, MSG_SAVING, text);
}

/* Wait for the disk in a thread; where there is none, here. Takes `s`. */
static void wait_behind(struct app *a, const struct buffer *b, struct app_save *s)
{
	report_begin(a, b, s);
	s->done_fd = a->saves_fd;
	s->next = a->saves;
	a->saves = s;
	s->has_thread = pthread_create(&s->thread, NULL, wait_for_disk, s) == 0;
	if (!s->has_thread)
		wait_for_disk(s);
}

/* Otherwise the older text might come last. */
static bool is_being_written(const struct app *a, const char *path)
{
	const struct app_save *s = a->saves;

	while (s && !app_is_same_file(s->path, path))
		s = s->next;
	return s;
}

static int begin_save(struct app *a, struct buffer *b, const char *path, struct app_save *s)
{
	if (b->editor.is_saving || is_being_written(a, s->path))
		return trm_error_set(&s->error, TRM_EBUSY,
				"%.300s is still being written: try again when that is done",
				b->editor.is_saving ? editor_target(&b->editor) : s->path);
	app_lend_outputs(a, &b->editor);
	return s->is_copy ? editor_copy_begin(&b->editor, path, &s->saving, &s->error)
			  : editor_save_begin(&b->editor, path, &s->saving, &s->error);
}

bool app_write_buffer(struct app *a, const struct save_request *request, bool is_copy)
{
	struct buffer *b = buffers_find(&a->model.buffers, request->buffer);
	const char *path = request->path ? request->path : b->editor.path;
	struct app_save *s = calloc(1, sizeof *s);

	if (!s) {
		app_send_file(a, MSG_SAVED, b->id, path, trm_strerror(TRM_ENOMEM));
		return false;
	}
	s->buffer = b->id;
	s->closes = request->closes;
	s->is_copy = is_copy;
	snprintf(s->path, sizeof s->path, "%s", path ? path : "");
	int r = begin_save(a, b, request->path, s);
	if (r < 0) {
		report_saved(a, s, s->error.msg[0] ? s->error.msg : trm_strerror(r));
		free(s);
		return false;
	}
	if (is_big(b) && has_watch(a)) {
		wait_behind(a, b, s);
		return true;
	}
	s->result = file_save_end(s->saving, &s->stamp, &s->error);
	return finish_save(a, s);
}

bool app_finish_saves(struct app *a)
{
	bool is_saved = true;

	while (a->saves) {
		struct app_save *s = a->saves;
		a->saves = s->next;
		is_saved &= finish_save(a, s);
	}
	close_saves_watch(a);
	return is_saved;
}

bool app_saves_are_done(struct app *a, enum effect_type how)
{
	if (a->linear)
		return !app_linear_has_person(a) || app_finish_saves(a);
	if (a->saves)
		leave_later(a, how);
	return !a->saves;
}
