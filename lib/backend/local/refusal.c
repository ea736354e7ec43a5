/* SPDX-License-Identifier: MIT */
#include "backend/local/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfile.h"

bool refusal_has_seccomp(void)
{
	static const char KEY[] = "\nSeccomp:\t";
	char text[4096];
	const char *at = sysfile_read("/proc/self/status", text, sizeof text) > 0 ? strstr(text, KEY) : NULL;
	return at && at[sizeof KEY - 1] == '2';
}

static bool is_in_pod(void)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	return host && *host;
}

bool refusal_is_in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 || is_in_pod();
}

void refusal_apparmor(char *out, size_t cap)
{
	char text[128];
	*out = '\0';
	if (sysfile_read("/proc/self/attr/apparmor/current", text, sizeof text) <= 0)
		return;
	text[strcspn(text, " \n")] = '\0';
	if (strcmp(text, "unconfined") != 0)
		snprintf(out, cap, "%s", text);
}

/* Containers hide parts of /proc under mounts, and the kernel allows no new /proc that would show these
 * parts. */
bool refusal_is_proc_masked(void)
{
	char text[16384];
	return sysfile_read("/proc/self/mounts", text, sizeof text) > 0 && strstr(text, " /proc/");
}

enum { SECCOMP, APPARMOR, MASK, N_OPTIONS };

static const struct {
	const char *option, *pod_field;
} RIGHTS[N_OPTIONS] = {
		[SECCOMP] = {"seccomp=unconfined", "seccompProfile: {type: Unconfined}"},
		[APPARMOR] = {"apparmor=unconfined", "appArmorProfile: {type: Unconfined}"},
		[MASK] = {"systempaths=unconfined", "procMount: Unmasked, with hostUsers: false"},
};

struct list {
	char text[256];
	size_t n;
};

static void append_option(
		struct list *l, const char *between, const char *before, const char *word, const char *after)
{
	int n = snprintf(l->text + l->n, sizeof l->text - l->n, "%s%s%s%s", l->n ? between : "", before, word,
			after);
	l->n += n > 0 && (size_t)n < sizeof l->text - l->n ? (size_t)n : 0;
}

void refusal_container_cure(char *out, size_t cap)
{
	char profile[64];
	struct list options = {.n = 0}, array = {.n = 0}, fields = {.n = 0};
	refusal_apparmor(profile, sizeof profile);
	const bool is_missing[N_OPTIONS] = {
			refusal_has_seccomp(), *profile != '\0', refusal_is_proc_masked()};
	for (int i = 0; i < N_OPTIONS; i++) {
		if (!is_missing[i])
			continue;
		append_option(&options, " ", "--security-opt ", RIGHTS[i].option, "");
		append_option(&array, ", ", "\"--security-opt=", RIGHTS[i].option, "\"");
		append_option(&fields, "; ", "", RIGHTS[i].pod_field, "");
	}
	*out = '\0';
	if (!refusal_is_in_container() || !options.n)
		return;
	if (is_in_pod())
		snprintf(out, cap, "in the container's securityContext: %s", fields.text);
	else
		snprintf(out, cap,
				"start the container with %s (Docker, Podman; in devcontainer.json: \"runArgs\": [%s])",
				options.text, array.text);
}
