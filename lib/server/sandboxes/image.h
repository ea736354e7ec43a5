/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_IMAGE_H
#define TRM_SERVER_SANDBOXES_IMAGE_H

/* Images, and the languages of a sandbox that is started from one. No layers of files are behind the
 * names: all sandboxes see this machine's interpreters. Known are "microsandbox/python" (python and
 * bash), "microsandbox/node" (javascript and bash), "terrarium/all", and the additions of the config
 * file's section "server_images":
 *
 *   { "server_images": { "acme/science": "python, bash" } } */

#include <stddef.h>

struct image;
struct trm_error;

/* Load the table, with the section of the config file `config_path` (as in trm_config_load()). TRM_EINVAL
 * with the position in the file. */
int image_load(const char *config_path, struct image **ret, struct trm_error *reterr);
void image_free(struct image *images); /* accepts NULL */

/* At most `cap` names, borrowed, without short forms. Returns their number. */
size_t image_names(const struct image *images, const char **names, size_t cap);

/* The languages of an image as a mask of 1 << trm_lang.index. A registry in front ("docker.io/…") and a
 * tag (":latest") are ignored. TRM_ENOENT with the list of known images. */
int image_find(const struct image *images, const char *name, unsigned *ret_languages,
		struct trm_error *reterr);

/* Find a language by its name for clients. TRM_ENOTSUP with the image's languages if it lacks this one. */
struct trm_lang;
int image_language(
		unsigned languages, const char *name, const struct trm_lang **ret, struct trm_error *reterr);

#endif
