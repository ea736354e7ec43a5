/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_REFERENCE_H
#define TRM_BACKEND_RECIPE_REFERENCE_H

/* Names of images in the grammar of docker and podman: [HOST[:PORT]/]PATH[:TAG]. */

struct trm_error;

/* Check that an image can be saved under this name. TRM_EINVAL with a sentence that names the faulty
 * part. */
int reference_check(const char *name, struct trm_error *reterr);

#endif
