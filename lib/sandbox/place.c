/* SPDX-License-Identifier: MIT */
#include "sandbox/place.h"

#include <string.h>

#include "base/err.h"

int place_parse(const char *text, struct place *ret, struct trm_error *reterr)
{
	struct place place = {.kind = PLACE_HERE, .path = text};
	size_t n = strcspn(text, ":/");
	if (!*text)
		return trm_error_set(reterr, TRM_EINVAL, "an empty path names no file");
	if (strcmp(text, "-") == 0) {
		place.kind = PLACE_STREAM;
	} else if (text[n] == ':') {
		if (n >= sizeof place.name)
			return trm_error_set(reterr, TRM_EINVAL,
					"%.70s…: this is too long for a sandbox's name; for a file of this machine write "
					"./ in front",
					text);
		place.kind = PLACE_SANDBOX;
		memcpy(place.name, text, n);
		place.name[n] = '\0';
		place.path = text[n + 1] ? text + n + 1 : ".";
	}
	*ret = place;
	return 0;
}

void place_base(const struct place *place, char base[ENTRY_NAME_MAX + 1])
{
	const char *path = place->path;
	size_t n = strlen(path), start;
	while (n && path[n - 1] == '/')
		n--;
	for (start = n; start && path[start - 1] != '/'; start--)
		;
	base[0] = '\0';
	if (place->kind == PLACE_STREAM || n - start > ENTRY_NAME_MAX)
		return;
	memcpy(base, path + start, n - start);
	base[n - start] = '\0';
	if (!entry_is_name(base))
		base[0] = '\0';
}
