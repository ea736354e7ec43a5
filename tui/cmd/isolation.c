/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"

/* Is there a person to ask, and is isolation wanted that does not work here? */
static bool lacks_isolation(const struct trm_config *config)
{
	struct trm_error why = {0};
	return strcmp(config->backend, "local") == 0 && strcmp(config->isolation, "auto") == 0
	       && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)
	       && trm_isolation_best(&why) == TRM_ISOLATION_NONE && why.code == TRM_ENOISOLATION;
}

/* The first letter of a line; 'q' at the end of the input. */
static char read_letter(void)
{
	char line[64];
	if (!fgets(line, sizeof line, stdin))
		return 'q';
	return line[strspn(line, " \t")];
}

static int store(const char *config_path)
{
	struct trm_error why = {0};
	char path[1024];
	if (!trm_config_path(config_path, path, sizeof path))
		return cmd_fail("cannot save this choice: there is no folder for a config file");
	if (trm_config_store(path, setting_find("isolation"), "none", &why) < 0)
		return cmd_fail("%s", why.msg);
	fprintf(stderr, "remembered in %s\n", path);
	return CMD_OK;
}

int confirm_isolation(struct trm_config *config, const char *config_path)
{
	char words[TRM_ISOLATION_WORDS];
	if (!lacks_isolation(config))
		return CMD_OK;
	fprintf(stderr,
			"This machine offers no isolation: code runs with all your rights.\n"
			"If this container is your sandbox, that may be what you want.\n"
			"%s",
			trm_isolation_explain(words));
	for (;;) {
		fputs("[r]un without isolation in this session, [a]lways on this machine, or [q]uit? ",
				stderr);
		char letter = read_letter();
		if (letter == 'q')
			return cmd_fail("quit; 'terrarium doctor' says more about how to fix it");
		if (letter != 'r' && letter != 'a')
			continue;
		snprintf(config->isolation, sizeof config->isolation, "none");
		return letter == 'a' ? store(config_path) : CMD_OK;
	}
}
