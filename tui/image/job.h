/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_JOB_H
#define TUI_IMAGE_JOB_H

/* Turns an image into a picture, in a child of ours that may only compute.
 *
 * Theory of operation. The child is forked, so it has the bytes already. It closes all descriptors except
 * its pipe, limits its own memory and time, and, on architectures whose numbers we know, gives up all
 * system calls except those that libraries need to compute and to read files (decoder_sandbox.c). Through
 * the pipe comes an error message, or numbers that picture_unpack() checks. A child that takes too long,
 * dies, or writes too much is killed; then the image counts as broken. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/picture.h"

struct image_job;
struct image_info;

#define IMAGE_JOB_MS 10000 /* after this time the caller is to give up */

/* `bytes` are read until this returns. TRM_ENOMEM or TRM_EIO: the child could not be started. */
int image_job_start(const uint8_t *bytes, size_t n, const struct image_info *info,
		const struct picture_style *look, struct image_job **ret, struct trm_error *reterr);

/* A descriptor that becomes readable when there is more to read. It does not block. */
int image_job_fd(const struct image_job *job);

enum image_job_state { IMAGE_JOB_BUSY, IMAGE_JOB_DONE, IMAGE_JOB_FAILED };

/* Read the available bytes. DONE: `ret` is the picture, which the caller destroys. FAILED: `reterr` says
 * why. */
enum image_job_state image_job_read(struct image_job *job, struct picture **ret, struct trm_error *reterr);

/* Kill the child if it still runs. Accepts NULL. */
void image_job_destroy(struct image_job *job);

#endif
