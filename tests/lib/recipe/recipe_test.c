/* SPDX-License-Identifier: MIT */
#include "recipe/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/sandbox.h>

#include "base/buf.h"
#include "cmocka_all.h"

static const char nowhere[] = "/nonexistent/config.json";

static struct trm_recipe *load(const char *name)
{
	struct trm_recipe *recipe = NULL;
	struct trm_error why = {0};
	if (trm_recipe_load(name, nowhere, &recipe, &why) < 0)
		fail_msg("%s", why.msg);
	return recipe;
}

/* The commands of a step as one line: arguments apart by '|', commands by ';'. */
static const char *expand(
		const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts)
{
	static char line[8192];
	struct trm_error why = {0};
	struct buf out;
	buf_init(&out, sizeof line);
	if (recipe_expand(recipe, step, facts, &out, &why) < 0)
		snprintf(line, sizeof line, "ERROR %s", why.msg);
	else
		snprintf(line, sizeof line, "%.*s", (int)out.len, out.len ? buf_at(&out) : "");
	for (size_t i = 0; strncmp(line, "ERROR", 5) != 0 && i < out.len; i++) {
		char c = buf_at(&out)[i];
		line[i] = c ? c : i && line[i - 1] == '|' ? ';' : '|';
		line[i + 1] = 0;
	}
	buf_finish(&out);
	return line;
}

static void test_built_in(void **state)
{
	static const char *const names[] = {"docker", "podman", "msb"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct trm_recipe *recipe = load(names[i]);
		assert_string_equal(trm_recipe_name(recipe), names[i]);
		assert_true(*trm_recipe_about(recipe));
		assert_true(recipe_has(recipe, STEP_CONNECT));
		trm_recipe_free(recipe);
	}
}

static struct recipe_facts facts_of_a_container(void)
{
	static const struct recipe_mount mounts[] = {{"/data, \"x\"", "/in", false}, {"/out", "/out", true}};
	static const char *const options[] = {"--user", "1000"};
	return (struct recipe_facts){
			.value = {[FACT_NAME] = "box",
					[FACT_IMAGE] = "debian:12",
					[FACT_MEMORY_BYTES] = "536870912",
					[FACT_CPUS] = "0.5",
					[FACT_PROCS] = "128",
					[FACT_OPEN_FILES] = "4096",
					[FACT_UID] = "0",
					[FACT_AGENT] = "/run/a",
					[FACT_SHARE] = "/run/s",
					[FACT_KEY] = "00ff"},
			.mounts = mounts,
			.n_mounts = 2,
			.options = options,
			.n_options = 2,
	};
}

static void test_create_the_direct_way(void **state)
{
	struct trm_recipe *recipe = load("docker");
	struct recipe_facts facts = facts_of_a_container();
	const char *line = expand(recipe, STEP_CREATE, &facts);
	(void)state;
	assert_non_null(strstr(line, "docker|run|--detach|--name|box|"));
	assert_non_null(strstr(line, "|dev.terrarium.supervisor=\1supervisor\1|"));
	assert_non_null(strstr(line, "|--mount|type=bind,\"src=/data, \"\"x\"\"\",\"dst=/in\",readonly|"));
	assert_non_null(strstr(line, "|--mount|type=bind,\"src=/out\",\"dst=/out\"|"));
	assert_non_null(strstr(line, "|--network|none|"));
	assert_non_null(strstr(line,
			"|debian:12|/.terrarium/agent|container|--door|/.terrarium/door/sock|--user|1000|"));
	assert_null(strstr(line, "--key"));
	facts.value[FACT_SHARE] = NULL;
	facts.value[FACT_NET] = "on";
	line = expand(recipe, STEP_CREATE, &facts);
	assert_null(strstr(line, "--door"));
	assert_null(strstr(line, "--network"));
	assert_non_null(strstr(line, "|debian:12|/.terrarium/agent|container|--key|00ff|--user|1000|"));
	trm_recipe_free(recipe);
}

/* ---- mistakes ---- */

#define CONNECT "\"connect\":[\"x\",\"{agent}\",\"{key}\"]"
#define DESTROY "\"destroy\":[\"x\"]"
#define STEPS(more) "{\"steps\":{" CONNECT "," DESTROY more "}}"
#define CREATE(args) STEPS(",\"create\":[" args "]")

static const char *mistake(const char *name, const char *json, size_t n)
{
	static struct trm_error why;
	struct trm_recipe *recipe = NULL;
	why = (struct trm_error){0};
	if (trm_recipe_parse(name, json, n, "f.json", &recipe, &why) == 0) {
		trm_recipe_free(recipe);
		return "";
	}
	return why.msg;
}

static void test_mistakes_name_place_and_reason(void **state)
{
	static const struct {
		const char *json, *why;
	} rows[] = {
			{STEPS(""), ""},
			{"", "f.json: backend \"x\": this is not JSON"},
			{"{]", "this is not JSON"},
			{"{\"about\": \"a\\u0000b\"}",
					"f.json: backend \"x\": \\u0000 is not allowed in a string here"},
			{"[]", "f.json:1:1: backend \"x\": must be an object"},
			{"7", "must be an object"},
			{"{}", "the step \"connect\" is missing"},
			{"{\"steps\":{" CONNECT "}}", "the step \"destroy\" is missing"},
			{"{\"steps\":[]}", "f.json:1:2: backend \"x\", steps: must be an object"},
			{"{\n  \"stepps\":{}}",
					"f.json:2:3: backend \"x\", stepps: there is no key \"stepps\"; "
					"did you mean \"steps\"?"},
			{"{\"color\":1}", "there is no key \"color\"; see terrarium-backends(5)"},
			{"{\"about\":7}", "about: must be a string"},
			{"{\"about\":\"a\\nb\"}", "about: must be one line"},
			{"{\"about\":\"a\\u001b[31m\"}", "about: contains a control character (byte 0x1b)"},
			{"{\"about\":\"x\",\"about\":\"y\"}", "about: is there twice"},
			{"{\"steps\":{\"conect\":[\"x\"]}}",
					"steps.conect: there is no step \"conect\"; did you mean \"connect\"?"},
			{"{\"steps\":{\"put\":[\"x\"],\"put\":[\"x\"]}}", "steps.put: is there twice"},
			{STEPS(",\"create\":[]"), "steps.create: must be a list of 1 to 256 arguments"},
			{STEPS(",\"create\":\"docker run\""), "steps.create: must be a list"},
			{CREATE("\"\""), "steps.create[0]: must be a string that is not empty"},
			{CREATE("7"), "steps.create[0]: must be a string, or an object"},
			{"{\"steps\":{" CONNECT "," DESTROY ",\n\"create\":[\"a\",\n \"b{imge}\"]}}",
					"f.json:3:2: backend \"x\", steps.create[1]: there is no placeholder "
					"\"imge\"; did you mean \"image\"?"},
			{CREATE("\"{HOME}\""), "there is no placeholder \"HOME\""},
			{CREATE("\"{name:bash}\""), "{name:…}: after the colon use \"sh\""},
			{CREATE("\"x{program}\""), "{program} must be an argument of its own"},
			{CREATE("\"{mount.host}\""),
					"{mount.host} is known only inside { \"each\": \"mount\""},
			{CREATE("\"{id}\""), "{id} is not known yet (or no longer) in the step \"create\""},
			{STEPS(",\"probe\":[\"{image}\"]"), "{image} is not known yet"},
			{CREATE("{\"if\":\"memory\",\"args\":[\"x\"]}"),
					"steps.create[0].if: there is no condition \"memory\""},
			{CREATE("{\"if\":\"memory_nb\",\"args\":[\"x\"]}"), "did you mean \"memory_mb\"?"},
			{CREATE("{\"if\":\"mount.writable\",\"args\":[\"x\"]}"), "known only inside"},
			{CREATE("{\"each\":\"mounts\",\"args\":[\"x\"]}"), "did you mean \"mount\"?"},
			{CREATE("{\"each\":\"env\",\"args\":[{\"each\":\"env\",\"args\":[\"x\"]}]}"),
					"there cannot be an \"each\" within an \"each\""},
			{CREATE("{\"if\":\"net\"}"), "steps.create[0]: \"args\" is missing"},
			{CREATE("{\"args\":[\"x\"]}"), "\"if, unless or each\" is missing"},
			{CREATE("{\"if\":7,\"args\":[\"x\"]}"), "steps.create[0].if: must be a string"},
			{CREATE("{\"if\":\"net\",\"else\":[\"x\"]}"),
					"steps.create[0].else: is not allowed here"},
			{CREATE("{\"if\":\"net\",\"unless\":\"net\",\"args\":[\"x\"]}"),
					"is not allowed here"},
			{STEPS(",\"create\":[[\"a\"],\"b\"]"), "steps.create[1]: must be a list"},
			{"{\"steps\":{" DESTROY ",\"create\":[\"{agent}\",\"{share}\"]}}", ""},
			{STEPS(",\"pull\":[\"a\"]"), "the step \"pull\" goes with \"image\""},
			{STEPS(",\"wake\":[\"a\"]"), "the step \"wake\" goes with \"adopt\""},
			{"{\"steps\":{\"connect\":[\"x\",\"{agent}\"]," DESTROY "}}",
					"does not mention {key}"},
			{"{\"steps\":{\"connect\":[\"x\",\"{key}\"]," DESTROY "}}",
					"nothing takes the agent there"},
			{"{\"like\":\"dokcer\"}",
					"f.json:1:2: backend \"x\", like: there is no backend \"dokcer\" to "
					"start from; did you mean \"docker\"?"},
			{"{\"like\":\"x\"}", "there is no backend \"x\" to start from"},
			{"{\"like\":[]}", "like: must be the name of another backend"},
			{"{\"like\":\"docker\",\"program\":[]}", "program: must be a string, or a list"},
			{"{\"like\":\"docker\",\"program\":[\"a\",7]}", "program[1]: must be a string"},
			{"{\"like\":\"docker\",\"put_reads\":\"zip\"}",
					"must be \"agent\", \"tar\" or \"pod\""},
			{"{\"like\":\"docker\",\"user\":\"root\"}", "user: must be \"image\""},
			{"{\"like\":\"docker\",\"workdir\":\"x\"}", "workdir: must begin with a slash"},
			{"{\"like\":\"docker\",\"workdir\":\"/{id}\"}", "{id} is not known yet"},
			{"{\"like\":\"docker\",\"timeout\":0}", "must be a number of seconds from 1 to 3600"},
			{"{\"like\":\"docker\",\"timeout\":1e99}", "must be a number of seconds"},
			{"{\"like\":\"docker\",\"hints\":[[\"a\"]]}", "hints[0]: must be a pair"},
			{"{\"like\":\"docker\",\"hints\":{}}", "hints: must be a list"},
			{"{\"like\":\"docker\",\"env\":{\"A=B\":\"c\"}}",
					"env.A=B: is not the name of a variable"},
			{"{\"like\":\"docker\",\"env\":{\"A\":7}}", "env.A: must be a string"},
			{"{\"like\":\"docker\",\"env\":[]}", "env: must be an object"},
			{"{\"like\":\"\"}", "like: must be the name of another backend"},
			{"{\"like\":\"a23456789012345678901234567890123\"}", "there is no backend"},
			{"{\"like\":\"docker\",\"put_reads\":7}", "put_reads: must be \"agent\""},
			{"{\"like\":\"docker\",\"user\":7}", "user: must be \"image\""},
			{"{\"like\":\"docker\",\"user\":\"same\"}", ""},
			{"{\"like\":\"docker\",\"workdir\":7}", "workdir: must be a string"},
			{"{\"like\":\"docker\",\"timeout\":\"1\"}", "must be a number of seconds"},
			{"{\"like\":\"docker\",\"timeout\":1.5}", ""},
			{"{\"like\":\"docker\",\"hints\":[7]}", "hints[0]: must be a pair"},
			{"{\"like\":\"docker\",\"hints\":[[7,\"a\"]]}", "hints[0][0]: must be a string"},
			{"{\"like\":\"docker\",\"hints\":[[\"a\",7],[\"b\",\"c\"]]}",
					"hints[0][1]: must be a string"},
			{"{\"like\":\"docker\",\"hints\":[[\"a\",\"b\",\"c\"]]}", "hints[0]: must be a pair"},
			{"{\"like\":\"docker\",\"env\":{\"\":\"c\"}}", "is not the name of a variable"},
			{"{\"like\":\"docker\",\"env\":{\"A\\u001b\":\"c\",\"B\":\"d\"}}",
					"contains a control character"},
			{"{\"like\":\"docker\",\"env\":{\"A\":\"\\u001b\",\"B\":\"d\"}}",
					"contains a control character"},
			{"{\"like\":\"docker\",\"env\":{\"A\":\"b\",\"A\":\"c\"}}", ""},
			{"{\"like\":\"docker\",\"program\":[\"\",\"b\"]}", "program[0]: must be a string"},
			{"{\"like\":\"docker\",\"program\":[\"a\",\"b\"]}", ""},
			{"{\"like\":\"docker\",\"program\":\"podman\"}", ""},
			{"{\"like\":\"docker\",\"steps\":{\"destroy\":null}}",
					"the step \"destroy\" is missing"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why = mistake("x", rows[i].json, strlen(rows[i].json));
		if (!*rows[i].why ? *why != 0 : !strstr(why, rows[i].why))
			fail_msg("%s\n  says \"%s\"\n  not  \"%s\"", rows[i].json, why, rows[i].why);
	}
}

static void test_names(void **state)
{
	static const char *const bad[] = {"local", "microsandbox", "fake", "", "-x", ".x", "a b", "a/b",
			"a\x1b[0m", "a234567890123456789012345678901x"};
	static const char good[] = STEPS("");
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *why = mistake(bad[i], good, strlen(good));
		assert_true(*why);
		assert_null(strchr(why, '\x1b'));
	}
	assert_string_equal(mistake("ssh-box.2", good, strlen(good)), "");
	assert_non_null(strstr(mistake("local", good, strlen(good)), "taken by a native backend"));
}

static void test_what_is_too_big(void **state)
{
	static const char head[] = "{\"like\":\"docker\",\"about\":\"", tail[] = "\"}";
	size_t n = 1 << 20;
	char *json = malloc(n + sizeof head + sizeof tail);
	(void)state;
	memcpy(json, head, sizeof head);
	memset(json + sizeof head - 1, 'x', n);
	memcpy(json + sizeof head - 1 + n, tail, sizeof tail);
	assert_non_null(strstr(mistake("x", json, strlen(json)),
			"is a string of 1048576 bytes; the maximum is 4096"));

	/* Lists that are one too long. */
	static const struct {
		const char *begin, *each, *end, *why;
		int n;
	} lists[] = {
			{"{\"like\":\"docker\",\"program\":[\"a\"", ",\"a\"", "]}",
					"list of 1 to 256 strings", 256},
			{"{\"like\":\"docker\",\"hints\":[[\"a\",\"b\"]", ",[\"a\",\"b\"]", "]}",
					"must be a list of at most 64 pairs", 64},
			{"{\"like\":\"docker\",\"env\":{\"A\":\"b\"", ",\"A\":\"b\"", "}}",
					"has more than 64 variables", 64},
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		size_t len = (size_t)sprintf(json, "%s", lists[i].begin);
		for (int k = 0; k < lists[i].n; k++)
			len += (size_t)sprintf(json + len, "%s", lists[i].each);
		strcpy(json + len, lists[i].end);
		assert_non_null(strstr(mistake("x", json, strlen(json)), lists[i].why));
	}

	/* Ten thousand brackets: the parser's own limit; five "if" within one another: ours. */
	memset(json, '[', 10000);
	assert_non_null(strstr(mistake("x", json, 10000), "not JSON"));
	snprintf(json, n, "%s",
			CREATE("{\"if\":\"net\",\"args\":[{\"if\":\"net\",\"args\":[{\"if\":\"net\",\"args\":["
			       "{\"if\":\"net\",\"args\":[{\"if\":\"net\",\"args\":[\"x\"]}]}]}]}]}"));
	assert_non_null(strstr(mistake("x", json, strlen(json)), "is nested too deeply"));
	free(json);
}

/* ---- what comes out ---- */

static struct trm_recipe *parse(const char *json)
{
	struct trm_recipe *recipe = NULL;
	struct trm_error why = {0};
	if (trm_recipe_parse("x", json, strlen(json), "f.json", &recipe, &why) < 0)
		fail_msg("%s", why.msg);
	return recipe;
}

static void test_values_stay_within_their_arguments(void **state)
{
	static const struct {
		const char *args, *line;
	} rows[] = {
			{"\"a\",\"{name}\"", "a|$(id) 'q' \"d\" ; {image}|"},
			{"\"echo {name:sh}\"", "echo '$(id) '\\''q'\\'' \"d\" ; {image}'|"},
			{"\"\\\"x={name:csv}\\\"\"", "\"x=$(id) 'q' \"\"d\"\" ; {image}\"|"},
			{"\"{{.State}}\",\"{{json .X}}\",\"{ x }\",\"}\",\"{\"",
					"{{.State}}|{{json .X}}|{ x }|}|{|"},
			{"\"{lbrace}name{rbrace}\"", "{name}|"},
			{"\"{cpus} {cpus_whole}\"", "0.5 1|"},
			{"\"{program}\",\"x\"", "sudo|-n|tool|x|"},
			{"{\"if\":\"net\",\"args\":[\"n\"]},{\"unless\":\"net\",\"args\":[\"no\"]}", "no|"},
			{"{\"each\":\"env\",\"args\":[\"{env}\",\"{env.name}\",\"<{env.value}>\"]}",
					"A=1=2|A|<1=2>|B=|B|<>|"},
			{"{\"if\":\"env\",\"args\":[\"yes\"]},{\"if\":\"mount\",\"args\":[\"no\"]}", "yes|"},
			{"\"{image}\"", "ERROR backend \"x\", step \"create\": {image} is not set; give it with --image"},
			{"{\"each\":\"env\",\"args\":[\"{env.value}\"]}",
					"ERROR backend \"x\", step \"create\": one of its arguments is empty"},
			{"\"{supervisor}\"", "\1supervisor\1|"},
	};
	static const char *const env[] = {"A=1=2", "B="};
	struct recipe_facts facts = {
			.value = {[FACT_NAME] = "$(id) 'q' \"d\" ; {image}", [FACT_CPUS] = "0.5"},
			.env = env,
			.n_env = 2};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		snprintf(json, sizeof json,
				"{\"program\":[\"sudo\",\"-n\",\"tool\"],\"steps\":{" CONNECT "," DESTROY
				",\"create\":[%s]}}",
				rows[i].args);
		struct trm_recipe *recipe = parse(json);
		assert_string_equal(expand(recipe, STEP_CREATE, &facts), rows[i].line);
		trm_recipe_free(recipe);
	}
}

static void test_marks_cannot_be_forged(void **state)
{
	struct trm_recipe *recipe = parse(CREATE("\"{name}\""));
	struct recipe_facts facts = {.value = {[FACT_NAME] = "a" RECIPE_LATE_ID}};
	(void)state;
	assert_non_null(strstr(expand(recipe, STEP_CREATE, &facts), "contains a control character"));
	trm_recipe_free(recipe);
}

static void test_several_commands(void **state)
{
	struct trm_recipe *recipe =
			parse(STEPS(",\"create\":[[{\"if\":\"net\",\"args\":[\"a\"]}],[\"b\",\"c\"],"
				    "[{\"if\":\"net\",\"args\":[\"d\"]}],[\"e\"]]"));
	struct recipe_facts facts = {0};
	(void)state;
	assert_string_equal(expand(recipe, STEP_CREATE, &facts), "b|c|;e|");
	facts.value[FACT_NET] = "on";
	assert_string_equal(expand(recipe, STEP_CREATE, &facts), "a|;b|c|;d|;e|");
	assert_string_equal(expand(recipe, STEP_PUT, &facts), "");
	assert_true(recipe_uses(recipe, STEP_CREATE, "net"));
	assert_false(recipe_uses(recipe, STEP_CREATE, "image"));
	trm_recipe_free(recipe);
}

static void test_like(void **state)
{
	struct trm_recipe *recipe = parse(
			"{\"like\":\"podman\",\"program\":[\"ssh\",\"box\",\"podman\"],"
			"\"env\":{\"A\":\"1\",\"B\":\"\"},\"timeout\":7,"
			"\"user\":\"same\",\"workdir\":\"/tmp/{name}\",\"hints\":[[\"docker daemon\",\"mine\"]],\"steps\":{\"probe\":null}}");
	struct recipe_facts facts = {0};
	struct buf env;
	(void)state;
	assert_string_equal(trm_recipe_about(recipe), "containers of Podman, also without root");
	assert_false(recipe_has(recipe, STEP_PROBE));
	assert_false(recipe_has(recipe, STEP_WHERE));
	assert_int_equal(recipe_put_reads(recipe), RECIPE_PUT_TAR);
	assert_int_equal(recipe_timeout_ms(recipe), 7000);
	assert_non_null(strstr(expand(recipe, STEP_DESTROY, &facts), "ssh|box|podman|rm|--force|--ignore|"));
	assert_string_equal(recipe_hint(recipe, "Is the docker daemon running?"), "mine");
	assert_non_null(recipe_hint(recipe, "Cannot connect to the Docker daemon at x"));
	assert_null(recipe_hint(recipe, "all is well"));
	buf_init(&env, 100);
	assert_int_equal(recipe_env(recipe, &env, NULL), 0);
	assert_int_equal(env.len, 7);
	assert_memory_equal(buf_at(&env), "A=1\0B=", 7);
	buf_finish(&env);
	assert_true(recipe_keeps_user(recipe));
	facts.value[FACT_NAME] = "box";
	buf_init(&env, 100);
	assert_int_equal(recipe_workdir(recipe, &facts, &env, NULL), 0);
	assert_string_equal(buf_at(&env), "/tmp/box");
	buf_finish(&env);
	trm_recipe_free(recipe_ref(recipe));
	assert_string_equal(trm_recipe_name(recipe), "x");
	trm_recipe_free(recipe);
}

static void test_fields(void **state)
{
	char line[] = "running\t\t3";
	const char *fields[4];
	(void)state;
	recipe_fields(line, fields, 4);
	assert_string_equal(fields[0], "running");
	assert_string_equal(fields[1], "");
	assert_string_equal(fields[2], "3");
	assert_string_equal(fields[3], "");
}

/* ---- the config file ---- */

static char file[] = "/tmp/recipe-test-XXXXXX";

static void write_config(const char *text)
{
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *load_mistake(const char *name)
{
	static struct trm_error why;
	struct trm_recipe *recipe = NULL;
	why = (struct trm_error){0};
	if (trm_recipe_load(name, file, &recipe, &why) < 0)
		return why.msg;
	trm_recipe_free(recipe);
	return "";
}

static void test_places_in_a_config_file(void **state)
{
	char expected[200];
	(void)state;
	write_config("{ // comment\n  \"memory\": 64,\n  \"backends\": {\n    /* é */ \"box\": {\n"
		     "      \"like\": \"docker\",\n      \"steps\": { \"probe\": [\"a\", \"é\", \"{nam}\"] }\n"
		     "    }\n  }\n}\n");
	snprintf(expected, sizeof expected,
			"%s:6:38: backend \"box\", steps.probe[2]: there is no placeholder", file);
	assert_non_null(strstr(load_mistake("box"), expected));
	assert_string_equal(load_mistake("docker"), "");
	assert_non_null(strstr(load_mistake("dokcer"),
			"there is no backend 'dokcer': known are local, microsandbox, "
			"fake, docker, podman, micromamba, kubernetes, agent-sandbox, msb, box"));
}

static void test_chains_and_circles(void **state)
{
	(void)state;
	write_config("{\"backends\":{\"a\":{\"like\":\"b\"},\"b\":{\"like\":\"c\"},\"c\":{\"like\":\"a\"},"
		     "\"docker\":{\"like\":\"docker\",\"program\":\"mine\"},\"d\":{\"like\":\"docker\"},"
		     "\"e\":{\"like\":\"e\"},\"dup\":{},\"dup\":{},\"fake\":{\"like\":\"docker\"}}}");
	assert_non_null(strstr(load_mistake("a"), "forms a circle"));
	assert_non_null(strstr(load_mistake("e"), "there is no backend \"e\" to start from"));
	assert_non_null(strstr(load_mistake("dup"), "this name is used twice"));
	assert_non_null(strstr(load_mistake("fake"), "taken by a native backend"));
	static const char *const mine[] = {"docker", "d"};
	for (size_t i = 0; i < 2; i++) {
		struct trm_recipe *recipe = NULL;
		struct recipe_facts facts = {0};
		assert_int_equal(trm_recipe_load(mine[i], file, &recipe, NULL), 0);
		assert_non_null(strstr(expand(recipe, STEP_DESTROY, &facts), "mine|rm|"));
		trm_recipe_free(recipe);
	}
}

static void test_words_claim_no_more_than_is_asked_for(void **state)
{
	const struct trm_limits limits = {.mem_bytes = 256u << 20, .cpus = 0.5, .procs = 64};
	char words[TRM_RECIPE_BYTES];
	struct trm_recipe *recipe = load("docker");
	(void)state;
	assert_string_equal(trm_recipe_describe_limits(recipe, &limits, words, sizeof words),
			"256 MiB memory, 0.5 cores, 64 processes, no limit for files, no network");
	assert_true(trm_recipe_takes_image(recipe));
	trm_recipe_free(recipe);
	recipe = parse("{\"user\": \"same\", \"steps\": {\"put\": [\"a\"], \"connect\": [\"a\", \"{key}\"], "
		       "\"destroy\": [\"a\"]}}");
	assert_string_equal(trm_recipe_describe_limits(recipe, &limits, words, sizeof words),
			"no limit for memory, cores, processes and files, the backend's own network");
	assert_false(trm_recipe_takes_image(recipe));
	assert_true(trm_recipe_keeps_user(recipe));
	trm_recipe_free(recipe);
}

static void note(void *user, const struct trm_recipe_entry *entry)
{
	char *line = user;
	size_t n = strlen(line);
	snprintf(line + n, 1000 - n, "%s%s%s ", entry->name, *entry->where ? strrchr(entry->where, ':') : "",
			*entry->problem ? "!" : "");
	assert_true(!entry->recipe == !!*entry->problem);
}

/* A claim names a pool or a template, or goes on. */
static void test_claims(void **state)
{
	struct trm_recipe *recipe = load("agent-sandbox");
	struct recipe_facts facts = {.value = {[FACT_NAME] = "terrarium-lab-0123abcd",
						     [FACT_UID] = "1000",
						     [FACT_SHUTDOWN_TIME] = "2026-01-31T12:00:00Z",
						     [FACT_KEY] = "0123abcd",
						     [FACT_WARM_POOL] = "tools"}};
	(void)state;
	assert_non_null(strstr(expand(recipe, STEP_CREATE, &facts), "|pool|tools|kubectl"));
	facts.value[FACT_RESUME] = "on";
	assert_non_null(strstr(expand(recipe, STEP_CREATE, &facts), "|resume|-|kubectl"));
	assert_string_equal(expand(recipe, STEP_CONNECT, &facts),
			"kubectl|exec|--stdin|--quiet|" RECIPE_LATE_PLACE "|--|" RECIPE_LATE_AGENT
			"|connect|--key|0123abcd|--start|--stay|");
	assert_false(recipe_has(recipe, STEP_ADOPT));
	assert_false(trm_recipe_takes_image(recipe));
	assert_true(trm_recipe_suspends(recipe));
	assert_non_null(strstr(
			recipe_hint(recipe,
					"no matches for kind \"SandboxClaim\" in version \"extensions.agents.x-k8s.io/v1beta1\""),
			"agent-sandbox is not installed"));
	assert_true(trm_recipe_takes(recipe, "--warm-pool", false));
	assert_false(trm_recipe_takes(recipe, "--memory", false));
	assert_true(trm_recipe_takes(recipe, "--kube-transport", false));
	trm_recipe_free(recipe);
	recipe = load("kubernetes");
	assert_false(trm_recipe_suspends(recipe));
	assert_false(trm_recipe_takes(recipe, "--template", false));
	assert_true(trm_recipe_takes(recipe, "--kube-transport", false));
	trm_recipe_free(recipe);
	recipe = load("docker");
	assert_false(trm_recipe_takes(recipe, "--kube-transport", false));
	trm_recipe_free(recipe);
}

static void test_list(void **state)
{
	char line[1000] = "";
	(void)state;
	write_config("{\"backends\":{\n\"docker\":{\"like\":\"docker\"},\n\"bad\":7,\n\"box\":{\"like\":\"podman\"}}}");
	assert_int_equal(trm_recipe_list(file, note, line, NULL), 0);
	assert_string_equal(line, "podman micromamba kubernetes agent-sandbox msb docker:2 bad:3! box:4 ");
	write_config("{");
	assert_int_equal(trm_recipe_list(file, note, line, NULL), TRM_EINVAL);
	write_config("{\"backends\":[]}");
	assert_non_null(strstr(load_mistake("docker"), "must be an object"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_built_in),
			cmocka_unit_test(test_create_the_direct_way),
			cmocka_unit_test(test_mistakes_name_place_and_reason),
			cmocka_unit_test(test_names),
			cmocka_unit_test(test_what_is_too_big),
			cmocka_unit_test(test_values_stay_within_their_arguments),
			cmocka_unit_test(test_marks_cannot_be_forged),
			cmocka_unit_test(test_several_commands),
			cmocka_unit_test(test_like),
			cmocka_unit_test(test_fields),
			cmocka_unit_test(test_places_in_a_config_file),
			cmocka_unit_test(test_chains_and_circles),
			cmocka_unit_test(test_words_claim_no_more_than_is_asked_for),
			cmocka_unit_test(test_claims),
			cmocka_unit_test(test_list),
	};
	int fd = mkstemp(file);
	if (fd < 0)
		return 1;
	close(fd);
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file);
	return r;
}
