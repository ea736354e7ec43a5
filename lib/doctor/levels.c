/* SPDX-License-Identifier: MIT */
/* Reports the levels of isolation: one row for each, and one for the level in use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/host/machine.h"
#include "backend/local/level.h"
#include "base/landlock.h"
#include "doctor/doctor.h"

/* ---- namespaces ----------------------------------------------------------------------- */

static void describe_bwrap(char *out, size_t cap)
{
	char path[MACHINE_PATH] = "", version[128] = "";
	int major = 0, minor = 0;
	if (machine_find_bwrap(path, NULL) == 0)
		doctor_ask_version(path, version, sizeof version);
	sscanf(version, "bubblewrap %d.%d", &major, &minor);
	/* Versions before 0.12 follow a symbolic link below a bound directory when they make something there;
	 * our arguments make nothing below what the sandbox could write. */
	const char *note =
			major || minor >= 12
					? ""
					: " (older than 0.12: CVE-2026-87766 does not affect our arguments)";
	snprintf(out, cap, "%s, %s%s", *version ? version : "bubblewrap of an unknown version", path, note);
}

/* ---- Landlock ------------------------------------------------------------------------- */

/* What an older version of Landlock does not hold, and the kernel that brought it. */
static const struct {
	uint32_t abi;
	const char *what;
} LACKS[] = {
		{LANDLOCK_ABI_TRUNCATE, "truncation of files (Linux 6.2)"},
		{LANDLOCK_ABI_TCP, "TCP (6.7)"},
		{LANDLOCK_ABI_IOCTL, "ioctl of devices (6.10)"},
		{LANDLOCK_ABI_SCOPES, "signals and abstract sockets (6.12)"},
};

/* False if nothing is missing. */
static bool describe_landlock(char *out, size_t cap)
{
	const uint32_t abi = level_landlock_abi();
	size_t n = (size_t)snprintf(out, cap, "works: ABI %u", abi);
	bool is_weak = false;
	for (size_t i = 0; i < sizeof LACKS / sizeof *LACKS; i++) {
		if (abi >= LACKS[i].abi)
			continue;
		n += (size_t)snprintf(out + n, cap - n, "%s%s", is_weak ? ", " : ", without rules for ",
				LACKS[i].what);
		is_weak = true;
	}
	return is_weak;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* A level that does not work matters less where a stronger one does. */
static void report_broken(struct doctor *d, const char *name, enum isolation level,
		const struct trm_error *why, enum trm_check_status status)
{
	char cure[LEVEL_CURE];
	level_cure(level, cure);
	doctor_say(d, status, name, cure, "%s", why->msg);
}

static bool tell_namespaces(struct doctor *d)
{
	char text[400];
	struct trm_error why;
	if (level_check(ISOLATION_NAMESPACES, &why) < 0) {
		report_broken(d, "namespaces", ISOLATION_NAMESPACES, &why, TRM_CHECK_WEAK);
		return false;
	}
	describe_bwrap(text, sizeof text);
	doctor_say(d, TRM_CHECK_OK, "namespaces", NULL, "work: %s", text);
	return true;
}

static void tell_landlock(struct doctor *d, bool has_namespaces)
{
	char text[224];
	struct trm_error why;
	if (level_check(ISOLATION_LANDLOCK, &why) < 0) {
		report_broken(d, "landlock", ISOLATION_LANDLOCK, &why,
				has_namespaces ? TRM_CHECK_NOTE : TRM_CHECK_WEAK);
		return;
	}
	bool is_weak = describe_landlock(text, sizeof text);
	const char *pretended = getenv(LEVEL_ABI_VARIABLE);
	if (pretended && *pretended)
		doctor_say(d, TRM_CHECK_NOTE, "environment", NULL, LEVEL_ABI_VARIABLE " %s",
				level_is_abi(pretended) ? "is set: Landlock counts as no newer than it says"
							: "is no number: it is ignored");
	doctor_say(d, is_weak ? TRM_CHECK_WEAK : TRM_CHECK_OK, "landlock", NULL, "%s", text);
}

static void tell_taken(struct doctor *d, enum trm_isolation want)
{
	static const char NO_CHOICE[] = "run code elsewhere, or without isolation: --isolation none";
	const char *name = trm_isolation_name(want),
		   *verb = want == TRM_ISOLATION_AUTO ? "uses" : "is set: it uses";
	enum isolation level;
	struct trm_error why;
	if (level_choose(want, &level, &why) < 0)
		doctor_say(d, TRM_CHECK_FAILED, "isolation", why.code == TRM_ENOISOLATION ? NO_CHOICE : NULL,
				"'%s' finds no level: %s", name,
				why.code == TRM_ENOISOLATION ? "neither namespaces nor landlock works here"
							     : why.msg);
	else if (level == ISOLATION_NONE)
		doctor_say(d, TRM_CHECK_WEAK, "isolation",
				"--isolation auto uses the strongest level that works",
				"'none' is set: code runs with all your rights");
	else if (level == ISOLATION_LANDLOCK)
		doctor_say(d, TRM_CHECK_WEAK, "isolation", NULL,
				"'%s' %s landlock, which is weaker than namespaces", name, verb);
	else
		doctor_say(d, TRM_CHECK_OK, "isolation", NULL, "'%s' %s namespaces", name, verb);
}

void doctor_check_levels(struct doctor *d, enum trm_isolation want)
{
	bool has_namespaces = tell_namespaces(d);
	tell_landlock(d, has_namespaces);
	doctor_say(d, TRM_CHECK_NOTE, "none", NULL,
			"works everywhere, but isolates nothing: it is used only on request");
	tell_taken(d, want);
}
