/* SPDX-License-Identifier: MIT */
#include "stream/install_hint.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

enum { PACKAGES = 120 };

/* "-l javascript ", unless it is the language that is meant without saying so. */
static void tell_language(const struct trm_lang *lang, char *out, size_t cap)
{
	bool is_default = !lang || lang == trm_lang_default();
	snprintf(out, cap, "%s%s%s", is_default ? "" : "-l ", is_default ? "" : lang->name,
			is_default ? "" : " ");
}

static void put_command(char out[INSTALL_HINT], enum install_hint_kind kind, const struct trm_lang *lang,
		const char *packages, const char *name, const char *what)
{
	char language[48], joined[PACKAGES];
	tell_language(lang, language, sizeof language);
	snprintf(joined, sizeof joined, "%s", packages);
	for (char *blank = joined; kind != INSTALL_HINT_REPL && kind != INSTALL_HINT_NAME
				   && (blank = strchr(blank, ' '));)
		*blank = ',';
	if (kind == INSTALL_HINT_REPL)
		snprintf(out, INSTALL_HINT, "':install %s' installs it", packages);
	else if (kind == INSTALL_HINT_NAME)
		snprintf(out, INSTALL_HINT, "'terrarium install %s--name %.64s %s' installs it", language,
				name, packages);
	else
		snprintf(out, INSTALL_HINT, "'terrarium run %s--with %s %.80s' installs it first", language,
				joined, what ? what : "…");
}

bool install_hint_of_result(const struct trm_result *result, enum install_hint_kind kind, const char *name,
		const char *what, char out[INSTALL_HINT])
{
	char packages[PACKAGES], command[INSTALL_HINT];
	if (trm_missing_package(result, packages, sizeof packages)) {
		bool is_known = trm_package_is_known(result->lang, packages);
		put_command(command, kind, result->lang, packages, name, what);
		snprintf(out, INSTALL_HINT, "%s%.*s",
				is_known ? "" : "if a package of this name is what you mean: ",
				INSTALL_HINT - 50, command);
		return true;
	}
	bool is_syntax = result->error_name && !strcmp(result->error_name, "SyntaxError");
	for (char **row = is_syntax ? result->traceback : NULL; row && *row; row++) {
		const struct trm_lang *lang = trm_package_command_line(*row, packages, sizeof packages);
		if (!lang || !*packages)
			continue;
		put_command(out, kind, lang, packages, name, what);
		return true;
	}
	return false;
}

/* ---- what others have said ------------------------------------------------------------------ */

#define APT_HINT \
	"apt-get works in containers: start one with --backend docker; local sandboxes see this machine's /usr, " \
	"read-only"

static bool is_local(const struct trm_sandbox *sandbox)
{
	return sandbox && !strcmp(trm_sandbox_backend(sandbox), "local");
}

/* What holds, which is not always what was asked for. */
static bool has_no_net(const struct trm_sandbox *sandbox)
{
	const struct trm_guard *guards;
	size_t n = sandbox ? trm_sandbox_guards(sandbox, &guards) : 0;
	return n && !strncmp(trm_guards_net_name(guards, n, trm_sandbox_limits(sandbox)), "off", 3)
	       && !trm_sandbox_is_adopted(sandbox);
}

bool install_hint_of_words(const struct trm_sandbox *sandbox, const char *words, enum install_hint_kind kind,
		const char *what, char out[INSTALL_HINT])
{
	char package[PACKAGES], command[INSTALL_HINT];
	const struct trm_lang *lang =
			has_no_net(sandbox) ? trm_package_refused(words, package, sizeof package) : NULL;
	if (lang) {
		put_command(command, kind, lang, package, trm_sandbox_name(sandbox), what);
		snprintf(out, INSTALL_HINT, "this sandbox has no network: %.240s", command);
		return true;
	}
	bool is_apt = trm_apt_refused(words);
	if (is_apt && is_local(sandbox))
		snprintf(out, INSTALL_HINT, APT_HINT);
	return is_apt && is_local(sandbox);
}

/* Is it apt's, perhaps behind "sudo"? */
static bool is_apt_command(const char *const *argv, const char *line)
{
	char word[64] = "";
	if (argv)
		snprintf(word, sizeof word, "%s", argv[0]);
	else
		sscanf(line, " %*[!%%] %63s", word);
	if (!argv && !*word)
		sscanf(line, " %63s", word);
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
	return !strcmp(name, "apt") || !strcmp(name, "apt-get");
}

bool install_hint_of_command(struct trm_sandbox *sandbox, const char *const *argv, const char *line,
		enum install_hint_kind kind, char out[INSTALL_HINT])
{
	char packages[PACKAGES], command[INSTALL_HINT];
	if (is_local(sandbox) && is_apt_command(argv, line)) {
		snprintf(out, INSTALL_HINT, APT_HINT);
		return true;
	}
	const struct trm_lang *lang = argv ? trm_package_command(argv, packages, sizeof packages)
					   : trm_package_command_line(line, packages, sizeof packages);
	if (!lang || !*packages || !has_no_net(sandbox))
		return false;
	put_command(command, kind, lang, packages, trm_sandbox_name(sandbox), NULL);
	snprintf(out, INSTALL_HINT, "this sandbox has no network: %.240s", command);
	return true;
}
