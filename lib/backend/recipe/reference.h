/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_REFERENCE_H
#define TRM_BACKEND_RECIPE_REFERENCE_H

/* Names of images, in the grammar of docker and podman: [HOST[:PORT]/]PATH[:TAG]. */

struct trm_error;

/* May an image be saved under this name? TRM_EINVAL with a sentence that says which part is wrong. */
int reference_check(const char *name, struct trm_error *reterr);

#endif
