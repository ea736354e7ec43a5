/* SPDX-License-Identifier: MIT */
#include "image/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "image/decode.h"
#include "image/decoder_sandbox.h"
#include "image/image.h"

#define ANSWER_MAX ((size_t)128 << 20)
#define ANSWER_FD 0 /* where the child writes */

struct image_job {
	pid_t pid;
	int fd;
	struct picture_style look;
	uint8_t *bytes; /* received so far */
	size_t n, cap;
};

/* The first byte from the child. */
enum answer { ANSWER_PICTURE = 'p', ANSWER_ERROR = 'e' };

/* ---- the child ---- */

static void write_job_bytes(const void *bytes, size_t n)
{
	for (const char *p = bytes; n > 0;) {
		ssize_t done = write(ANSWER_FD, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			_exit(1);
		p += done;
		n -= (size_t)done;
	}
}

static void answer_error(const struct trm_error *why)
{
	char kind = ANSWER_ERROR;

	write_job_bytes(&kind, 1);
	write_job_bytes(why->msg, strlen(why->msg));
	_exit(0);
}

static _Noreturn void decode_in_child(const uint8_t *bytes, size_t n, const struct image_info *info,
		const struct picture_style *look)
{
	struct pixels pixels;
	struct trm_error why = {0};
	int width, height;
	char kind = ANSWER_PICTURE;
	size_t len = 0;

	/* An image without a size is drawn in the requested size. */
	width = look->cols * (look->cell_w > 0 ? look->cell_w : 8);
	height = look->rows * (look->cell_h > 0 ? look->cell_h : 16);
	if (image_decode(bytes, n, info, width, height, &pixels, &why) < 0)
		answer_error(&why);
	struct picture *p = picture_create(&pixels, look);
	uint8_t *packed = p ? picture_pack(p, &len) : NULL;
	if (!packed) {
		trm_error_set(&why, TRM_ENOMEM, "the image needs too much memory");
		answer_error(&why);
	}
	write_job_bytes(&kind, 1);
	write_job_bytes(packed, len);
	_exit(0);
}

/* ---- this side ---- */

static int grow_job(struct image_job *job)
{
	size_t cap = job->cap ? job->cap * 2 : 65536;
	uint8_t *bytes = cap <= ANSWER_MAX ? realloc(job->bytes, cap) : NULL;

	if (!bytes)
		return TRM_ENOMEM;
	job->bytes = bytes;
	job->cap = cap;
	return 0;
}

int image_job_start(const uint8_t *bytes, size_t n, const struct image_info *info,
		const struct picture_style *look, struct image_job **ret, struct trm_error *reterr)
{
	struct image_job *job = calloc(1, sizeof *job);
	int ends[2];

	if (!job)
		return trm_error_set(reterr, TRM_ENOMEM, "the image needs too much memory");
	if (pipe2(ends, O_CLOEXEC) < 0) {
		free(job);
		return trm_error_set(reterr, TRM_EIO, "the image cannot be decoded: %s", strerror(errno));
	}
	pid_t pid = fork();
	if (pid == 0) {
		decoder_sandbox_enter(ends[1], ANSWER_FD);
		decode_in_child(bytes, n, info, look);
	}
	int error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		free(job);
		return trm_error_set(reterr, TRM_EIO, "the image cannot be decoded: %s", strerror(error));
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*job = (struct image_job){.pid = pid, .fd = ends[0], .look = *look};
	*ret = job;
	return 0;
}

int image_job_fd(const struct image_job *job)
{
	return job->fd;
}

/* The message of a child, which hostile bytes may control by now. */
static int take_error(const uint8_t *bytes, size_t n, struct trm_error *reterr)
{
	char text[200];
	size_t len = n < sizeof text - 1 ? n : sizeof text - 1;

	for (size_t i = 0; i < len; i++)
		text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7F ? (char)bytes[i] : '?';
	text[len] = '\0';
	return trm_error_set(reterr, TRM_EINVAL, "%s", text);
}

static enum image_job_state take_answer(struct image_job *job, struct picture **ret, struct trm_error *reterr)
{
	if (job->n > 1 && job->bytes[0] == ANSWER_PICTURE)
		return picture_unpack(job->bytes + 1, job->n - 1, &job->look, ret, reterr) < 0
				       ? IMAGE_JOB_FAILED
				       : IMAGE_JOB_DONE;
	if (job->n > 1 && job->bytes[0] == ANSWER_ERROR)
		take_error(job->bytes + 1, job->n - 1, reterr);
	else
		trm_error_set(reterr, TRM_EINVAL,
				"the image is broken, or takes too much time or memory to decode");
	return IMAGE_JOB_FAILED;
}

enum image_job_state image_job_read(struct image_job *job, struct picture **ret, struct trm_error *reterr)
{
	for (;;) {
		if (job->n == job->cap && grow_job(job) < 0) {
			trm_error_set(reterr, TRM_ENOMEM, "the image needs too much memory");
			return IMAGE_JOB_FAILED;
		}
		ssize_t n = read(job->fd, job->bytes + job->n, job->cap - job->n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return IMAGE_JOB_BUSY;
		if (n <= 0)
			return take_answer(job, ret, reterr);
		job->n += (size_t)n;
	}
}

void image_job_destroy(struct image_job *job)
{
	if (!job)
		return;
	kill(job->pid, SIGKILL);
	while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(job->fd);
	free(job->bytes);
	free(job);
}
