/* SPDX-License-Identifier: MIT */
/* Container engines: whether their programs are here, and whether they work for this user. */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "doctor/doctor.h"

/* The package of a program whose recipe comes with us. */
static const struct engine {
	const char *name, *package;
} ENGINES[] = {{"docker", "docker.io"}, {"podman", "podman"}};
enum { N_ENGINES = sizeof ENGINES / sizeof *ENGINES };

struct looking {
	struct doctor *d;
	const char *only; /* NULL: Docker and Podman */
};

static const struct engine *find(const char *name)
{
	for (size_t i = 0; i < N_ENGINES; i++)
		if (strcmp(ENGINES[i].name, name) == 0)
			return &ENGINES[i];
	return NULL;
}

static void on_backend(void *user, const struct trm_backend_info *info)
{
	const struct looking *l = user;
	const struct engine *engine = find(info->name);
	char advice[96];
	if (l->only ? strcmp(l->only, info->name) != 0 : !engine)
		return;
	if (info->status == TRM_CHECK_OK) {
		doctor_say(l->d, TRM_CHECK_OK, info->name, NULL, "works, version %.60s (--backend %.40s)",
				*info->detail ? info->detail : "unknown", info->name);
	} else if (engine && strstr(info->detail, "is not installed")) {
		snprintf(advice, sizeof advice, "for sandboxes in containers: apt install %s",
				engine->package);
		doctor_say(l->d, TRM_CHECK_NOTE, info->name, advice, "not installed");
	} else {
		/* Only who uses it is held up: it is asked for with --backend. */
		doctor_say(l->d, l->only ? TRM_CHECK_FAILED : TRM_CHECK_NOTE, info->name, info->advice,
				"does not work: %s", info->detail);
	}
}

void doctor_check_engines(struct doctor *d, const char *only, const char *config)
{
	struct looking looking = {d, only};
	struct trm_error why;
	if (trm_backends(config, true, on_backend, &looking, &why) < 0)
		doctor_say(d, TRM_CHECK_WEAK, "backends", NULL, "%s", why.msg);
}
