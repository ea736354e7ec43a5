/* SPDX-License-Identifier: MIT */
#include "base/mount.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "base/err.h"

/* ---- words as they are shown -------------------------------------------------------------- */

enum { SHOWN = 88 };

static const char *clean_shown(char out[SHOWN], const char *text)
{
	size_t n = strlen(text);
	trm_text_clean_line(out, SHOWN - 4, text, n);
	if (n > strlen(out))
		strcat(out, "…");
	return out;
}

static bool has_controls(const char *text)
{
	bool is_valid = true;
	for (size_t n = strlen(text), at = 0; at < n && is_valid;) {
		uint32_t cp;
		at += trm_utf8_decode(text + at, n - at, &cp, &is_valid);
		is_valid &= cp >= 0x20 && cp != 0x7f && !trm_text_is_deceptive(cp);
	}
	return !is_valid;
}

/* ---- paths inside -------------------------------------------------------------------------- */

bool mount_is_below(const char *path, const char *above)
{
	size_t n = strlen(above);
	return !strncmp(path, above, n) && (!path[n] || path[n] == '/' || n == 1);
}

static bool has_component(const char *path, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = path; (at = strchr(at, '/')); at++)
		if (!strncmp(at + 1, word, n) && (!at[1 + n] || at[1 + n] == '/'))
			return true;
	return false;
}

int mount_check_path(const char *what, const char *path, struct trm_error *reterr)
{
	char word[SHOWN];
	if (!path || path[0] != '/')
		return trm_error_set(reterr, TRM_EINVAL,
				"%s '%s' must begin at the root of the sandbox, as /data does", what,
				clean_shown(word, path ? path : ""));
	if (strlen(path) >= TRM_INSIDE_PATH)
		return trm_error_set(reterr, TRM_EINVAL, "%s '%s' is longer than %d bytes", what,
				clean_shown(word, path), TRM_INSIDE_PATH - 1);
	if (has_controls(path))
		return trm_error_set(reterr, TRM_EINVAL,
				"%s '%s' contains control characters, or is not UTF-8", what,
				clean_shown(word, path));
	if (has_component(path, ".") || has_component(path, "..") || strstr(path, "//"))
		return trm_error_set(reterr, TRM_EINVAL, "%s '%s' must be spelled without '.', '..' and '//'",
				what, clean_shown(word, path));
	return 0;
}

int mount_check_host(const char *host, struct trm_error *reterr)
{
	char word[SHOWN];
	if (!host || !*host)
		return trm_error_set(reterr, TRM_EINVAL, "which path? A mount names a path on this machine");
	if (has_controls(host))
		return trm_error_set(reterr, TRM_EINVAL,
				"cannot mount %s: the path contains control characters, or is not UTF-8",
				clean_shown(word, host));
	if (strlen(host) >= TRM_HOST_PATH)
		return trm_error_set(reterr, TRM_EINVAL, "cannot mount %s: the path is longer than %d bytes",
				clean_shown(word, host), TRM_HOST_PATH - 1);
	return 0;
}

/* Paths that the sandbox uses itself: the whole tree, or (is_alone) only that path. */
static const struct {
	const char *path, *what;
	bool is_alone;
} TAKEN[] = {
		{"/proc", "its processes are shown there", false},
		{"/sys", "nothing may be visible there", false},
		{"/dev", "its devices are there", false},
		{"/usr", "its programs and interpreters are there", false},
		{"/bin", "its programs are there", false},
		{"/sbin", "its programs are there", false},
		{"/lib", "its libraries are there", false},
		{"/lib32", "its libraries are there", false},
		{"/lib64", "its libraries are there", false},
		{"/libx32", "its libraries are there", false},
		{"/run/agent", "terrarium's own program is there", false},
		{"/etc/ld.so.cache", "programs do not start without it", false},
		{"/etc/alternatives", "programs do not start without it", false},
		{"/etc/passwd", "its own users are there", false},
		{"/etc/group", "its own users are there", false},
		{"/etc/hosts", "its own names are there", false},
		{"/etc/nsswitch.conf", "its own names are there", false},
		{"/etc/resolv.conf", "its own names are there", false},
		{"/etc/localtime", "its time zone is there", false},
		{"/etc/ssl", "certificates of the network are there", false},
		{"/etc/ca-certificates", "certificates of the network are there", false},
		{"/etc/pki", "certificates of the network are there", false},
		{"/var/cache/terrarium", "downloaded packages are there", false},
		{"/", "all of it is there", true},
		{"/run", "terrarium's own program is below it", true},
		{"/etc", "files that programs need are below it", true},
		{"/var", "downloaded packages may be below it", true},
		{"/var/cache", "downloaded packages may be below it", true},
		{"/home", "its home directory is below it", true},
		{"/home/user", "it is the home directory", true},
		{"/tmp", "it is the directory for temporary files", true},
};

int mount_check_guest(const char *guest, struct trm_error *reterr)
{
	char word[SHOWN];
	int r = mount_check_path("the mount point", guest, reterr);
	if (r < 0)
		return r;
	if (strchr(guest, ':'))
		return trm_error_set(reterr, TRM_EINVAL, "the mount point '%s' must not contain a colon",
				clean_shown(word, guest));
	for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
		if (TAKEN[i].is_alone ? !strcmp(guest, TAKEN[i].path) : mount_is_below(guest, TAKEN[i].path))
			return trm_error_set(reterr, TRM_EINVAL,
					"nothing can be mounted at %s in a sandbox: %s; use a path such as "
					"/data or /workspace/data",
					clean_shown(word, guest), TAKEN[i].what);
	return 0;
}

/* ---- HOST:GUEST:ro --------------------------------------------------------------------------- */

static int fail_form(const char *text, struct trm_error *reterr)
{
	char word[SHOWN];
	return trm_error_set(reterr, TRM_EINVAL,
			"'%s' is not HOST:GUEST, HOST:GUEST:ro or HOST:GUEST:rw, such as ./data:/data:ro",
			clean_shown(word, text));
}

/* Cut the mode after the last colon off the text, if there is one. */
static int cut_mode(char *text, bool *ret_is_writable, struct trm_error *reterr)
{
	char *colon = strrchr(text, ':'), word[SHOWN];
	if (!colon || colon[1] == '/')
		return 0;
	*ret_is_writable = !strcmp(colon + 1, "rw");
	if (!*ret_is_writable && strcmp(colon + 1, "ro")) {
		if (!strstr(text, ":/"))
			return fail_form(text, reterr);
		return trm_error_set(reterr, TRM_EINVAL,
				"'%s': a mount is ro (read-only, the default) or rw (read-write)",
				clean_shown(word, colon + 1));
	}
	*colon = '\0';
	return 0;
}

/* The last ":/" in the text. */
static char *find_guest(char *text)
{
	char *found = NULL;
	for (char *at = text; (at = strstr(at, ":/")); at++)
		found = at;
	return found;
}

int trm_mount_parse(char *text, struct trm_mount *ret, struct trm_error *reterr)
{
	struct trm_mount m = {.host = text};
	char *end, *colon = find_guest(text);
	if (!colon || colon == text)
		return fail_form(text, reterr);
	int r = cut_mode(text, &m.is_writable, reterr);
	if (r < 0)
		return r;
	*colon = '\0';
	m.guest = colon + 1;
	end = colon + 1 + strlen(colon + 1);
	while (end > colon + 2 && end[-1] == '/')
		*--end = '\0';
	if ((r = mount_check_host(m.host, reterr)) < 0 || (r = mount_check_guest(m.guest, reterr)) < 0)
		return r;
	*ret = m;
	return 0;
}

const char *trm_mount_format(const struct trm_mount *m, char *out, size_t cap)
{
	snprintf(out, cap, "%s:%s:%s", m->host, m->guest, m->is_writable ? "rw" : "ro");
	return out;
}

const char *trm_mount_describe(const struct trm_mount *m, char *out, size_t cap)
{
	char host[SHOWN], guest[SHOWN];
	snprintf(out, cap, "%s → %s %s", clean_shown(host, m->host), clean_shown(guest, m->guest),
			m->is_writable ? "read and write" : "read-only");
	return out;
}

size_t mount_read_lines(char *text, struct trm_mount ret[TRM_MOUNTS_MAX])
{
	size_t n = 0;
	char *line;
	while (n < TRM_MOUNTS_MAX && (line = strsep(&text, "\n")))
		n += trm_mount_parse(line, &ret[n], NULL) == 0;
	return n;
}

/* ---- variables --------------------------------------------------------------------------------- */

int mount_check_env(const char *text, bool is_name, struct trm_error *reterr)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	size_t n = text ? strspn(text, letters) : 0;
	char word[SHOWN];
	if (!text)
		return trm_error_set(reterr, TRM_EINVAL, "a variable is missing");
	if (n && !(text[0] >= '0' && text[0] <= '9') && (text[n] == '=' || (is_name && !text[n])))
		return 0;
	/* Without the value, because it may be a secret. */
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
	return trm_error_set(reterr, TRM_EINVAL,
			"'%s' is not a variable: write NAME=value%s, with letters, digits and _ in NAME",
			clean_shown(word, name), is_name ? ", or NAME alone to pass on its value here" : "");
}
