/* SPDX-License-Identifier: MIT */
#include "app/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

struct loading {
	struct keymap *map;
	const struct keys_faults *faults;
	int n_faults;
};

__attribute__((format(printf, 2, 3))) static void fault(struct loading *l, const char *fmt, ...)
{
	char sentence[480];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	l->n_faults++;
	l->faults->tell(l->faults->user, sentence);
}

/* Find a context by its name in the config. Without a name, it is the context of the command. */
static bool find_place(struct loading *l, const struct trm_config_entry *e, enum key_context *ret)
{
	const struct command *c = command_find(e->value);

	*ret = c ? c->key_context : CONTEXT_ANY;
	if (!*e->group)
		return true;
	for (int key_context = 0; key_context < CONTEXT_COUNT; key_context++)
		if (strcmp(contexts[key_context].name, e->group) == 0) {
			*ret = (enum key_context)key_context;
			return true;
		}
	fault(l, "%.200s: there is no pane \"%.40s\"; keys are for editor, output, metrics, variables or any",
			e->where, e->group);
	return false;
}

/* Report a conflict with an earlier entry. At this point the map has only the entries before this one. */
static void report_conflict(struct loading *l, const struct trm_config_entry *e, enum key_context key_context)
{
	const struct command *before = NULL;
	char other[KEYMAP_NAME_BYTES];
	struct keys keys;

	if (keys_parse(e->key, &keys) < 0)
		return;
	if (keymap_resolve(l->map, key_context, &keys, &before) == KEYMAP_COMMAND)
		fault(l, "%.200s: \"%.40s\" was given above already, as \"%.40s\"; keep one of the two",
				e->where, e->key, before->name);
	const struct binding *clash = keymap_clash(l->map, key_context, &keys);
	if (!clash)
		return;
	keys_name(&clash->keys, other);
	fault(l, "%.200s: \"%.40s\" and %s (\"%.40s\") cannot both be reached: one begins with the other",
			e->where, e->key, other, clash->command->name);
}

/* Without a pane, null unbinds the keys in all panes. */
static int bind(struct loading *l, const struct trm_config_entry *e, enum key_context key_context,
		struct trm_error *why)
{
	int r = 0;

	if (*e->value || *e->group)
		return keymap_bind(l->map, key_context, e->key, e->value, why);
	for (int i = 0; i < CONTEXT_COUNT && r == 0; i++)
		r = keymap_bind(l->map, (enum key_context)i, e->key, NULL, why);
	return r;
}

static void on_entry(void *user, const struct trm_config_entry *e)
{
	struct loading *l = user;
	struct trm_error why = {0};
	enum key_context key_context;

	if (!find_place(l, e, &key_context))
		return;
	report_conflict(l, e, key_context);
	if (bind(l, e, key_context, &why) < 0)
		fault(l, "%.200s: %.240s", e->where, why.msg);
}

int app_keys_load(struct keymap *ret, const char *config, const char *set, const struct keys_faults *faults)
{
	struct loading l = {.map = ret, .faults = faults};
	struct trm_error why = {0};

	*ret = (struct keymap){0};
	if (trm_config_walk(config, "keys", on_entry, &l, &why) < 0)
		fault(&l, "%.400s", why.msg);
	int r = keymap_complete(ret, set, &why);
	if (r == TRM_EINVAL) {
		fault(&l, "%.400s", why.msg);
		r = keymap_complete(ret, "default", &why);
	}
	if (r < 0)
		keymap_finish(ret);
	return r < 0 ? r : l.n_faults;
}
