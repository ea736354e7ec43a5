/* SPDX-License-Identifier: MIT */
/* The words of recipes: steps, placeholders, lists. */
#include "recipe/recipe_internal.h"

#include <string.h>

#include "base/suggest.h"

enum { INSIDE = KNOW_SANDBOX, IN_IMAGE = KNOW_IMAGE | KNOW_SANDBOX };

static const struct word words[] = {
		{"program", WORD_PROGRAM, 0, 0, ~0u, NULL, NULL},
		{"name", WORD_FACT, FACT_NAME, 0, INSIDE, NULL, NULL},
		{"image", WORD_FACT, FACT_IMAGE, 0, IN_IMAGE, NULL, "--image"},
		{"container", WORD_FACT, FACT_CONTAINER, 0, KNOW_EXISTING | INSIDE, NULL, "--container"},
		{"memory_mb", WORD_FACT, FACT_MEMORY_MB, 0, INSIDE, NULL, "--memory"},
		{"memory_bytes", WORD_FACT, FACT_MEMORY_BYTES, 0, INSIDE, NULL, "--memory"},
		{"cpus", WORD_FACT, FACT_CPUS, 0, INSIDE, NULL, "--cpus"},
		{"cpus_whole", WORD_WHOLE, FACT_CPUS, 0, INSIDE, NULL, "--cpus"},
		{"procs", WORD_FACT, FACT_PROCS, 0, INSIDE, NULL, "--processes"},
		{"disk_mb", WORD_FACT, FACT_DISK_MB, 0, INSIDE, NULL, "--disk"},
		{"file_bytes", WORD_FACT, FACT_FILE_BYTES, 0, INSIDE, NULL, "--file-size"},
		{"open_files", WORD_FACT, FACT_OPEN_FILES, 0, INSIDE, NULL, "--open-files"},
		{"net", WORD_FACT, FACT_NET, 0, INSIDE, NULL, "--net"},
		{"read_only", WORD_FACT, FACT_READ_ONLY, 0, INSIDE, NULL, NULL},
		{"root", WORD_FACT, FACT_ROOT, 0, INSIDE, NULL, NULL},
		{"user", WORD_FACT, FACT_USER, 0, INSIDE, NULL, "--user"},
		{"uid", WORD_FACT, FACT_UID, 0, ~0u, NULL, NULL},
		{"workdir", WORD_FACT, FACT_WORKDIR, 0, INSIDE, NULL, "--workdir"},
		{"agent", WORD_FACT, FACT_AGENT, 0, INSIDE, NULL, NULL},
		{"share", WORD_FACT, FACT_SHARE, 0, INSIDE, NULL, NULL},
		{"key", WORD_FACT, FACT_KEY, 0, INSIDE, NULL, NULL},
		{"tag", WORD_FACT, FACT_TAG, 0, KNOW_BUILD | KNOW_TAG, NULL, NULL},
		{"dockerfile", WORD_FACT, FACT_DOCKERFILE, 0, KNOW_BUILD, NULL, "--dockerfile"},
		{"context", WORD_FACT, FACT_CONTEXT, 0, KNOW_BUILD, NULL, NULL},
		{"platform", WORD_FACT, FACT_PLATFORM, 0, KNOW_IMAGE | KNOW_BUILD | INSIDE, NULL, NULL},
		{"image_user", WORD_FACT, FACT_IMAGE_USER, 0, INSIDE, NULL, NULL},
		{"image_workdir", WORD_FACT, FACT_IMAGE_WORKDIR, 0, INSIDE, NULL, NULL},
		{"image_entrypoint", WORD_FACT, FACT_IMAGE_ENTRYPOINT, 0, INSIDE, NULL, NULL},
		{"image_cmd", WORD_FACT, FACT_IMAGE_CMD, 0, INSIDE, NULL, NULL},
		{"runtime", WORD_FACT, FACT_RUNTIME, 0, INSIDE, NULL, "--runtime"},
		{"environment", WORD_FACT, FACT_ENVIRONMENT, 0, INSIDE, NULL, "--environment"},
		{"kube_context", WORD_FACT, FACT_KUBE_CONTEXT, 0, ~0u, NULL, "--kube-context"},
		{"kube_namespace", WORD_FACT, FACT_KUBE_NAMESPACE, 0, ~0u, NULL, "--kube-namespace"},
		{"service_account", WORD_FACT, FACT_SERVICE_ACCOUNT, 0, INSIDE, NULL, "--service-account"},
		{"runtime_class", WORD_FACT, FACT_RUNTIME_CLASS, 0, INSIDE, NULL, "--runtime-class"},
		{"pod_manifest", WORD_FACT, FACT_POD_MANIFEST, 0, ~0u, NULL, "--pod-manifest"},
		{"pod", WORD_FACT, FACT_POD, 0, KNOW_EXISTING | INSIDE, NULL, "--container"},
		{"pod_container", WORD_FACT, FACT_POD_CONTAINER, 0, KNOW_EXISTING | INSIDE, NULL,
				"--container"},
		{"warm_pool", WORD_FACT, FACT_WARM_POOL, 0, INSIDE, NULL, "--warm-pool"},
		{"template", WORD_FACT, FACT_TEMPLATE, 0, INSIDE, NULL, "--template"},
		{"resume", WORD_FACT, FACT_RESUME, 0, INSIDE, NULL, NULL},
		{"agent_name", WORD_FACT, FACT_AGENT_NAME, 0, INSIDE, NULL, NULL},
		{"shutdown_time", WORD_FACT, FACT_SHUTDOWN_TIME, 0, INSIDE, NULL, NULL},
		{"dir", WORD_FIXED, 0, 0, INSIDE, "/.terrarium", NULL},
		{"lbrace", WORD_FIXED, 0, 0, ~0u, "{", NULL},
		{"rbrace", WORD_FIXED, 0, 0, ~0u, "}", NULL},
		{"id", WORD_LATE, 0, 0, KNOW_ID, RECIPE_LATE_ID, NULL},
		{"supervisor", WORD_LATE, 0, 0, INSIDE, RECIPE_LATE_SUPERVISOR, NULL},
		{"place", WORD_LATE, 0, 0, KNOW_ID, RECIPE_LATE_PLACE, NULL},
		{"agent_path", WORD_LATE, 0, 0, KNOW_ID, RECIPE_LATE_AGENT, NULL},
		{"env", WORD_ITEM, LIST_ENV, PART_WHOLE, INSIDE, NULL, NULL},
		{"env.name", WORD_ITEM, LIST_ENV, PART_NAME, INSIDE, NULL, NULL},
		{"env.value", WORD_ITEM, LIST_ENV, PART_VALUE, INSIDE, NULL, NULL},
		{"mount.host", WORD_ITEM, LIST_MOUNT, PART_WHOLE, INSIDE, NULL, NULL},
		{"mount.guest", WORD_ITEM, LIST_MOUNT, PART_NAME, INSIDE, NULL, NULL},
		{"label", WORD_ITEM, LIST_LABEL, PART_WHOLE, INSIDE, NULL, NULL},
		{"label.name", WORD_ITEM, LIST_LABEL, PART_NAME, INSIDE, NULL, NULL},
		{"label.value", WORD_ITEM, LIST_LABEL, PART_VALUE, INSIDE, NULL, NULL},
		{"option", WORD_ITEM, LIST_OPTION, PART_WHOLE, INSIDE, NULL, NULL},
		{"engine_arg", WORD_ITEM, LIST_ENGINE_ARG, PART_WHOLE, INSIDE, NULL, "--engine-arg"},
};
enum { N_WORDS = sizeof words / sizeof *words };

static const struct word mount_writable = {
		"mount.writable", WORD_ITEM, LIST_MOUNT, PART_VALUE, INSIDE, NULL, NULL};
/* "if": "mount": does the list have items? */
static const struct word lists[LIST_COUNT] = {
		[LIST_ENV] = {"env", WORD_ITEM, LIST_ENV, PART_WHOLE, INSIDE, NULL, NULL},
		[LIST_MOUNT] = {"mount", WORD_ITEM, LIST_MOUNT, PART_WHOLE, INSIDE, NULL, NULL},
		[LIST_LABEL] = {"label", WORD_ITEM, LIST_LABEL, PART_WHOLE, INSIDE, NULL, NULL},
		[LIST_OPTION] = {"option", WORD_ITEM, LIST_OPTION, PART_WHOLE, INSIDE, NULL, NULL},
		[LIST_ENGINE_ARG] = {"engine_arg", WORD_ITEM, LIST_ENGINE_ARG, PART_WHOLE, INSIDE, NULL,
				NULL},
};

/* The facts that are known when a step runs. */
static const struct {
	const char *name;
	unsigned known;
} steps[STEP_COUNT] = {
		[STEP_PROBE] = {"probe", 0},
		[STEP_WHERE] = {"where", 0},
		[STEP_PIN] = {"pin", 0},
		[STEP_MANIFEST] = {"manifest", 0},
		[STEP_PLATFORM] = {"platform", 0},
		[STEP_IMAGE] = {"image", KNOW_IMAGE},
		[STEP_PULL] = {"pull", KNOW_IMAGE},
		[STEP_BUILD] = {"build", KNOW_BUILD},
		[STEP_IMAGE_REMOVE] = {"image_remove", KNOW_IMAGE},
		[STEP_CREATE] = {"create", KNOW_SANDBOX},
		[STEP_PUT] = {"put", KNOW_SANDBOX | KNOW_ID},
		[STEP_START] = {"start", KNOW_SANDBOX | KNOW_ID},
		[STEP_READY] = {"ready", KNOW_SANDBOX | KNOW_ID},
		[STEP_CONNECT] = {"connect", KNOW_SANDBOX | KNOW_ID},
		[STEP_INSPECT] = {"inspect", KNOW_SANDBOX | KNOW_ID},
		[STEP_ADOPT] = {"adopt", KNOW_EXISTING},
		[STEP_WAKE] = {"wake", KNOW_EXISTING},
		[STEP_COMMIT] = {"commit", KNOW_SANDBOX | KNOW_ID | KNOW_TAG},
		[STEP_SPARE] = {"spare", KNOW_SANDBOX | KNOW_ID},
		[STEP_DESTROY] = {"destroy", KNOW_SANDBOX | KNOW_ID},
		[STEP_SUSPEND] = {"suspend", KNOW_SANDBOX | KNOW_ID},
		[STEP_RELEASE] = {"release", KNOW_SANDBOX | KNOW_ID},
		[STEP_LIST] = {"list", 0},
		[STEP_LEFT] = {"left", 0},
		[STEP_TAKE] = {"take", KNOW_SANDBOX | KNOW_ID},
		[STEP_DOCTOR] = {"doctor", 0},
		[STEP_LIST_ALL] = {"list_all", 0},
};

const char *recipe_step_name(enum recipe_step step)
{
	return step < STEP_COUNT ? steps[step].name : "?";
}

unsigned word_known(enum recipe_step step)
{
	return steps[step].known;
}

const struct word *word_find(const char *name, size_t n)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (!strncmp(words[i].name, name, n) && !words[i].name[n])
			return &words[i];
	return NULL;
}

const struct word *word_at(size_t i)
{
	return i < N_WORDS ? &words[i] : NULL;
}

const struct word *word_condition(const char *name)
{
	if (!strcmp(name, mount_writable.name))
		return &mount_writable;
	int list = word_list(name);
	if (list >= 0)
		return &lists[list];
	const struct word *word = word_find(name, strlen(name));
	return word && word->kind == WORD_FACT ? word : NULL;
}

bool word_is_in_pod(const char *name)
{
	static const char *const pod[] = {"image", "memory_bytes", "cpus", "disk_mb", "net", "read_only",
			"root", "env", "service_account", "runtime_class", "kube_context", "kube_namespace",
			"pod_manifest"};
	for (size_t i = 0; i < sizeof pod / sizeof *pod; i++)
		if (!strcmp(pod[i], name))
			return true;
	return false;
}

int word_list(const char *name)
{
	for (int i = 0; i < LIST_COUNT; i++)
		if (!strcmp(lists[i].name, name))
			return i;
	return -1;
}

const char *word_list_name(enum recipe_list list)
{
	return lists[list].name;
}

/* ---- suggestions ---- */

const char *word_nearest(const char *name, size_t n)
{
	char copy[80] = "";
	struct suggest near;
	memcpy(copy, name, n < sizeof copy ? n : sizeof copy - 1);
	suggest_init(&near, copy);
	for (size_t i = 0; i < N_WORDS; i++)
		suggest_try(&near, words[i].name);
	return near.best;
}

const char *word_nearest_list(const char *name)
{
	struct suggest near;
	suggest_init(&near, name);
	for (size_t i = 0; i < LIST_COUNT; i++)
		suggest_try(&near, lists[i].name);
	return near.best;
}

const char *word_nearest_condition(const char *name)
{
	struct suggest near;
	suggest_init(&near, name);
	for (size_t i = 0; i < N_WORDS; i++)
		if (words[i].kind == WORD_FACT)
			suggest_try(&near, words[i].name);
	for (size_t i = 0; i < LIST_COUNT; i++)
		suggest_try(&near, lists[i].name);
	suggest_try(&near, mount_writable.name);
	return near.best;
}

/* ---- placeholders in a text ---- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || (c && strchr("_.-:*", c));
}

size_t word_scan(const char *text, struct placeholder *ret)
{
	size_t n = 1, colon = 0;
	for (; is_word_byte(text[n]); n++)
		if (text[n] == ':' && !colon)
			colon = n;
	if (text[n] != '}' || n == 1)
		return 0;
	*ret = (struct placeholder){text + 1, text + n, n - 1, 0};
	if (colon)
		*ret = (struct placeholder){text + 1, text + colon + 1, colon - 1, n - colon - 1};
	return n + 1;
}

bool word_quote(const struct placeholder *p, enum word_quote *ret)
{
	*ret = QUOTE_NONE;
	if (p->n_how == 2 && !memcmp(p->how, "sh", 2))
		*ret = QUOTE_SHELL;
	else if (p->n_how == 3 && !memcmp(p->how, "csv", 3))
		*ret = QUOTE_CSV;
	else
		return !p->n_how && *p->how == '}';
	return true;
}
