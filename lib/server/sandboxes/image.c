/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/image.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/config.h>
#include <terrarium/lang.h>
#include <terrarium/server.h>

#include "base/err.h"

struct image {
	struct image *next;
	unsigned languages;
	char name[];
};

static const struct {
	const char *name, *languages; /* NULL: all */
} BUILT_IN[] = {
		{"microsandbox/python", "python, bash"},
		{"microsandbox/node", "javascript, bash"},
		{"terrarium/all", NULL},
		/* As microsandbox's MCP tools spell them. */
		{"python", "python, bash"},
		{"node", "javascript, bash"},
};

/* ---- the table ------------------------------------------------------------------------- */

/* A name that exists already gets the new languages. */
static int add_image(struct image **images, const char *name, unsigned languages, struct trm_error *reterr)
{
	size_t n = strlen(name) + 1;
	struct image *image = *images;
	while (image && strcmp(image->name, name) != 0)
		image = image->next;
	if (image) {
		image->languages = languages;
		return 0;
	}
	image = malloc(sizeof *image + n);
	if (!image)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	image->next = *images;
	image->languages = languages;
	memcpy(image->name, name, n);
	*images = image;
	return 0;
}

/* "python, bash" */
static int read_languages(const char *text, unsigned *ret, struct trm_error *reterr)
{
	*ret = 0;
	for (const char *at = text; *at;) {
		char word[32];
		const struct trm_lang *lang;
		at += strspn(at, ", \t");
		size_t n = strcspn(at, ", \t");
		if (!n)
			break;
		snprintf(word, sizeof word, "%.*s", (int)n, at);
		int r = trm_lang_find(word, &lang, reterr);
		if (r < 0)
			return r;
		*ret |= 1u << lang->index;
		at += n;
	}
	return *ret ? 0
		    : trm_error_set(reterr, TRM_EINVAL, "an image needs languages, such as \"python, bash\"");
}

static void add_builtin(struct image **images, size_t i, struct trm_error *why)
{
	unsigned languages = UINT_MAX;
	if (!BUILT_IN[i].languages || read_languages(BUILT_IN[i].languages, &languages, why) == 0)
		add_image(images, BUILT_IN[i].name, languages, why);
}

struct loading {
	struct image **images;
	struct trm_error why;
};

static void on_entry(void *user, const struct trm_config_entry *entry)
{
	struct loading *loading = user;
	struct trm_error why = {0};
	unsigned languages = 0;
	if (loading->why.code)
		return;
	if (*entry->group || !*entry->key)
		trm_error_set(&why, TRM_EINVAL, "an image has a name and a text with its languages");
	else if (read_languages(entry->value, &languages, &why) == 0)
		add_image(loading->images, entry->key, languages, &why);
	if (why.code)
		trm_error_set(&loading->why, why.code, "%s: image '%s': %s", entry->where, entry->key,
				why.msg);
}

int image_load(const char *config_path, struct image **ret, struct trm_error *reterr)
{
	struct loading loading = {.images = ret};
	*ret = NULL;
	for (size_t i = sizeof BUILT_IN / sizeof *BUILT_IN; i-- && !loading.why.code;)
		add_builtin(ret, i, &loading.why);
	int r = loading.why.code ? loading.why.code
				 : trm_config_walk(config_path, "server_images", on_entry, &loading, reterr);
	if (loading.why.code)
		r = trm_error_set(reterr, loading.why.code, "%s", loading.why.msg);
	if (r < 0) {
		image_free(*ret);
		*ret = NULL;
	}
	return r;
}

int trm_server_check(const char *config_path, struct trm_error *reterr)
{
	struct image *images;
	int r = image_load(config_path, &images, reterr);
	if (r == 0)
		image_free(images);
	return r;
}

void image_free(struct image *images)
{
	while (images) {
		struct image *next = images->next;
		free(images);
		images = next;
	}
}

/* ---- names ----------------------------------------------------------------------------- */

/* Reduce "docker.io/a/b:latest" and "a/b@sha256:…" to "a/b". A registry has a dot or a port, as for other
 * tools. */
static void bare_name(const char *name, char *out, size_t cap)
{
	size_t host = strcspn(name, "/");
	if (name[host] && (memchr(name, '.', host) || memchr(name, ':', host)))
		name += host + 1;
	size_t n = strcspn(name, ":@");
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:";
	if (name[n] && strspn(name + n + 1, letters) != strlen(name + n + 1))
		n = 0; /* neither a tag nor a digest */
	snprintf(out, cap, "%.*s", (int)n, name);
}

static bool is_short(const char *name)
{
	return !strcmp(name, "python") || !strcmp(name, "node");
}

size_t image_names(const struct image *images, const char **names, size_t cap)
{
	size_t n = 0;
	for (const struct image *image = images; image; image = image->next)
		if (!is_short(image->name) && n < cap)
			names[n++] = image->name;
	return n;
}

int image_find(const struct image *images, const char *name, unsigned *ret_languages,
		struct trm_error *reterr)
{
	char bare[256], known[300] = "";
	size_t used = 0;
	bare_name(name, bare, sizeof bare);
	for (const struct image *image = images; image; image = image->next) {
		if (!strcmp(image->name, name) || !strcmp(image->name, bare)) {
			*ret_languages = image->languages;
			return 0;
		}
		if (!is_short(image->name) && used < sizeof known)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
					image->name);
	}
	return trm_error_set(reterr, TRM_ENOENT,
			"the image '%.80s' is not known here: there are %s; more can be named in the section \"server_images\" of "
			"the server's config file",
			name, known);
}

/* ---- languages ------------------------------------------------------------------------- */

static void list_languages(unsigned languages, char *out, size_t cap)
{
	size_t used = 0;
	*out = '\0';
	for (unsigned id = 0; id < trm_lang_count(); id++)
		if (languages & 1u << id && used < cap)
			used += (size_t)snprintf(out + used, cap - used, "%s%s", used ? ", " : "",
					trm_lang_at(id)->name);
}

static int refuse_language(unsigned languages, const char *name, const char *why, struct trm_error *reterr)
{
	char has[400];
	list_languages(languages, has, sizeof has);
	if (!*name)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"Unsupported language: the name is empty (this sandbox runs %s)", has);
	return trm_error_set(reterr, TRM_ENOTSUP, "Unsupported language: %.60s (this sandbox runs %s)%s%s",
			name, has, *why ? ": " : "", why);
}

int image_language(
		unsigned languages, const char *name, const struct trm_lang **ret, struct trm_error *reterr)
{
	struct trm_error why = {0};
	char has[400];
	if (!*name || trm_lang_find(strcasecmp(name, "nodejs") ? name : "node", ret, &why) < 0)
		return refuse_language(languages, name, why.code == TRM_ENOTSUP ? why.msg : "", reterr);
	if (languages & 1u << (*ret)->index)
		return 0;
	list_languages(languages, has, sizeof has);
	return trm_error_set(reterr, TRM_ENOTSUP,
			"Unsupported language: %.60s (the image of this sandbox runs %s; terrarium/all has all)",
			name, has);
}
