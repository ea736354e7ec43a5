/* SPDX-License-Identifier: MIT */
/* A recipe as a user writes it: read, and every step put together with facts that are as hostile. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "fuzz/fuzz.h"
#include "recipe/recipe.h"

/* What comes out is commands: strings that are not empty, an empty one between two commands. */
static void check_form(const char *s, size_t n)
{
	bool was_empty = true;
	if (n && s[n - 1])
		abort();
	for (size_t i = 0; i < n; i += strlen(s + i) + 1) {
		if (!s[i] && was_empty)
			abort();
		was_empty = !s[i];
	}
	if (n && was_empty)
		abort();
}

static void expand(const struct trm_recipe *recipe)
{
	static const char *const texts[] = {"A=1", "B={id}", "x=\"',\n"};
	static const struct recipe_mount mounts[] = {{"/a,\"b", "/c", true}, {"/d", "/e", false}};
	struct recipe_facts facts = {.env = texts,
			.n_env = 3,
			.mounts = mounts,
			.n_mounts = 2,
			.labels = texts,
			.n_labels = 3,
			.options = texts,
			.n_options = 3};
	for (int all = 0; all < 2; all++) {
		for (int i = 0; all && i < FACT_COUNT; i++)
			facts.value[i] = i % 2 ? "0.5" : "'{name}' \"x\"";
		for (int step = 0; step < STEP_COUNT; step++) {
			struct buf out;
			buf_init(&out, RECIPE_EXPANDED_MAX);
			if (recipe_expand(recipe, (enum recipe_step)step, &facts, &out, NULL) == 0 && out.len)
				check_form(buf_at(&out), out.len);
			buf_finish(&out);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct trm_recipe *recipe = NULL;
	if (trm_recipe_parse("x", (const char *)bytes, n, "f", &recipe, NULL) == 0) {
		expand(recipe);
		recipe_hint(recipe, "permission denied");
		trm_recipe_free(recipe);
	}
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"like\":\"docker\",\"program\":[\"docker\",\"--context\",\"box\"]}"),
		SEED("{\"like\":\"podman\",\"steps\":{\"destroy\":[[\"{program}\",\"rm\",\"{id}\"],"
		     "[{\"if\":\"net\",\"args\":[\"x\"]}]],\"where\":null},\"env\":{\"A\":\"b\"},\"timeout\":5,"
		     "\"hints\":[[\"a\",\"b\"]]}"),
		SEED("{\"about\":\"a\",\"program\":\"ssh\",\"put_reads\":\"agent\",\"steps\":{"
		     "\"create\":[\"{program}\",{\"each\":\"mount\",\"args\":[\"src={mount.host:csv}\","
		     "{\"if\":\"mount.writable\",\"args\":[\"rw\"]}]},{\"each\":\"env\",\"args\":[\"{env.name}={env.value:"
		     "sh}\"]}],\"put\":[\"{program}\",\"{{x}}{lbrace}\"],\"connect\":[\"{program}\",\"{key}\"],"
		     "\"destroy\":[\"x\",\"{cpus_whole}\"]}}"),
		{NULL, 0},
};
