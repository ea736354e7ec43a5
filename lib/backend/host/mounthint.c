/* SPDX-License-Identifier: MIT */
/* Warnings about mounts that give away more than they seem to: keys, or programs that the user will
 * start. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "base/mount.h"

/* Below the home directory. */
static const char *const SECRETS[] = {".ssh", ".gnupg", ".aws", ".azure", ".config", ".docker", ".kube",
		".netrc", ".git-credentials", ".npmrc", ".pypirc", ".password-store", ".local/share/keyrings",
		".mozilla", ".bash_history"};
/* Directories of programs that the machine runs, or of its configuration. */
static const char *const SYSTEM[] = {"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var",
		"/opt", "/srv", "/root", "/home"};

static bool resolve_host(const char *host, const char *home, char out[PATH_MAX])
{
	char path[PATH_MAX];
	bool is_home = host[0] == '~' && (!host[1] || host[1] == '/');
	int n = snprintf(path, sizeof path, "%s%s", is_home ? home : "", host + is_home);
	return n > 0 && n < (int)sizeof path && realpath(path, out);
}

/* Find a secret that exists and that the mount shows: "~/.ssh". */
static bool find_secret(const char *host, const char *home, char *out, size_t cap)
{
	char path[PATH_MAX + 32], real[PATH_MAX];
	for (size_t i = 0; i < sizeof SECRETS / sizeof *SECRETS; i++) {
		snprintf(path, sizeof path, "%s/%s", home, SECRETS[i]);
		if (!realpath(path, real) || (!mount_is_below(host, real) && !mount_is_below(real, host)))
			continue;
		snprintf(out, cap, "~/%s", SECRETS[i]);
		return true;
	}
	return false;
}

static bool is_system(const char *host)
{
	for (size_t i = 0; i < sizeof SYSTEM / sizeof *SYSTEM; i++)
		if (!strcmp(host, SYSTEM[i]) || (i < 8 && mount_is_below(host, SYSTEM[i])))
			return true;
	return false;
}

bool trm_mount_hint(const struct trm_mount *m, char *out, size_t cap)
{
	const char *home_name = getenv("HOME");
	char host[PATH_MAX], home[PATH_MAX], secret[64], shown[80];
	bool has_home = home_name && home_name[0] == '/' && realpath(home_name, home) && home[1];
	if (!resolve_host(m->host, has_home ? home : "", host))
		return false;
	trm_text_clean_line(shown, sizeof shown, m->host, strlen(m->host));
	if (m->is_writable && has_home && mount_is_below(home, host))
		snprintf(out, cap,
				"%s is mounted writable and contains your home directory: the code can change keys, "
				"settings and programs that you will use yourself",
				shown);
	else if (has_home && find_secret(host, home, secret, sizeof secret))
		snprintf(out, cap, "%s is mounted%s: the code can read%s the files in %s", shown,
				m->is_writable ? " writable" : "", m->is_writable ? " and change" : "",
				secret);
	else if (m->is_writable && is_system(host))
		snprintf(out, cap,
				"%s is mounted writable: the code can change files that this machine depends on",
				shown);
	else
		return false;
	return true;
}
