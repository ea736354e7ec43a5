/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S, YEAR_S = 365 * DAY_S, YEARS_MAX = 100 };

enum { OPTION_EXPIRE, OPTION_NAMESPACE, OPTION_KEY_FILE };

static const struct option_spec options[] = {
		[OPTION_EXPIRE] = {"--expire", 0, "TIME",
				"lifetime of the key, such as 90s, 30m, 24h, 7d, 4w, 6mo, 1y; "
				"default: 24h"},
		[OPTION_NAMESPACE] = {"--namespace", 0, "NS",
				"valid in this namespace only; default: * (all)"},
		[OPTION_KEY_FILE] = {"--key-file", 0, "FILE",
				"the server key, as for serve; created if missing"},
		{0},
};

static bool read_time(const char *text, uint64_t *ret_s)
{
	static const struct {
		const char *suffix;
		uint64_t seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"h", HOUR_S}, {"d", DAY_S}, {"w", 7 * DAY_S}, {"mo", 30 * DAY_S},
			{"y", YEAR_S}};
	char *unit;
	unsigned long number = strtoul(text, &unit, 10);
	for (size_t i = 0; *text >= '0' && *text <= '9' && i < sizeof units / sizeof *units; i++)
		if (!strcasecmp(unit, units[i].suffix) && number
				&& number <= YEARS_MAX * (uint64_t)YEAR_S / units[i].seconds) {
			*ret_s = number * units[i].seconds;
			return true;
		}
	cmd_fail("--expire %s: must be a time such as 24h, 7d or 1y, up to %d years", *text ? text : "''",
			YEARS_MAX);
	return false;
}

/* Only the key is on stdout, so that a script can read it. More information is on stderr. */
static int keygen(const char *key_file, const char *name_space, uint64_t lifetime_s)
{
	struct trm_error why = {0};
	char key[TRM_SERVER_KEY], token[TRM_SERVER_TOKEN], until[40] = "";
	time_t end = time(NULL) + (time_t)lifetime_s;
	struct tm tm;
	int r = trm_server_key(key_file, false, key, &why);
	if (r == 0)
		r = trm_server_token(key, name_space, lifetime_s, token, &why);
	explicit_bzero(key, sizeof key);
	if (r < 0)
		return cmd_fail("%s", why.msg);
	if (localtime_r(&end, &tm))
		strftime(until, sizeof until, "%Y-%m-%d %H:%M", &tm);
	printf("%s\n", token);
	int code = cmd_flush();
	bool is_all = !strcmp(name_space, "*");
	fprintf(stderr, "For %s%s, until %s; clients read it from MSB_API_KEY.\n",
			is_all ? "all namespaces" : "namespace ", is_all ? "" : name_space, until);
	return code;
}

static int keygen_main(const struct cmd *cmd, int argc, char **argv)
{
	const char *key_file = NULL, *name_space = "*", *expire = "24h";
	uint64_t lifetime_s;
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		switch (got) {
		case OPTIONS_HELP: return cmd_print_help(cmd);
		case OPTIONS_WRONG: return CMD_FAILED;
		case OPTION_EXPIRE: expire = o.value; break;
		case OPTION_NAMESPACE: name_space = o.value; break;
		case OPTION_KEY_FILE: key_file = o.value; break;
		default: return cmd_fail("'keygen' takes no arguments, but got '%s'", o.value);
		}
	}
	return read_time(expire, &lifetime_s) ? keygen(key_file, name_space, lifetime_s) : CMD_FAILED;
}

const struct cmd cmd_keygen = {
		.name = "keygen",
		.usage = "keygen [--expire TIME] [--namespace NS] [--key-file FILE]",
		.summary = "make a server key",
		.help = "Prints an API key for clients of 'terrarium serve', signed with its server "
			"key. The key is not stored anywhere. 'terrarium serve --reset-key' makes all "
			"earlier keys invalid.",
		.options = options,
		.run = keygen_main,
};
