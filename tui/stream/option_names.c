/* SPDX-License-Identifier: MIT */
#include "stream/option_names.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

/* The setting whose name stands behind this parenthesis, alone or in front of a comma; NULL: none does. */
static const struct trm_setting *setting_at(const char *text, size_t *ret_len)
{
	char name[40];
	size_t n = *text == '(' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
	if (!n || n >= sizeof name || (text[1 + n] != ')' && text[1 + n] != ','))
		return NULL;
	memcpy(name, text + 1, n);
	name[n] = '\0';
	*ret_len = n;
	return setting_find(name);
}

char *option_names_put(const char *text, char *out, size_t cap)
{
	size_t n = 0, len;
	while (*text && n + 1 < cap) {
		const struct trm_setting *setting = setting_at(text, &len);
		out[n++] = *text++;
		if (!setting || !setting->option)
			continue;
		int added = snprintf(out + n, cap - n, "%s", setting->option);
		n += (size_t)added < cap - n ? (size_t)added : cap - n - 1;
		text += len;
	}
	out[n] = '\0';
	return out;
}
