/* SPDX-License-Identifier: MIT */
#include "sandbox/endpoint.h"

#include <string.h>

#include "base/err.h"

int endpoint_parse(const char *text, struct endpoint *ret, struct trm_error *reterr)
{
	struct endpoint endpoint = {.kind = ENDPOINT_HERE, .path = text};
	size_t n = strcspn(text, ":/");
	if (!*text)
		return trm_error_set(reterr, TRM_EINVAL, "an empty path names no file");
	if (strcmp(text, "-") == 0) {
		endpoint.kind = ENDPOINT_STREAM;
	} else if (text[n] == ':') {
		if (n >= sizeof endpoint.name)
			return trm_error_set(reterr, TRM_EINVAL,
					"%.70s…: this is too long for a sandbox's name; for a file of this machine write "
					"./ in front",
					text);
		endpoint.kind = ENDPOINT_SANDBOX;
		memcpy(endpoint.name, text, n);
		endpoint.name[n] = '\0';
		endpoint.path = text[n + 1] ? text + n + 1 : ".";
	}
	*ret = endpoint;
	return 0;
}

void endpoint_base(const struct endpoint *endpoint, char base[ENTRY_NAME_MAX + 1])
{
	const char *path = endpoint->path;
	size_t n = strlen(path), start;
	while (n && path[n - 1] == '/')
		n--;
	for (start = n; start && path[start - 1] != '/'; start--)
		;
	base[0] = '\0';
	if (endpoint->kind == ENDPOINT_STREAM || n - start > ENTRY_NAME_MAX)
		return;
	memcpy(base, path + start, n - start);
	base[n - start] = '\0';
	if (!entry_is_name(base))
		base[0] = '\0';
}
