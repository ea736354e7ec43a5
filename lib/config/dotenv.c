/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "config/config.h"

/* One line, without its newline, cut into name and value in place: [export] NAME=value, the value
 * plain or in single or double quotes, as shells and other tools write it. false: no assignment. */
static bool split(char *line, char **ret_name, char **ret_value)
{
	line += strspn(line, " \t");
	if (!strncmp(line, "export ", 7))
		line += 7 + strspn(line + 7, " \t");
	char *equals = strchr(line, '=');
	if (*line == '#' || !equals)
		return false;
	*equals = 0;
	char *value = equals + 1, quote = *value;
	if ((quote == '"' || quote == '\'') && strchr(value + 1, quote)) {
		value++;
		*strchr(value, quote) = 0;
	} else {
		char *comment = strstr(value, " #");
		if (comment)
			*comment = 0;
		for (size_t n = strlen(value); n && isspace((unsigned char)value[n - 1]); n--)
			value[n - 1] = 0;
	}
	*ret_name = line;
	*ret_value = value;
	return true;
}

static int take(struct trm_config *config, char *line, const char *filename, size_t number,
		struct trm_error *reterr)
{
	char *name, *value, label[200];
	if (!split(line, &name, &value) || strncmp(name, "TERRARIUM_", 10))
		return 0;
	const struct trm_setting *setting = trm_setting_find(name);
	if (!setting)
		return 0;
	snprintf(label, sizeof label, "%.100s:%zu: %s", filename, number, setting->env);
	if (setting->not_from_dotenv)
		return trm_error_set(reterr, TRM_EINVAL,
				"%s cannot be set here, because a folder must not decide it; use the environment or "
				"the config file",
				label);
	return trm_config_set(config, setting, value, label, reterr);
}

int dotenv_parse(struct trm_config *config, const char *text, size_t n, const char *filename,
		struct trm_error *reterr)
{
	size_t number = 0;
	for (const char *end = text + n; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((newline ? newline : end) - text);
		char line[1024];
		if (len < sizeof line) { /* A longer one is no setting of ours. */
			memcpy(line, text, len);
			line[len] = 0;
			int r = take(config, line, filename, number + 1, reterr);
			if (r < 0)
				return r;
		}
		text = newline ? newline + 1 : end;
	}
	return 0;
}
