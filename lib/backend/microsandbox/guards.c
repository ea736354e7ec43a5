/* SPDX-License-Identifier: MIT */
/* The limits that we can state for somebody else's sandbox: what was requested, and of whom. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend/microsandbox/msb.h"

static void add_guard(struct msb *m, const char *what, enum trm_strength strength, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
static void add_guard(struct msb *m, const char *what, enum trm_strength strength, const char *fmt, ...)
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

static void say_network(struct msb *m)
{
	static const struct {
		enum trm_strength strength;
		const char *how;
	} words[] = {[MSB_NETWORK_UNKNOWN] = {TRM_NOT_ENFORCED,
				     "the server decides: its protocol cannot ask for none"},
			[MSB_NETWORK_OFF] = {TRM_WEAK, "the server says that it gives its sandboxes none"},
			[MSB_NETWORK_ON] = {TRM_NOT_ENFORCED, "the server says that its sandboxes have one"}};
	add_guard(m, "network", words[m->network].strength, "%s", words[m->network].how);
}

void msb_guards_fill(struct msb *m)
{
	const struct msb_settings *s = &m->settings;
	m->n_guards = 0;
	bool is_found = m->boxes[MSB_BOX_MAIN].is_found;
	add_guard(m, "isolation", TRM_WEAK, "decided by the server: %.60s, namespace %s%s%.40s", s->url,
			s->space, is_found ? "" : ", image ", is_found ? "" : m->boxes[MSB_BOX_MAIN].image);
	if (is_found)
		add_guard(m, "memory, cpu", TRM_WEAK,
				"decided by the server: as the program that started it requested");
	else if (s->cpus == (double)s->is_complete_cpus)
		add_guard(m, "memory, cpu", TRM_WEAK,
				"%llu MiB and %u core%s requested from the server, which enforces it",
				(unsigned long long)(s->mem_bytes >> 20), s->is_complete_cpus,
				s->is_complete_cpus == 1 ? "" : "s");
	else
		add_guard(m, "memory, cpu", TRM_WEAK,
				"%llu MiB and %u core%s requested from the server: %g is not a whole number of cores",
				(unsigned long long)(s->mem_bytes >> 20), s->is_complete_cpus,
				s->is_complete_cpus == 1 ? "" : "s", s->cpus);
	add_guard(m, "processes, disk", TRM_WEAK,
			"the server's own limits: its protocol has none to ask for");
	say_network(m);
	if (!m->extensions)
		add_guard(m, "runs", TRM_WEAK,
				"output arrives at the end, and there is no input and no interrupt: stopping loses "
				"the sandbox and its state");
}
