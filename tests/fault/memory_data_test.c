/* SPDX-License-Identifier: MIT */
/* What is read and told without a sandbox (or with the fake one): trees of files, recipes, settings,
 * policies, what works on this machine. */
#include "cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "config/config.h"
#include "doctor/doctor.h"
#include "fault/walk.h"
#include "langs.h"
#include "recipe/recipe.h"
#include "tree/sink.h"
#include "tree/source.h"
#include "wire/control.h"

static char top[] = "/tmp/terrarium-fault-data-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

/* ---- lib/tree -------------------------------------------------------------------------------- */

static void on_refused(void *user, const struct trm_error *why)
{
	reported(why->code, why);
	++*(unsigned *)user;
}

static int take(struct sink *sink, struct buf *frames, unsigned *n_refused)
{
	struct trm_error why = {0};
	struct frame f;
	struct entry entry;
	int r = 0;
	while (r == 0 && frame_next(frames, &f) == 1) {
		if (f.type == FRAME_DATA) {
			r = reported(sink_data(sink, f.payload, f.len, &why), &why);
		} else if ((r = reported(entry_get(&f, &entry, &why), &why)) == 0) {
			*n_refused += entry.kind == ENTRY_FAIL;
			r = reported(sink_entry(sink, &entry, &why), &why);
		}
		frame_done(frames, &f);
	}
	return r;
}

static int copy_tree(struct source *source, struct sink *sink)
{
	struct buf frames;
	uint64_t credit = UINT64_MAX;
	unsigned n_refused = 0;
	int r = 0, state = SOURCE_MORE;
	buf_init(&frames, 1 << 20);
	while (r == 0 && state == SOURCE_MORE) {
		state = source_step(source, &frames, 1, &credit);
		r = state < 0 ? state : take(sink, &frames, &n_refused);
	}
	if (r == 0 && !sink_is_over(sink))
		walk_fail("the source is at its end and the sink is not");
	buf_finish(&frames);
	return r ? r : n_refused ? TRM_ENOMEM : 0;
}

static int path_tree(void)
{
	unsigned n_refused = 0;
	struct trm_error why = {0};
	struct source *source;
	struct sink *sink;
	const struct sink_opts opts = {.path = "to",
			.base = "from",
			.max_bytes = 1 << 20,
			.max_files = 100,
			.refused = on_refused,
			.user = &n_refused};
	nftw("to", remove_one, 16, FTW_PHYS | FTW_DEPTH);
	int r = reported(source_create("from", TREE_WANTS_TOTAL, 0, &source, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = reported(sink_create(&opts, &sink, &why), &why);
	if (r == 0) {
		r = copy_tree(source, sink);
		if (r == 0 && !n_refused
				&& (access("to/a/b/c/text", R_OK) < 0 || access("to/link", R_OK) < 0))
			walk_fail("it is copied, they say, and not there");
		sink_destroy(sink);
	}
	source_destroy(source);
	return r ? r : n_refused ? TRM_ENOMEM : 0;
}

static void test_tree(void **state)
{
	(void)state;
	mkdir("from", 0755);
	mkdir("from/a", 0755);
	mkdir("from/a/b", 0755);
	mkdir("from/a/b/c", 0755);
	write_file("from/a/b/c/text", "text\n");
	write_file("from/other", "other\n");
	assert_true(symlink("a/b/c/text", "from/link") == 0);
	assert_true(walk_all(path_tree, "tree") > 5);
}

/* ---- lib/recipe ------------------------------------------------------------------------------- */

static const char CONFIG[] =
		"// mine\n{ \"memory\": \"256M\", \"mount\": [\"/tmp:/data:ro\", \"/usr:/more\"],\n"
		"  \"env\": [\"A=1\", \"B=2\"], \"theme\": \"dark\",\n"
		"  \"keys\": { \"f9\": null, \"f8\": \"run\" },\n"
		"  \"policies\": { \"mine\": { \"description\": \"mine\", \"threshold\": \"high\" } },\n"
		"  \"backends\": { \"mine\": { \"about\": \"mine\", \"like\": \"docker\",\n"
		"      \"hints\": [[\"no such\", \"look for it\"]], \"env\": { \"A\": \"1\", \"B\": \"2\" },\n"
		"      \"program\": [\"/usr/bin/env\", \"true\"], \"steps\": {\n"
		"        \"probe\": [\"/usr/bin/printf\", \"1.0\"],\n"
		"        \"list_all\": [\"/usr/bin/printf\", \"id\\tname\\timage\\trunning\\n\"] } },\n"
		"    \"wrong\": { \"about\": 7 } } }\n";

static void on_recipe(void *user, const struct trm_recipe_entry *entry)
{
	unsigned *n = user;
	if (!strcmp(entry->name, "mine") && entry->recipe)
		++*n;
}

static int expand(const struct trm_recipe *recipe)
{
	static const struct recipe_mount mounts[] = {{"/data, \"x\"", "/in", false}, {"/out", "/out", true}};
	static const char *const options[] = {"--user", "1000"}, *const env[] = {"A=1", "B='"};
	const struct recipe_facts facts = {.value = {[FACT_NAME] = "box",
							   [FACT_IMAGE] = "debian:12",
							   [FACT_MEMORY_BYTES] = "536870912",
							   [FACT_CPUS] = "0.5",
							   [FACT_PROCS] = "128",
							   [FACT_OPEN_FILES] = "4096",
							   [FACT_UID] = "0",
							   [FACT_AGENT] = "/run/a",
							   [FACT_SHARE] = "/run/s",
							   [FACT_KEY] = "00ff"},
			.env = env,
			.n_env = 2,
			.mounts = mounts,
			.n_mounts = 2,
			.options = options,
			.n_options = 2};
	struct trm_error why = {0};
	struct buf out;
	buf_init(&out, RECIPE_EXPANDED_MAX);
	int r = reported(recipe_expand(recipe, STEP_CREATE, &facts, &out, &why), &why);
	if (r == 0)
		r = reported(recipe_env(recipe, &out, &why), &why);
	if (r == 0)
		r = reported(recipe_workdir(recipe, &facts, &out, &why), &why);
	buf_finish(&out);
	return r;
}

static int path_recipe(void)
{
	struct trm_error why = {0};
	struct trm_recipe *recipe;
	unsigned n = 0;
	int r = reported(trm_recipe_load("mine", "config.json", &recipe, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = expand(recipe);
	trm_recipe_free(recipe);
	if (r == 0)
		r = reported(trm_recipe_list("config.json", on_recipe, &n, &why), &why);
	return want_nomem(r ? r : n != 1 ? TRM_ENOMEM : 0);
}

static void test_recipe(void **state)
{
	(void)state;
	assert_true(walk_all(path_recipe, "recipe") > 20);
}

/* ---- lib/config ---------------------------------------------------------------------------------- */

static void on_entry(void *user, const struct trm_config_entry *entry)
{
	(void)entry;
	++*(unsigned *)user;
}

static int read_sections(void)
{
	struct trm_error why = {0};
	struct trm_config_text text = {0};
	unsigned n = 0;
	int r = reported(trm_config_walk("config.json", "keys", on_entry, &n, &why), &why);
	if (r == 0)
		assert_int_equal(n, 2);
	if (r == 0)
		r = reported(trm_config_text("config.json", "backends", &text, &why), &why);
	free(text.text);
	return r;
}

static int set_by_hand(struct trm_config *config)
{
	struct trm_error why = {0};
	int r = reported(
			trm_config_set(config, trm_setting_find("mount"), "/tmp:/x,/usr:/y", "--mount", &why),
			&why);
	if (r == 0)
		r = reported(trm_config_add(config, trm_setting_find("env"), "C=3", "--env", &why), &why);
	if (r == 0)
		r = reported(trm_config_set(config, trm_setting_find("api_key_file"), "key", "--x", &why),
				&why);
	return r;
}

static int path_config(void)
{
	struct trm_error why = {0};
	struct trm_config config;
	struct trm_config_origin origins[SETTINGS_MAX];
	int r = reported(trm_config_load_from(&config, "config.json", origins, NULL, &why), &why);
	if (r == 0 && (config.limits.mem_bytes != 300u << 20 || strcmp(config.policy, "light") != 0))
		walk_fail("settings of .env or of the environment are not there");
	if (r == 0)
		r = set_by_hand(&config);
	return want_nomem(r ? r : read_sections());
}

static void test_config(void **state)
{
	(void)state;
	write_file(".env", "# mine\nTERRARIUM_MEMORY='300M'\nexport X=\"${HOME:-none} a\\n\"\n"
			   "Y=${X}${Z:-z}\nMSB_LIST=\"D=1\nE=2\"\n");
	write_file("key", "sesame\n");
	setenv("TERRARIUM_POLICY", "light", 1);
	assert_true(walk_all(path_config, "config") > 20);
	unsetenv("TERRARIUM_POLICY");
	unlink(".env");
}

/* ---- lib/policy ------------------------------------------------------------------------------------ */

static void on_policy(void *user, const char *name, const char *description, bool is_own)
{
	(void)name, (void)description, (void)is_own;
	++*(unsigned *)user;
}

static int scan_all(struct trm_policy *policy)
{
	static const struct {
		unsigned lang;
		const char *code;
	} rows[] = {{LANG_PYTHON, "import sys, os\nx = 'import socket'\n__import__('os').system('ls')\n"},
			{LANG_JAVASCRIPT, "const fs = require('fs'); // eval(x)\neval('1')\n"},
			{LANG_BASH, "curl http://x | sh # rm -rf /\nrm -rf /\n"}};
	static const char *const argv[] = {"rm", "-rf", "/", NULL};
	struct trm_error why = {0};
	int r = 0;
	for (size_t i = 0; r == 0 && i < sizeof rows / sizeof *rows; i++) {
		struct trm_findings findings = {0};
		r = reported(trm_policy_scan(policy, trm_lang_at(rows[i].lang), rows[i].code,
					     strlen(rows[i].code), &findings, &why),
				&why);
		if (r == 0)
			assert_true(findings.n > 0);
		trm_findings_finish(&findings);
	}
	struct trm_findings findings = {0};
	if (r == 0)
		r = reported(trm_policy_scan_command(policy, argv, &findings, &why), &why);
	trm_findings_finish(&findings);
	return r;
}

static int path_policy(void)
{
	struct trm_error why = {0};
	struct trm_policy *policy;
	unsigned n = 0;
	int r = reported(trm_policy_list("config.json", on_policy, &n, &why), &why);
	if (r == 0)
		r = reported(trm_policy_load("strict", "config.json", &policy, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = scan_all(policy);
	trm_policy_free(policy);
	return want_nomem(r);
}

static void test_policy(void **state)
{
	struct trm_error why = {0};
	struct trm_policy *policy;
	(void)state;
	if (trm_policy_load("strict", "config.json", &policy, &why) == TRM_ENOTSUP)
		skip();
	trm_policy_free(policy);
	assert_true(walk_all(path_policy, "policies") > 20);
}

/* ---- the list of sandboxes --------------------------------------------------------------------------- */

enum { SANDBOXES = 20 };

/* Left behind by supervisors that were killed. */
static void leave_sandboxes(void)
{
	char path[200], x[] = "x", none[] = "";
	struct buf info;
	struct info_msg msg = {.supervisor = 1 << 22,
			.client = 2,
			.supervisor_start = 3,
			.command = x,
			.boot_id = x};
	struct origin_msg *o = &msg.ready.origin;
	msg.net_allow = msg.group = msg.workdir = msg.mounts = msg.env = none;
	msg.ready.mem_dir = msg.ready.pids_dir = msg.ready.cpuacct_dir = msg.ready.cpu_dir = none;
	msg.ready.pressure_dir = o->backend = o->image = o->where = o->note = o->user = o->words = none;
	buf_init(&info, INFO_MAX_BYTES);
	assert_int_equal(info_msg_put(&info, &msg), 0);
	setenv("XDG_RUNTIME_DIR", top, 1);
	assert_int_equal(mkdir("terrarium", 0700), 0);
	for (int i = 0; i < SANDBOXES; i++) {
		snprintf(path, sizeof path, "terrarium/box%d", i);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(path, sizeof path, "terrarium/box%d/" INFO_FILE, i);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(write(fd, buf_at(&info), info.len), (ssize_t)info.len);
		close(fd);
	}
	buf_finish(&info);
}

static int path_registry(void)
{
	struct trm_error why = {0};
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n;
	int r = reported(trm_registry_create(&registry, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = reported(trm_registry_refresh(registry, &entries, &n, &why), &why);
	if (r == 0 && n != SANDBOXES)
		walk_fail("%zu of %d sandboxes are listed, as if there were no others", n, SANDBOXES);
	trm_registry_destroy(registry);
	return want_nomem(r);
}

static void test_registry(void **state)
{
	(void)state;
	leave_sandboxes();
	assert_true(walk_all(path_registry, "registry") > SANDBOXES);
}

/* ---- lib/doctor ------------------------------------------------------------------------------------- */

/* Whatever it wants to try, it gets the fake one. */
int __real_trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret,
		struct trm_error *reterr);
int __wrap_trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret,
		struct trm_error *reterr);
int __wrap_trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret,
		struct trm_error *reterr)
{
	struct trm_sandbox_opts own = *opts;
	own.backend = "fake";
	return __real_trm_sandbox_open(loop, &own, cb, user, ret, reterr);
}

static void on_check(void *user, const struct trm_check *check)
{
	(void)user;
	if (!*check->name || !*check->detail)
		walk_fail("a check without words: \"%s\": \"%s\"", check->name, check->detail);
}

static void on_backend(void *user, const struct trm_backend_info *info)
{
	bool *works = user;
	if (!strcmp(info->name, "mine") && info->status == TRM_CHECK_OK && !strcmp(info->detail, "1.0"))
		*works = true;
	if (info->status == TRM_CHECK_FAILED && !*info->detail)
		walk_fail("the backend %s does not work, and nothing says why", info->name);
}

static int path_backends(void)
{
	struct trm_error why = {0};
	bool works = false;
	int r = reported(trm_backends("config.json", true, on_backend, &works, &why), &why);
	return r ? r : works ? 0 : TRM_ENOMEM;
}

struct containers {
	unsigned n, n_problems;
};

static void on_container(void *user, const struct trm_container_info *info)
{
	struct containers *seen = user;
	if (strcmp(info->backend, "mine") != 0)
		return;
	seen->n_problems += *info->problem != '\0';
	seen->n += !strcmp(info->id, "id") && !strcmp(info->name, "name") && !strcmp(info->state, "running");
}

static int path_containers(void)
{
	struct trm_error why = {0};
	struct containers seen = {0};
	int r = reported(trm_containers("config.json", on_container, &seen, &why), &why);
	if (r == 0 && !seen.n_problems && seen.n != 1)
		walk_fail("a container is missing, and no problem was told");
	return r ? r : seen.n == 1 ? 0 : TRM_ENOMEM;
}

static int path_doctor(void)
{
	struct doctor d = {.fn = on_check};
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	doctor_try_sandbox(&d, TRM_ISOLATION_AUTO);
	doctor_try_made(&d, &opts);
	doctor_try_server(&d, &opts);
	return 0; /* that the fake one has no interpreters is told as well */
}

static void test_doctor(void **state)
{
	(void)state;
	setenv("PATH", "/nonexistent", 1); /* no engine is asked */
	assert_true(walk_all(path_backends, "backends") > 20);
	assert_true(walk_all(path_containers, "containers") > 20);
	assert_true(walk_all(path_doctor, "doctor") > 20);
}

/* ---- begin and end ------------------------------------------------------------------------------------ */

static int begin(void **state)
{
	(void)state;
	walk_begin();
	if (!mkdtemp(top) || chdir(top) < 0)
		return -1;
	write_file("config.json", CONFIG);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return chdir("/") < 0 ? -1 : nftw(top, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_tree),
			cmocka_unit_test(test_recipe),
			cmocka_unit_test(test_config),
			cmocka_unit_test(test_policy),
			cmocka_unit_test(test_registry),
			cmocka_unit_test(test_doctor),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
