/* SPDX-License-Identifier: MIT */
/* What we can promise of a sandbox that is somebody else's: what was asked for, and of whom. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend/microsandbox/msb.h"

static void say(struct msb *m, const char *what, enum trm_strength strength, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
static void say(struct msb *m, const char *what, enum trm_strength strength, const char *fmt, ...)
{
	va_list args;
	if (m->n_guards == MSB_GUARDS_MAX)
		return;
	struct trm_guard *guard = &m->guards[m->n_guards++];
	guard->strength = strength;
	snprintf(guard->what, sizeof guard->what, "%s", what);
	va_start(args, fmt);
	vsnprintf(guard->how, sizeof guard->how, fmt, args);
	va_end(args);
}

void msb_guards_fill(struct msb *m)
{
	const struct msb_settings *s = &m->settings;
	m->n_guards = 0;
	say(m, "isolation", TRM_WEAK, "the server's matter: %.60s, namespace %s, image %.40s", s->url,
			s->space, m->boxes[MSB_BOX_MAIN].image);
	say(m, "memory", TRM_WEAK, "%llu MiB asked of the server, which enforces it; we do not",
			(unsigned long long)(s->mem_bytes >> 20));
	if (s->cpus == (double)s->whole_cpus)
		say(m, "cpu", TRM_WEAK, "%u asked of the server, which enforces it; we do not",
				s->whole_cpus);
	else
		say(m, "cpu", TRM_WEAK, "%u asked of the server instead of %g: it takes whole numbers only",
				s->whole_cpus, s->cpus);
	say(m, "processes, disk", TRM_WEAK, "the server's own limits: its protocol has none to ask for");
	say(m, "network", TRM_NOT_ENFORCED, "the server decides: its protocol cannot be asked for none");
	if (!(m->extensions & MSB_INTERRUPT))
		say(m, "interrupt", TRM_NOT_ENFORCED,
				"it cannot stop a run: then the sandbox is stopped, and its state lost");
	if (!(m->extensions & MSB_EVENTS))
		say(m, "output and input", TRM_NOT_ENFORCED,
				"output comes when a run has ended; what runs can read no input");
}
