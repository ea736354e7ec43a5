/* SPDX-License-Identifier: MIT */
#include "supervisor/container/container_gc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sweep/owner.h"

enum { LABEL = OWNER_LABEL };

/* ---- judging ------------------------------------------------------------------------- */

/* An image inherits the labels of the container that it was made from and passes them on to every container
 * made from it. Names are not inherited. So the container is ours only if its name is the one in the label
 * `given`. */
static bool is_our_name(const char *name, const char *given)
{
	const size_t prefix = strlen(PLAN_NAME_PREFIX), n = strlen(name), spared = strlen(PLAN_SPARED);
	if (strncmp(name, PLAN_NAME_PREFIX, prefix) != 0
			|| (n >= spared && !strcmp(name + n - spared, PLAN_SPARED)))
		return false;
	return !strncmp(name + prefix, given, strlen(given));
}

bool container_gc_is(
		const char *line, size_t n, const char *own_label, bool takes_over, char *ret_id, size_t cap)
{
	enum { ID, LABEL_COLUMN, STATE, NAME, GIVEN, COLUMNS, LINE = 2048 };
	char text[LINE], *column[COLUMNS], *at = text;
	if (n >= sizeof text || memchr(line, '\0', n))
		return false;
	memcpy(text, line, n);
	text[n] = '\0';
	for (int i = 0; i < COLUMNS; i++) {
		column[i] = at;
		at += strcspn(at, "\t");
		if (*at)
			*at++ = '\0';
	}
	const size_t id = strlen(column[ID]);
	if (!owner_unquote(column[LABEL_COLUMN]) || !owner_unquote(column[GIVEN]))
		return false;
	if (!id || id >= cap || *column[ID] == '-' || !is_our_name(column[NAME], column[GIVEN]))
		return false;
	memcpy(ret_id, column[ID], id + 1);
	if (strcmp(column[STATE], OWNER_ADOPTABLE) == 0)
		return false;
	return owner_is_gone(column[LABEL_COLUMN], column[STATE], own_label, takes_over);
}

/* ---- sweeping ---------------------------------------------------------------------------- */

_Noreturn void container_gc_sweep(const struct step_facts *facts)
{
	static struct step list, destroy;
	char id[LABEL];
	struct step_facts each = *facts;
	const enum plan_step end = facts->plan->steps[PLAN_SWEEP].n ? PLAN_SWEEP : PLAN_DESTROY;
	each.id = id;
	setpriority(PRIO_PROCESS, 0, 10);
	if (!step_run(&list, facts, PLAN_LIST, -1))
		_exit(1);
	const char *at = list.out_bytes, *stop = at + list.out.n;
	while (at < stop) {
		const char *eol = memchr(at, '\n', (size_t)(stop - at));
		size_t n = (size_t)((eol ? eol : stop) - at);
		bool is_whole = at > list.out_bytes || !list.out.is_cut;
		if (is_whole
				&& container_gc_is(at, n, facts->supervisor, facts->plan->takes_over, id,
						sizeof id))
			step_run(&destroy, &each, end, -1);
		at += n + 1;
	}
	_exit(0);
}
