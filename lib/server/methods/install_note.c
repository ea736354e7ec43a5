/* SPDX-License-Identifier: MIT */
#include "server/methods/install_note.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

enum { LAST_BYTES = 8192, PACKAGE_BYTES = 120 };

static bool has_no_network(const struct trm_sandbox *sandbox)
{
	return !trm_sandbox_limits(sandbox)->net && !trm_sandbox_is_adopted(sandbox)
	       && trm_sandbox_isolation(sandbox) != TRM_ISOLATION_NONE;
}

static void put_note(
		char out[INSTALL_NOTE], const char *why, const struct trm_lang *lang, const char *package)
{
	snprintf(out, INSTALL_NOTE,
			"%srun %s code with \"libraries\": [\"%s\"]: that installs the package first", why,
			lang->name, package);
}

bool install_note_find(
		const struct trm_sandbox *sandbox, const struct trm_result *result, char out[INSTALL_NOTE])
{
	char package[PACKAGE_BYTES], words[LAST_BYTES + 1];
	if (trm_missing_package(result, package, sizeof package)) {
		put_note(out,
				trm_package_is_known(result->lang, package)
						? ""
						: "if a package of this name is what you mean: ",
				result->lang, package);
		return true;
	}
	size_t n = result->output_len < LAST_BYTES ? result->output_len : LAST_BYTES;
	if (!n)
		return false;
	memcpy(words, result->output + result->output_len - n, n);
	words[n] = '\0';
	const struct trm_lang *lang =
			has_no_network(sandbox) ? trm_package_refused(words, package, sizeof package) : NULL;
	if (lang)
		put_note(out, "this sandbox has no network: ", lang, package);
	bool is_apt = !lang && trm_apt_refused(words) && !strcmp(trm_sandbox_backend(sandbox), "local");
	if (is_apt)
		snprintf(out, INSTALL_NOTE,
				"apt-get works in containers; this sandbox sees the server's /usr, read-only");
	return lang || is_apt;
}
