/* SPDX-License-Identifier: MIT */
/* The contents of the fleet: namespaces, and their sandboxes, running or remembered. */
#include <cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/snapshot.h"
#include "server/sandboxes/store.h"

enum {
	SPACES_MAX = 4096,
	REMEMBERED_MAX = 256, /* see forget_oldest() */
	SANDBOXES_MAX = 65536,
};

/* ---- lists ----------------------------------------------------------------------------- */

struct space *fleet_space(struct fleet *fleet, const char *name)
{
	struct space *space = fleet->spaces;
	while (space && strcmp(space->name, name) != 0)
		space = space->next;
	return space;
}

struct space *fleet_spaces(struct fleet *fleet)
{
	return fleet->spaces;
}

static struct space *add_space(struct fleet *fleet, const char *name)
{
	struct space *space = calloc(1, sizeof *space);
	if (!space)
		return NULL;
	memcpy(space->name, name, strlen(name) + 1);
	space->end = &space->sandboxes;
	*fleet->spaces_end = space;
	fleet->spaces_end = &space->next;
	return space;
}

static struct served *look_up(const struct space *space, const char *name)
{
	struct served *served = space->sandboxes;
	while (served && strcmp(served->name, name) != 0)
		served = served->next;
	return served;
}

static struct served *add_served(struct fleet *fleet, struct space *space, const char *name)
{
	struct served *served = calloc(1, sizeof *served);
	if (!served)
		return NULL;
	memcpy(served->name, name, strlen(name) + 1);
	served->fleet = fleet;
	served->space = space;
	served->pending_ops_end = &served->pending_ops;
	*space->end = served;
	space->end = &served->next;
	fleet->n_sandboxes++;
	return served;
}

static void remove_served(struct served *served)
{
	struct space *space = served->space;
	struct served **at = &space->sandboxes;
	while (*at != served)
		at = &(*at)->next;
	*at = served->next;
	if (space->end == &served->next)
		space->end = at;
	served->fleet->n_sandboxes--;
	cJSON_Delete(served->config);
	trm_timer_remove(served->idle);
	trm_timer_remove(served->rest);
	process_list_finish(&served->process_list);
	free(served);
}

int fleet_find(struct fleet *fleet, const char *space_name, const char *name, struct served **ret,
		struct trm_error *reterr)
{
	struct space *space = fleet_space(fleet, space_name);
	if (!space)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no namespace '%s': starting a sandbox in it creates it",
				space_name);
	*ret = look_up(space, name);
	return *ret ? 0
		    : trm_error_set(reterr, TRM_ENOENT, "there is no sandbox '%s' in namespace '%s'", name,
				    space_name);
}

/* ---- remembered sandboxes ---------------------------------------------------------------- */

static bool has_files(const struct served *served)
{
	char path[PATH_MAX];
	return store_path(served->fleet->store, served->space->name, STORE_FILES, served->name, "", path,
			       sizeof path)
	       && snapshot_has(path);
}

/* Nothing refers to it. */
static bool is_free(const struct served *served)
{
	return served->state == SERVED_STOPPED && !served->pending_ops && !served->n_uses && !served->holds;
}

/* Is this a name that an SDK has made up: "sandbox-" and 8 hex digits? */
static bool is_made_up(const char *name)
{
	enum { PREFIX = 8, DIGITS = 8 };
	return strncmp(name, "sandbox-", PREFIX) == 0 && strlen(name) == PREFIX + DIGITS
	       && strspn(name + PREFIX, "0123456789abcdef") == DIGITS;
}

static void forget_served(struct served *served)
{
	static const enum store_part DIRS[] = {STORE_FILES, STORE_SCRIPTS};
	struct store *store = served->fleet->store;
	const char *space = served->space->name;
	char path[PATH_MAX];
	store_forget(store, space, served->name);
	for (size_t i = 0; i < sizeof DIRS / sizeof *DIRS; i++)
		if (store_path(store, space, DIRS[i], served->name, "", path, sizeof path))
			snapshot_remove(served->fleet->loop, path);
	remove_served(served);
}

/* Most clients make up a name for each sandbox and never use it again. When there are many, sandboxes
 * with such names and sandboxes without saved files are forgotten, the oldest first. */
static void forget_oldest(struct space *space)
{
	struct served *oldest = NULL;
	size_t n = 0;
	for (struct served *s = space->sandboxes; s; s = s->next) {
		if (!is_free(s) || (!is_made_up(s->name) && has_files(s)))
			continue;
		n++;
		if (!oldest || s->stopped_at < oldest->stopped_at)
			oldest = s;
	}
	if (n > REMEMBERED_MAX)
		forget_served(oldest);
}

static int on_space(void *user, const char *name)
{
	struct fleet *fleet = user;
	return fleet_space(fleet, name) || add_space(fleet, name) ? 0 : TRM_ENOMEM;
}

static int on_entry(void *user, const char *space_name, const char *name, cJSON *config)
{
	struct fleet *fleet = user;
	struct space *space = fleet_space(fleet, space_name);
	struct served *served = space ? add_served(fleet, space, name) : NULL;
	if (served)
		served->config = config;
	else
		cJSON_Delete(config);
	return served ? 0 : TRM_ENOMEM;
}

int sandbox_table_find_or_add(struct fleet *fleet, const char *space_name, const char *name, bool has_config,
		struct served **ret, struct trm_error *why)
{
	struct space *space = fleet_space(fleet, space_name);
	*ret = space ? look_up(space, name) : NULL;
	if (*ret)
		return 0;
	if (!has_config)
		return trm_error_set(why, TRM_EINVAL,
				"sandbox '%s' was never started in namespace '%s', so its config must name an image",
				name, space_name);
	size_t n_spaces = 0;
	for (const struct space *s = fleet->spaces; s; s = s->next)
		n_spaces++;
	if (fleet->n_sandboxes >= SANDBOXES_MAX || (!space && n_spaces >= SPACES_MAX))
		return trm_error_set(
				why, TRM_ETOOBIG, "the server remembers too many sandboxes or namespaces");
	if (space)
		forget_oldest(space);
	else
		space = add_space(fleet, space_name);
	*ret = space ? add_served(fleet, space, name) : NULL;
	return *ret ? 0 : trm_error_set(why, TRM_ENOMEM, "out of memory");
}

void sandbox_table_drop_unused(struct served *served)
{
	if (!served->config && is_free(served))
		remove_served(served);
}

int sandbox_table_load(struct fleet *fleet, struct trm_error *reterr)
{
	const struct store_reader reader = {on_space, on_entry, fleet};
	int r = store_make_space(fleet->store, RPC_NAMESPACE, reterr);
	return r < 0 ? r : store_load(fleet->store, &reader, reterr);
}

void sandbox_table_free(struct fleet *fleet)
{
	while (fleet->spaces) {
		struct space *space = fleet->spaces;
		fleet->spaces = space->next;
		while (space->sandboxes)
			remove_served(space->sandboxes);
		free(space);
	}
}
