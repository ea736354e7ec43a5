/* SPDX-License-Identifier: MIT */
#include "server/fleet.h"

#include <cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "base/log.h"
#include "rpc/params.h"
#include "server/fleet_inner.h"
#include "server/image.h"
#include "server/keep.h"
#include "server/store.h"

enum {
	SPACES_MAX = 4096,
	REMEMBERED_MAX = 256, /* stopped sandboxes of a namespace without files: clients make names up */
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
	served->wishes_end = &served->wishes;
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
	free(served);
}

int fleet_find(struct fleet *fleet, const char *space_name, const char *name, struct served **ret,
		struct trm_error *reterr)
{
	struct space *space = fleet_space(fleet, space_name);
	if (!space)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no namespace '%s': starting a sandbox in it makes it", space_name);
	*ret = look_up(space, name);
	return *ret ? 0
		    : trm_error_set(reterr, TRM_ENOENT, "there is no sandbox '%s' in namespace '%s': start it first",
					name, space_name);
}

/* ---- what is remembered ------------------------------------------------------------------ */

static bool has_files(const struct served *served)
{
	char path[PATH_MAX];
	return store_path(served->fleet->store, served->space->name, STORE_FILES, served->name, "", path, sizeof path)
	       && keep_has(path);
}

/* Nothing points to it. */
static bool is_free(const struct served *served)
{
	return served->state == SERVED_STOPPED && !served->wishes && !served->n_uses && !served->holds;
}

/* Clients make up a name for each sandbox: those that are stopped and have left nothing behind are forgotten when
 * there are many, the oldest first. */
static void forget_oldest(struct space *space)
{
	struct served *oldest = NULL;
	size_t n = 0;
	for (struct served *s = space->sandboxes; s; s = s->next) {
		if (!is_free(s))
			continue;
		n++;
		if ((!oldest || s->stopped_at < oldest->stopped_at) && !has_files(s))
			oldest = s;
	}
	if (n <= REMEMBERED_MAX || !oldest)
		return;
	store_forget(oldest->fleet->store, space->name, oldest->name);
	remove_served(oldest);
}

static void on_space(void *user, const char *name)
{
	struct fleet *fleet = user;
	if (!fleet_space(fleet, name))
		add_space(fleet, name);
}

static void on_entry(void *user, const char *space_name, const char *name, cJSON *config)
{
	struct fleet *fleet = user;
	struct space *space = fleet_space(fleet, space_name);
	struct served *served = space ? add_served(fleet, space, name) : NULL;
	if (served)
		served->config = config;
	else
		cJSON_Delete(config);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void free_all(struct fleet *fleet)
{
	while (fleet->spaces) {
		struct space *space = fleet->spaces;
		fleet->spaces = space->next;
		while (space->sandboxes)
			remove_served(space->sandboxes);
		free(space);
	}
	trm_timer_remove(fleet->tick);
	trm_timer_remove(fleet->closing);
	store_close(fleet->store);
	image_free(fleet->images);
	free(fleet);
}

static void on_closing(void *user)
{
	struct fleet *fleet = user;
	void (*closed)(void *user) = fleet->closed;
	void *closed_user = fleet->closed_user;
	if (fleet->n_running)
		return;
	free_all(fleet);
	closed(closed_user);
}

int fleet_open(struct trm_loop *loop, const struct fleet_opts *opts, struct fleet **ret, struct trm_error *reterr)
{
	struct fleet *fleet = calloc(1, sizeof *fleet);
	if (!fleet)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*fleet = (struct fleet){.loop = loop, .opts = *opts};
	fleet->spaces_end = &fleet->spaces;
	if (!fleet->opts.output_keep_bytes)
		fleet->opts.output_keep_bytes = FLEET_OUTPUT_BYTES;
	if (!fleet->opts.files_keep_bytes)
		fleet->opts.files_keep_bytes = FLEET_FILES_BYTES;
	const struct store_reader reader = {on_space, on_entry, fleet};
	int r = trm_loop_add_timer(loop, life_look_all, fleet, &fleet->tick, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_closing, fleet, &fleet->closing, reterr);
	if (r == 0)
		r = image_load(&fleet->images, reterr);
	if (r == 0)
		r = store_open(opts->dir, &fleet->store, reterr);
	if (r == 0)
		r = store_make_space(fleet->store, RPC_NAMESPACE, reterr);
	if (r == 0)
		r = store_load(fleet->store, &reader, reterr);
	if (r < 0)
		free_all(fleet);
	else
		*ret = fleet;
	return r;
}

/* Everybody who waits is told, and everything that runs is stopped, files saved. */
void fleet_close(struct fleet *fleet, void (*done)(void *user), void *user)
{
	fleet->is_closing = true;
	fleet->closed = done;
	fleet->closed_user = user;
	for (struct space *space = fleet->spaces; space; space = space->next)
		for (struct served *s = space->sandboxes; s; s = s->next)
			served_pump(s);
	trm_timer_start(fleet->closing, 0, 0);
}

const struct fleet_opts *fleet_opts(const struct fleet *fleet)
{
	return &fleet->opts;
}

struct trm_loop *fleet_loop(const struct fleet *fleet)
{
	return fleet->loop;
}

size_t fleet_images(const struct fleet *fleet, const char **names, size_t cap)
{
	return image_names(fleet->images, names, cap);
}

void fleet_waste(struct fleet *fleet, size_t bytes)
{
	enum { MUCH = 1 << 20 };
	fleet->has_waste |= bytes >= MUCH;
}

unsigned fleet_running(const struct fleet *fleet)
{
	return fleet->n_running;
}

/* ---- wishes ------------------------------------------------------------------------------ */

static void answer(struct served *served, const struct trm_error *why, const char *note)
{
	struct wish *wish = served->wishes;
	served->wishes = wish->next;
	if (!served->wishes)
		served->wishes_end = &served->wishes;
	if (wish->kind == WISH_USE && !why->code) {
		served->n_uses++;
		served->was_used = true;
		trm_timer_stop(served->idle);
	}
	fleet_done_fn *fn = wish->fn;
	void *user = wish->user;
	cJSON_Delete(wish->config);
	free(wish);
	fn(user, served, why, note);
}

void served_answer(struct served *served, const struct trm_error *why)
{
	char note[sizeof served->note];
	memcpy(note, served->note, sizeof note);
	served->note[0] = '\0';
	if (!served->is_dealing)
		return;
	served->is_dealing = false;
	answer(served, why, note);
}

static const struct trm_error WELL = {.code = TRM_OK};

/* Why the first wish cannot be: an error of the whole server. */
static bool is_refused(struct served *served, struct trm_error *why)
{
	const struct fleet *fleet = served->fleet;
	const struct wish *wish = served->wishes;
	if (fleet->is_closing)
		trm_error_set(why, TRM_ECLOSED, "the server is ending");
	else if (wish->kind == WISH_START && served->state == SERVED_STOPPED && fleet->opts.max_sandboxes
			&& fleet->n_running >= fleet->opts.max_sandboxes)
		trm_error_set(why, TRM_EBUSY,
				"the server runs %u sandboxes already, which is all that it may (--max-sandboxes %u): "
				"stop one first",
				fleet->n_running, fleet->opts.max_sandboxes);
	else
		return false;
	return true;
}

static void tell_stopped(const struct served *served, struct trm_error *why)
{
	if (served->why.code)
		trm_error_set(why, TRM_ECLOSED, "sandbox '%s' in namespace '%s' is not running: %s", served->name,
				served->space->name, served->why.msg);
	else
		trm_error_set(why, TRM_ECLOSED,
				"sandbox '%s' in namespace '%s' is not running: start it first (sandbox.start)",
				served->name, served->space->name);
}

/* A config that nothing can be started from does not take the old one's place. */
static void start(struct served *served, struct wish *wish)
{
	cJSON *old = served->config;
	if (wish->config)
		served->config = wish->config;
	bool is_new = wish->config;
	wish->config = NULL;
	served->is_dealing = true;
	life_start(served);
	if (!is_new)
		return;
	if (served->state == SERVED_STOPPED) {
		cJSON_Delete(served->config);
		served->config = old;
	} else {
		cJSON_Delete(old);
	}
}

/* The first wish of one that is STOPPED or RUNNING. */
static void deal(struct served *served)
{
	struct trm_error why = {0};
	bool is_running = served->state == SERVED_RUNNING;
	struct wish *wish = served->wishes;
	if (is_refused(served, &why)) {
		answer(served, &why, "");
	} else if (wish->kind == WISH_USE && !is_running) {
		tell_stopped(served, &why);
		answer(served, &why, "");
	} else if (wish->kind == WISH_START && !is_running) {
		start(served, wish);
	} else if (wish->kind == WISH_STOP && is_running) {
		served->is_dealing = true;
		life_stop(served);
	} else {
		answer(served, &WELL, "");
	}
}

void served_pump(struct served *served)
{
	served->holds++;
	while (served->wishes && (served->state == SERVED_STOPPED || served->state == SERVED_RUNNING))
		deal(served);
	served->holds--;
	if (served->fleet->is_closing) {
		if (served->state == SERVED_RUNNING)
			life_stop(served);
		else if (served->state == SERVED_STOPPED)
			trm_timer_start(served->fleet->closing, 0, 0);
	}
}

static void wish(struct served *served, enum wish_kind kind, cJSON *config, fleet_done_fn *fn, void *user)
{
	struct wish *wish = calloc(1, sizeof *wish);
	if (!wish) {
		struct trm_error why;
		trm_error_set(&why, TRM_ENOMEM, "out of memory");
		cJSON_Delete(config);
		fn(user, NULL, &why, "");
		return;
	}
	*wish = (struct wish){.kind = kind, .config = config, .fn = fn, .user = user};
	*served->wishes_end = wish;
	served->wishes_end = &wish->next;
	if (served->wishes == wish)
		served_pump(served);
}

/* ---- requests ---------------------------------------------------------------------------- */

static int find_or_add(struct fleet *fleet, const char *space_name, const char *name, bool has_config,
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
		return trm_error_set(why, TRM_ETOOBIG, "the server remembers too many sandboxes or namespaces");
	if (space)
		forget_oldest(space);
	else
		space = add_space(fleet, space_name);
	*ret = space ? add_served(fleet, space, name) : NULL;
	return *ret ? 0 : trm_error_set(why, TRM_ENOMEM, "out of memory");
}

/* What is stored of a config: the known fields that are there. NULL: it names no image, or out of memory. */
static cJSON *take_config(const cJSON *config)
{
	static const char *const FIELDS[] = {"image", "memory", "cpus", "volumes", "ports", "envs", "depends_on",
			"workdir", "shell", "scripts"};
	if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(config, "image")))
		return NULL;
	cJSON *taken = cJSON_CreateObject();
	for (size_t i = 0; taken && i < sizeof FIELDS / sizeof *FIELDS; i++) {
		const cJSON *field = cJSON_GetObjectItemCaseSensitive(config, FIELDS[i]);
		if (field && !cJSON_IsNull(field))
			cJSON_AddItemToObject(taken, FIELDS[i], cJSON_Duplicate(field, true));
	}
	return taken;
}

void fleet_start(struct fleet *fleet, const char *space, const char *name, const cJSON *config, fleet_done_fn *fn,
		void *user)
{
	struct served *served;
	struct trm_error why = {0};
	cJSON *taken = take_config(config);
	if (find_or_add(fleet, space, name, taken, &served, &why) < 0) {
		cJSON_Delete(taken);
		fn(user, NULL, &why, "");
		return;
	}
	wish(served, WISH_START, taken, fn, user);
	/* One that could not be started at all is not remembered. */
	if (!served->config && is_free(served))
		remove_served(served);
}

static void ask(struct fleet *fleet, const char *space, const char *name, enum wish_kind kind, fleet_done_fn *fn,
		void *user)
{
	struct served *served;
	struct trm_error why = {0};
	if (fleet_find(fleet, space, name, &served, &why) < 0)
		fn(user, NULL, &why, "");
	else
		wish(served, kind, NULL, fn, user);
}

void fleet_stop(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user)
{
	ask(fleet, space, name, WISH_STOP, fn, user);
}

void fleet_use(struct fleet *fleet, const char *space, const char *name, fleet_done_fn *fn, void *user)
{
	ask(fleet, space, name, WISH_USE, fn, user);
}

void served_unuse(struct served *served)
{
	if (--served->n_uses == 0)
		life_rest(served);
}
