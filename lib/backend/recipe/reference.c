/* SPDX-License-Identifier: MIT */
#include "backend/recipe/reference.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"

enum { NAME_MAX_BYTES = 255, TAG_MAX_BYTES = 128 };

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static int refuse(const char *name, const char *why, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EINVAL, "an image cannot be called '%.120s': %s", name, why);
}

/* The first component is a host if it looks like one, or if it cannot be part of a path. */
static size_t host_len(const char *name)
{
	size_t n = strcspn(name, "/");
	bool is_host = n == 9 && !strncmp(name, "localhost", 9);
	if (!name[n])
		return 0;
	for (size_t i = 0; i < n; i++)
		is_host |= name[i] == '.' || name[i] == ':' || (name[i] >= 'A' && name[i] <= 'Z');
	return is_host ? n : 0;
}

static bool host_is_good(const char *host, size_t n)
{
	const char *colon = memchr(host, ':', n);
	size_t len = colon ? (size_t)(colon - host) : n;
	bool is_good = len > 0 && (!colon || len + 1 < n);
	for (size_t i = 0; i < len; i++) {
		bool is_edge = i == 0 || i + 1 == len || host[i - 1] == '.' || host[i + 1] == '.';
		is_good &= is_alnum(host[i]) || (!is_edge && host[i] == '-')
			   || (host[i] == '.' && i && i + 1 < len && host[i - 1] != '.');
	}
	for (size_t i = len + 1; i < n; i++)
		is_good &= host[i] >= '0' && host[i] <= '9';
	return is_good;
}

/* Lowercase letters and digits, with one dot, one or two underscores, or hyphens in between. */
static bool component_is_good(const char *at, size_t n)
{
	if (!n || !is_lower(at[0]) || !is_lower(at[n - 1]))
		return false;
	for (size_t i = 0; i < n;) {
		if (is_lower(at[i])) {
			i++;
			continue;
		}
		size_t dots = strspn(at + i, "."), lines = strspn(at + i, "_"), hyphens = strspn(at + i, "-");
		if (dots > 1 || lines > 2 || !(dots + lines + hyphens)
				|| !is_lower(at[i + dots + lines + hyphens]))
			return false;
		i += dots + lines + hyphens;
	}
	return true;
}

static int path_check(const char *name, const char *path, size_t n, struct trm_error *reterr)
{
	for (size_t i = 0; i < n; i++)
		if (path[i] >= 'A' && path[i] <= 'Z')
			return refuse(name, "behind the host there may be no capitals", reterr);
	for (size_t at = 0, len; at <= n; at += len + 1) {
		const char *slash = memchr(path + at, '/', n - at);
		len = slash ? (size_t)(slash - path) - at : n - at;
		if (!component_is_good(path + at, len))
			return refuse(name,
					"each part is lowercase letters and digits, with '.', '_', '__' or '-' "
					"only between them",
					reterr);
	}
	return 0;
}

static int tag_check(const char *name, const char *tag, struct trm_error *reterr)
{
	size_t n = strlen(tag);
	bool is_good = n && n <= TAG_MAX_BYTES && *tag != '.' && *tag != '-';
	for (size_t i = 0; i < n; i++)
		is_good &= is_alnum(tag[i]) || strchr("_.-", tag[i]);
	return is_good ? 0
		       : refuse(name,
				       "a tag is at most 128 letters, digits, '_', '.' and '-', and does not begin with '.' "
				       "or '-'",
				       reterr);
}

int reference_check(const char *name, struct trm_error *reterr)
{
	size_t host = host_len(name);
	const char *path = host ? name + host + 1 : name;
	size_t n = strcspn(path, ":@");
	if (path[n] == '@')
		return refuse(name, "a digest is computed, not chosen", reterr);
	if (host && !host_is_good(name, host))
		return refuse(name, "what is in front of the first '/' is no host", reterr);
	if (!host && n == 64 && strspn(path, "0123456789abcdef") == 64)
		return refuse(name, "64 hexadecimal digits are an id", reterr);
	if ((host ? host + 1 : 0) + n > NAME_MAX_BYTES)
		return refuse(name, "it is longer than 255 bytes", reterr);
	int r = path_check(name, path, n, reterr);
	return r == 0 && path[n] ? tag_check(name, path + n + 1, reterr) : r;
}
