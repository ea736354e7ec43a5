/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "syntax/language.h"

#define PATH_CAP 4200

static const struct syntax_rules *const known[] = {&rules_python, &rules_javascript, &rules_bash};
#define KNOWN (sizeof(known) / sizeof(*known))

struct grammars {
	struct syntax_language languages[KNOWN];
	bool is_tried[KNOWN];
};

struct grammars *grammars_create(void)
{
	return calloc(1, sizeof(struct grammars));
}

void grammars_destroy(struct grammars *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < KNOWN; i++) {
		void *library = g->languages[i].library;
		language_finish(&g->languages[i]);
		if (library)
			dlclose(library);
	}
	free(g);
}

/* The nth place to look for the file of a grammar; false behind the last. "" where there is none. */
static bool place(int nth, const char *name, char out[PATH_CAP])
{
	char exe[4096];
	ssize_t n = 0;
	out[0] = '\0';
	if (nth >= 1 && nth <= 3) {
		n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		char *slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
	}
	switch (nth) {
	case 0:
		if (getenv("TERRARIUM_GRAMMARS"))
			snprintf(out, PATH_CAP, "%s/%s.so", getenv("TERRARIUM_GRAMMARS"), name);
		return true;
	case 1: snprintf(out, PATH_CAP, "%s/grammars/%s.so", exe, name); return true;
	case 2: snprintf(out, PATH_CAP, "%s/../" GRAMMAR_SUBDIR "/%s.so", exe, name); return true;
	case 3: /* of a program in libexec/terrarium */
		snprintf(out, PATH_CAP, "%s/../../" GRAMMAR_SUBDIR "/%s.so", exe, name);
		return true;
	case 4: snprintf(out, PATH_CAP, GRAMMAR_INSTALL_DIR "/%s.so", name); return true;
	default: return false;
	}
}

/* Open the first file that there is. NULL: there is none, or it is not to be opened; then `why` says more. */
static void *open_library(const char *name, char path[PATH_CAP], const char **why)
{
	const char *only = getenv("TERRARIUM_GRAMMARS");
	*why = NULL;
	for (int i = 0; place(i, name, path); i++) {
		if (path[0] && access(path, R_OK) == 0) {
			void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			*why = library ? NULL : dlerror();
			return library;
		}
		if (i == 0 && only && *only)
			return NULL; /* who names a folder means it */
	}
	return NULL;
}

/* Grammars are made for versions of the library: only what fits is taken. */
static const TSLanguage *grammar_in(void *library, const char *name)
{
	char symbol[64];
	union { /* POSIX wants a pointer to an object to become one to a function */
		void *object;
		const TSLanguage *(*function)(void);
	} entry;
	snprintf(symbol, sizeof(symbol), "tree_sitter_%s", name);
	entry.object = dlsym(library, symbol);
	const TSLanguage *grammar = entry.object ? entry.function() : NULL;
	uint32_t version = grammar ? ts_language_version(grammar) : 0;
	return version >= TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION
					       && version <= TREE_SITTER_LANGUAGE_VERSION
			       ? grammar
			       : NULL;
}

static void load(struct syntax_language *l, const struct syntax_rules *rules, struct trm_error *reterr)
{
	char path[PATH_CAP];
	const char *why;
	void *library = open_library(rules->name, path, &why);
	if (!library) {
		trm_error_set(reterr, TRM_ENOENT,
				why ? "no colours for %s: %s"
				    : "no colours for %s: its grammar was not built%s",
				rules->name, why ? why : " (see tui/syntax/grammars.cmake)");
		return;
	}
	const TSLanguage *grammar = grammar_in(library, rules->name);
	int r = grammar ? language_init(l, grammar, rules) : TRM_ENOTSUP;
	if (r == 0) {
		l->library = library;
		return;
	}
	dlclose(library);
	trm_error_set(reterr, r, "no colours for %s: %s", rules->name,
			grammar ? "out of memory" : "its grammar is for another version of tree-sitter");
}

const struct syntax_language *grammars_loaded(const struct grammars *g, const char *name)
{
	for (size_t i = 0; g && i < KNOWN; i++)
		if (g->languages[i].grammar && strcmp(known[i]->name, name) == 0)
			return &g->languages[i];
	return NULL;
}

const struct syntax_language *grammars_get(struct grammars *g, const char *name, struct trm_error *reterr)
{
	for (size_t i = 0; g && i < KNOWN; i++) {
		if (strcmp(known[i]->name, name) != 0)
			continue;
		if (!g->is_tried[i])
			load(&g->languages[i], known[i], reterr);
		g->is_tried[i] = true;
		return g->languages[i].grammar ? &g->languages[i] : NULL;
	}
	return NULL;
}
