/* SPDX-License-Identifier: MIT */
#include "record/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "record/transcript.h"
#include "text/bytes.h"

/* ---- whole files ---- */

static int read_fd(int fd, const char *path, size_t max, char **ret, size_t *ret_n, struct trm_error *reterr)
{
	size_t n = 0, cap = 64 << 10;
	char *bytes = malloc(cap);
	int r = bytes ? 1 : trm_error_set(reterr, TRM_ENOMEM, "%s cannot be read: out of memory", path);

	while (r > 0) {
		ssize_t got = read(fd, bytes + n, cap - n - 1);
		if (got == 0)
			break;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			r = trm_error_set_errno(reterr, errno, "%s cannot be read", path);
			break;
		}
		n += (size_t)got;
		if (n > max)
			r = trm_error_set(reterr, TRM_ETOOBIG, "%s is larger than %zu MiB", path, max >> 20);
		char *grown = n + 1 < cap ? bytes : realloc(bytes, cap *= 2);
		if (!grown)
			r = trm_error_set(reterr, TRM_ENOMEM, "%s cannot be read: out of memory", path);
		else
			bytes = grown;
	}
	if (r < 0) {
		free(bytes);
		return r;
	}
	bytes[n] = '\0';
	*ret = bytes;
	*ret_n = n;
	return 0;
}

int file_read(const char *path, size_t max, char **ret, size_t *ret_n, struct trm_error *reterr)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "%s cannot be opened", path);
	int r = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
				? read_fd(fd, path, max, ret, ret_n, reterr)
				: trm_error_set(reterr, TRM_EINVAL, "%s is not a regular file", path);
	close(fd);
	return r;
}

/* The mode of the existing file, or the default mode of a new one. */
static mode_t mode_of(const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 07777 : 0666 & ~mask;
}

int file_write(const char *path, const char *bytes, size_t n, struct trm_error *reterr)
{
	struct stat st;
	char *temporary = NULL;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return trm_error_set(
				reterr, TRM_EINVAL, "%s cannot be written: it is not a regular file", path);
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "%s cannot be written: out of memory", path);
	int fd = mkostemp(temporary, O_CLOEXEC);
	bool is_done = fd >= 0 && write_fully(fd, bytes, n) == 0 && fchmod(fd, mode_of(path)) == 0;
	int saved_errno = errno;
	if (fd >= 0 && close(fd) < 0 && is_done) {
		saved_errno = errno;
		is_done = false;
	}
	if (is_done && rename(temporary, path) < 0) {
		saved_errno = errno;
		is_done = false;
	}
	if (!is_done && fd >= 0)
		unlink(temporary);
	free(temporary);
	return is_done ? 0 : trm_error_set_errno(reterr, saved_errno, "%s cannot be written", path);
}

/* ---- reading ---- */

void recording_finish(struct recording *r)
{
	free(r->bytes);
	free(r->places);
	*r = (struct recording){0};
}

static int add_place(struct recording *r, const struct rec_event *e, size_t offset, size_t n)
{
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 256;
		struct rec_place *places = realloc(r->places, cap * sizeof *places);
		if (!places)
			return TRM_ENOMEM;
		r->places = places;
		r->cap = cap;
	}
	r->places[r->n++] = (struct rec_place){e->t_us, offset, n, e->kind};
	return 0;
}

/* Checks that need more than one event. */
static int check_order(struct recording *r, const struct rec_event *e, struct trm_error *reterr)
{
	if (r->n && e->t_us < r->places[r->n - 1].t_us)
		return trm_error_set(reterr, TRM_EPROTO, "the time goes back");
	if (e->kind == REC_RUN && e->run != r->n_runs + 1)
		return trm_error_set(reterr, TRM_EPROTO, "run %u follows run %u", e->run, r->n_runs);
	if (e->kind != REC_RUN && e->run > r->n_runs)
		return trm_error_set(reterr, TRM_EPROTO, "there is no run %u yet", e->run);
	r->n_runs += e->kind == REC_RUN;
	r->is_finished = e->kind == REC_END;
	return 0;
}

static int take_line(struct recording *r, size_t offset, size_t n, struct trm_error *reterr)
{
	struct rec_event e = {0};

	if (n == 0)
		return 0;
	if (n > REC_LINE_BYTES)
		return trm_error_set(
				reterr, TRM_ETOOBIG, "the line is longer than %zu MiB", REC_LINE_BYTES >> 20);
	int result = rec_event_decode(r->bytes + offset, n, &e, reterr);
	if (result == 0)
		result = check_order(r, &e, reterr);
	else if (result > 0)
		return 0; /* an event of a later version */
	if (result == 0 && (result = add_place(r, &e, offset, n)) < 0)
		trm_error_set(reterr, result, "out of memory");
	rec_event_finish(&e);
	return result;
}

static int take_lines(struct recording *r, const char *label, struct trm_error *reterr)
{
	struct trm_error why = {0};
	size_t line = 1;

	for (size_t at = 0; at < r->n_bytes; line++) {
		const char *newline = memchr(r->bytes + at, '\n', r->n_bytes - at);
		bool is_last = !newline || newline + 1 == r->bytes + r->n_bytes;
		size_t n = newline ? (size_t)(newline - r->bytes) - at : r->n_bytes - at;
		int result = line == 1 ? rec_header_decode(r->bytes, n, &r->header, &why)
				       : take_line(r, at, n, &why);
		if (result == TRM_EPROTO && is_last && line > 1) {
			r->cut_bytes = r->n_bytes - at; /* a line that the program did not complete */
			break;
		}
		if (result < 0)
			return trm_error_set(reterr, result, "%s cannot be replayed: line %zu: %s", label,
					line, why.msg);
		at += n + 1;
	}
	return line > 1 ? 0 : trm_error_set(reterr, TRM_EPROTO, "%s cannot be replayed: it is empty", label);
}

int recording_parse(struct recording *r, char *bytes, size_t n, const char *label, struct trm_error *reterr)
{
	*r = (struct recording){.bytes = bytes, .n_bytes = n};
	int result = take_lines(r, label, reterr);
	if (result < 0)
		recording_finish(r);
	return result;
}

int recording_load(struct recording *r, const char *path, struct trm_error *reterr)
{
	char *bytes;
	size_t n;
	int result = file_read(path, RECORDING_MAX_BYTES, &bytes, &n, reterr);

	return result < 0 ? result : recording_parse(r, bytes, n, path, reterr);
}

bool recording_event(const struct recording *r, size_t k, struct rec_event *ret)
{
	return rec_event_decode(r->bytes + r->places[k].offset, r->places[k].n, ret, NULL) == 0;
}

uint64_t recording_length_us(const struct recording *r)
{
	return r->n ? r->places[r->n - 1].t_us : 0;
}

void recording_fill_transcript(const struct recording *r, struct transcript *s)
{
	struct rec_event e;

	memcpy(s->started, r->header.started, sizeof s->started);
	for (size_t k = 0; k < r->n; k++) {
		if (!recording_event(r, k, &e)) {
			s->is_incomplete = true;
			continue;
		}
		transcript_add(s, &e);
		rec_event_finish(&e);
	}
}
