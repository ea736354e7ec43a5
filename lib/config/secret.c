/* SPDX-License-Identifier: MIT */
/* Keys. They are never shown, and sent only to servers that the user has chosen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "config/config.h"

#define BLANKS " \t\r\n"

static int put_secret(char *field, size_t size, const char *text, size_t n, const char *label,
		struct trm_error *reterr)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] <= ' ' || text[i] >= 127)
			return trm_error_set(reterr, TRM_EINVAL,
					"%s: it contains a character that no key has, such as a space",
					label);
	if (n >= size)
		return trm_error_set(reterr, TRM_EINVAL, "%s: it is too long for a key", label);
	memset(field, 0, size);
	memcpy(field, text, n);
	return 0;
}

int secret_set(struct trm_config *config, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	return put_secret((char *)config + s->offset, s->size, text, strlen(text), label, reterr);
}

/* The file is read at once, so that later settings can override the key, like any other setting. */
int secret_set_file(struct trm_config *config, const struct trm_setting *s, const char *path,
		const char *label, struct trm_error *reterr)
{
	struct trm_error why = {0};
	char *text;
	size_t n;
	if (strlen(path) >= s->size)
		return trm_error_set(reterr, TRM_EINVAL, "%s: the path is too long", label);
	if (!*path) {
		memset((char *)config + s->offset, 0, s->size);
		return 0;
	}
	if (config_read_file(path, &text, &n, &why) < 0)
		return trm_error_set(reterr, why.code, "%s: %s", label, why.msg);
	const char *from = text + strspn(text, BLANKS);
	size_t len = strcspn(from, BLANKS);
	int r = len ? put_secret(config->api_key, sizeof config->api_key, from, len, label, reterr)
		    : trm_error_set(reterr, TRM_EINVAL, "%s: there is no key in %s", label, path);
	explicit_bzero(text, n);
	free(text);
	if (r < 0)
		return r;
	memset((char *)config + s->offset, 0, s->size);
	memcpy((char *)config + s->offset, path, strlen(path));
	return 0;
}

size_t secret_get(const struct trm_config *config, const struct trm_setting *s, char *out, size_t cap)
{
	return (size_t)snprintf(out, cap, "%s", *((const char *)config + s->offset) ? "(not shown)" : "");
}

size_t secret_get_url(const struct trm_config *config, const struct trm_setting *s, char *out, size_t cap)
{
	const char *url = (const char *)config + s->offset, *scheme = strstr(url, "://");
	const char *user = scheme ? scheme + 3 : url, *at = NULL;
	const char *end = user + strcspn(user, "/?#");
	for (const char *c = user; c < end; c++)
		at = *c == '@' ? c : at; /* the last '@', because a password may contain others */
	if (!at)
		return (size_t)snprintf(out, cap, "%s", url);
	const char *colon = memchr(user, ':', (size_t)(at - user));
	/* A name without a password is usually a token. */
	int shown = (int)((colon ? colon + 1 : user) - url);
	return (size_t)snprintf(out, cap, "%.*s***%s", shown, url, at);
}

/* Is it a server on this machine: localhost, 127.x.y.z or [::1]? */
static bool is_loopback(const char *url)
{
	static const char *const names[] = {"localhost", "[::1]"};
	const char *host = strstr(url, "://");
	if (!host)
		return false;
	host += 3;
	size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == n && strncasecmp(host, names[i], n) == 0)
			return true;
	return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == n;
}

bool secret_forbids_url(const struct trm_config *config, const char *url)
{
	const char *key = getenv("MSB_API_KEY");
	return ((key && *key) || *config->api_key) && !is_loopback(url);
}
