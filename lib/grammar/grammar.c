/* SPDX-License-Identifier: MIT */
#include <terrarium/grammar.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>
#include <unistd.h>

#include <terrarium/error.h>

#define PATH_CAP 4200

static const char own_address; /* lies in this library or program */

/* For other programs that use the library, which may be installed anywhere. A name that is no path is the
 * program's own name. */
static void beside_library(const char *name, char out[PATH_CAP])
{
	Dl_info info;
	if (!dladdr(&own_address, &info) || !info.dli_fname || info.dli_fname[0] != '/')
		return;
	int n = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
	snprintf(out, PATH_CAP, "%.*s/terrarium/grammars/%s.so", n, info.dli_fname, name);
}

/* The nth place to look for the file of a grammar. False after the last one. "": this place does not
 * exist here. */
static bool grammar_place(int nth, const char *name, char out[PATH_CAP])
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
	case 5: beside_library(name, out); return true;
	default: return false;
	}
}

/* Open the first file that exists. NULL: there is none, or it cannot be opened; then `why` says more. */
static void *open_library(const char *name, char path[PATH_CAP], const char **why)
{
	const char *only = getenv("TERRARIUM_GRAMMARS");
	*why = NULL;
	for (int i = 0; grammar_place(i, name, path); i++) {
		if (path[0] && access(path, R_OK) == 0) {
			void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			*why = library ? NULL : dlerror();
			return library;
		}
		if (i == 0 && only && *only)
			return NULL; /* a named folder is the only place */
	}
	return NULL;
}

/* Grammars are made for versions of the library. Reject a grammar that does not fit. */
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

static int fail_missing(const char *name, struct trm_error *reterr)
{
	const char *only = getenv("TERRARIUM_GRAMMARS");
	if (only && *only)
		return trm_error_set(reterr, TRM_ENOENT,
				"there is no %s.so in %.150s, which TERRARIUM_GRAMMARS names", name, only);
	return trm_error_set(reterr, TRM_ENOENT,
			"there is no %s.so beside this program or in %.150s; './dev grammars' builds it",
			name, GRAMMAR_INSTALL_DIR);
}

int trm_grammar_open(const char *name, struct trm_grammar *ret, struct trm_error *reterr)
{
	char path[PATH_CAP];
	const char *why;
	void *library = open_library(name, path, &why);
	if (!library && why)
		return trm_error_set(reterr, TRM_ENOTSUP, "%s", why);
	if (!library)
		return fail_missing(name, reterr);
	const TSLanguage *language = grammar_in(library, name);
	if (!language) {
		dlclose(library);
		return trm_error_set(
				reterr, TRM_ENOTSUP, "its grammar is for another version of tree-sitter");
	}
	*ret = (struct trm_grammar){language, library};
	return 0;
}

void trm_grammar_close(struct trm_grammar *grammar)
{
	if (grammar->library)
		dlclose(grammar->library);
	*grammar = (struct trm_grammar){0};
}
