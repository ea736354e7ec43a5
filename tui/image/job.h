/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_JOB_H
#define TUI_IMAGE_JOB_H

/* Turning an image into a picture, in a child of ours that may compute and nothing else.
 *
 * Theory of operation. The child is forked, so that the bytes need not be handed to it. It closes all
 * descriptors but its pipe, gives up what it may use of memory and time, and, on machines that we have the
 * numbers of, all system calls but those that libraries need to compute and to read files
 * (decoder_sandbox.c). What comes back through the pipe is a sentence, or numbers that picture_unpack()
 * checks. A child that takes too long, dies, or writes too much is killed: the image is then said to be
 * broken. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/picture.h"

struct image_job;
struct image_info;

#define IMAGE_JOB_MS 10000 /* after so long the caller is to give it up */

/* `bytes` are looked at until this returns. TRM_ENOMEM or TRM_EIO: it could not be started. */
int image_job_start(const uint8_t *bytes, size_t n, const struct image_info *info,
		const struct picture_style *look, struct image_job **ret, struct trm_error *reterr);

/* What becomes readable when there is more to be read; it does not block. */
int image_job_fd(const struct image_job *job);

enum image_job_state { IMAGE_JOB_BUSY, IMAGE_JOB_DONE, IMAGE_JOB_FAILED };

/* Read what is there. DONE: `ret` is the picture, the caller's to destroy. FAILED: `reterr` says why. */
enum image_job_state image_job_read(struct image_job *job, struct picture **ret, struct trm_error *reterr);

/* Kill the child if it is still there. Takes NULL. */
void image_job_destroy(struct image_job *job);

#endif
