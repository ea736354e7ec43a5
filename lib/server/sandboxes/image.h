/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_IMAGE_H
#define TRM_SERVER_SANDBOXES_IMAGE_H

/* Images, and which languages a sandbox has that is started from them. There are no layers of files behind
 * the names: all sandboxes see this machine's interpreters. Known are "microsandbox/python" (python and
 * bash), "microsandbox/node" (javascript and bash), "terrarium/all", and what the section "server_images" of
 * the config file adds:
 *
 *   { "server_images": { "acme/science": "python, bash" } } */

#include <stddef.h>

struct image;
struct trm_error;

/* The table, with the section of the config file `config_path` (as in trm_config_load()). TRM_EINVAL with the
 * place in the file. */
int image_load(const char *config_path, struct image **ret, struct trm_error *reterr);
void image_free(struct image *images); /* takes NULL */

/* At most `cap` names, borrowed, without short forms. Returns how many. */
size_t image_names(const struct image *images, const char **names, size_t cap);

/* The languages of an image as a mask of 1 << trm_lang.index. A registry in front ("docker.io/…") and a tag
 * (":latest") count for nothing. TRM_ENOENT with the list of the known ones. */
int image_find(const struct image *images, const char *name, unsigned *ret_languages,
		struct trm_error *reterr);

/* A language as clients name it, which an image must have: TRM_ENOTSUP with the ones that it has. */
struct trm_lang;
int image_language(
		unsigned languages, const char *name, const struct trm_lang **ret, struct trm_error *reterr);

#endif
