/* SPDX-License-Identifier: MIT */
/* Where settings come from, and in which order. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "cmocka_all.h"

static char folder[] = "/tmp/terrarium-load-XXXXXX";
static struct trm_config config;
static struct trm_error why;

static const char *inside(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(inside(name), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static uint64_t memory_mb(void)
{
	return config.limits.mem_bytes >> 20;
}

static void later_places_win(void **state)
{
	(void)state;
	size_t n;
	const struct trm_setting *rows = trm_settings(&n);
	const size_t memory = (size_t)(trm_setting_find("memory") - rows);
	struct trm_config_origin *origins = calloc(n, sizeof *origins);
	assert_non_null(origins);
	assert_int_equal(trm_config_load_from(&config, NULL, origins, NULL, &why), 0); /* no file at all */
	assert_int_equal(origins[memory].from, TRM_FROM_DEFAULT);
	write_file("terrarium/config.json", "{\n \"memory\": 100 }");
	assert_int_equal(trm_config_load_from(&config, NULL, origins, NULL, &why), 0);
	assert_int_equal(memory_mb(), 100);
	assert_int_equal(origins[memory].from, TRM_FROM_FILE);
	assert_int_equal(origins[memory].line, 2);
	write_file(".env", "\n\nTERRARIUM_MEMORY=200\n");
	assert_int_equal(trm_config_load_from(&config, NULL, origins, NULL, &why), 0);
	assert_int_equal(memory_mb(), 200);
	assert_int_equal(origins[memory].from, TRM_FROM_DOTENV);
	assert_int_equal(origins[memory].line, 3);
	setenv("TERRARIUM_MEMORY", "300", 1);
	assert_int_equal(trm_config_load_from(&config, NULL, origins, NULL, &why), 0);
	assert_int_equal(memory_mb(), 300);
	assert_int_equal(origins[memory].from, TRM_FROM_ENVIRONMENT);
	setenv("TERRARIUM_MEMORY", "", 1); /* an empty one sets nothing, but hides that of .env */
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
	assert_int_equal(memory_mb(), 100);
	setenv("TERRARIUM_MEMORY", "much", 1);
	assert_int_equal(trm_config_load(&config, NULL, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "TERRARIUM_MEMORY"));
	free(origins);
}

static void a_named_file_must_be_there(void **state)
{
	(void)state;
	char path[200];
	assert_int_equal(trm_config_load(&config, inside("none.json"), &why), TRM_ENOENT);
	assert_non_null(strstr(why.msg, "none.json"));
	setenv("TERRARIUM_CONFIG", inside("none.json"), 1);
	assert_int_equal(trm_config_load(&config, NULL, &why), TRM_ENOENT);
	write_file("mine.json", "{ \"memory\": 400 }");
	setenv("TERRARIUM_CONFIG", inside("mine.json"), 1);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
	assert_int_equal(memory_mb(), 400);
	assert_true(trm_config_path(NULL, path, sizeof path));
	assert_string_equal(path, inside("mine.json"));
	assert_false(trm_config_path(NULL, path, 10));
	setenv("TERRARIUM_CONFIG", "", 1); /* as if unset */
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
}

static void only_files_are_read(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(inside("pipe"), 0600), 0);
	assert_int_equal(trm_config_load(&config, inside("pipe"), &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "not a regular file"));
	assert_int_equal(trm_config_load(&config, folder, &why), TRM_EINVAL);
	write_file("big.json", "{}");
	assert_int_equal(truncate(inside("big.json"), (1 << 20) + 1), 0);
	assert_int_equal(trm_config_load(&config, inside("big.json"), &why), TRM_ETOOBIG);
	assert_non_null(strstr(why.msg, "larger than 1 MiB"));
	assert_int_equal(unlink(inside("pipe")), 0);
}

/* Some name the folder of their Python environment so. */
static void a_dotenv_that_is_a_folder_is_not_ours(void **state)
{
	(void)state;
	unlink(inside(".env"));
	assert_int_equal(mkdir(inside(".env"), 0700), 0);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
	assert_int_equal(rmdir(inside(".env")), 0);
}

static void the_folder_is_found_by_the_environment(void **state)
{
	(void)state;
	char path[200];
	assert_true(trm_config_path(NULL, path, sizeof path));
	assert_string_equal(path, inside("terrarium/config.json"));
	setenv("XDG_CONFIG_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	assert_true(trm_config_path(NULL, path, sizeof path));
	assert_string_equal(path, "/home/me/.config/terrarium/config.json");
	unsetenv("HOME");
	assert_false(trm_config_path(NULL, path, sizeof path));
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
}

static void options_follow_from_settings(void **state)
{
	(void)state;
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	struct trm_session_opts session;
	write_file("o.json",
			"{ \"name\": \"lab\", \"workdir\": \"/w\", \"mount\": [\"/tmp:/a\", \"/usr:/b:rw\"],\n"
			"\"env\": [\"A=1\", \"B=2\"], \"memory_alert\": \"interrupt\", \"kube_transport\": \"exec\" }");
	assert_int_equal(trm_config_load(&config, inside("o.json"), &why), 0);
	trm_config_sandbox_opts(&config, &lists, &opts);
	assert_string_equal(opts.name, "lab");
	assert_string_equal(opts.workdir, "/w");
	assert_int_equal(opts.n_mounts, 2);
	assert_string_equal(opts.mounts[1].guest, "/b");
	assert_false(opts.mounts[0].is_writable);
	assert_true(opts.mounts[1].is_writable);
	assert_int_equal(opts.n_env, 2);
	assert_string_equal(opts.env[1], "B=2");
	assert_int_equal(opts.server.join, TRM_REMOTE_JOIN_OR_START);
	assert_string_equal(opts.container.kube.transport, "exec");
	assert_null(opts.container.image);
	trm_config_session_opts(&config, &session);
	assert_int_equal(session.memory_alert, TRM_MEMORY_INTERRUPT);
	trm_config_default(&config);
	static const enum trm_memory_alert wanted[] = {TRM_MEMORY_TELL, TRM_MEMORY_IGNORE};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(trm_config_set(&config, trm_setting_find("memory_alert"), i ? "off" : "ask",
						 "", &why),
				0);
		trm_config_session_opts(&config, &session);
		assert_int_equal(session.memory_alert, wanted[i]);
	}
	trm_config_sandbox_opts(&config, &lists, &opts);
	assert_null(opts.name);
	assert_int_equal(opts.n_mounts, 0);
	assert_int_equal(opts.server.join, TRM_REMOTE_START);
	assert_null(opts.container.kube.transport);
}

static void lists_for_servers_and_engines_follow(void **state)
{
	(void)state;
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	char text[600];
	write_file("greet.sh", "echo hi");
	snprintf(text, sizeof text,
			"{ \"volume\": [\"/a:/b\", \"/c:/d\"], \"port\": [\"80:8080\"], \"script\": [\"greet=%s\"],\n"
			"\"engine_arg\": [\"--init\", \"--pull=never\"], \"image\": \"debian\", \"from\": \"web\",\n"
			"\"ca_file\": \"/ca\", \"shell\": \"/bin/sh\" }",
			inside("greet.sh"));
	write_file("o.json", text);
	assert_int_equal(trm_config_load(&config, inside("o.json"), &why), 0);
	trm_config_sandbox_opts(&config, &lists, &opts);
	assert_int_equal(opts.server.n_volumes, 2);
	assert_string_equal(opts.server.volumes[1], "/c:/d");
	assert_int_equal(opts.server.n_ports, 1);
	assert_int_equal(opts.server.n_scripts, 1);
	assert_string_equal(opts.server.scripts[0].name, "greet");
	assert_string_equal(opts.server.ca_file, "/ca");
	assert_int_equal(opts.container.n_engine_args, 2);
	assert_string_equal(opts.container.engine_args[1], "--pull=never");
	assert_string_equal(opts.container.image, "debian");
	assert_string_equal(opts.from, "web");
	unlink(inside("greet.sh"));
}

/* Rows of a program beside those of the library. */
static void a_program_has_settings_of_its_own(void **state)
{
	static struct {
		char color[20];
	} mine;
	static const struct trm_setting rows[25] = {{"color", "--color", 0, "TERRARIUM_COLOR", "NAME", "red",
			TRM_SETTING_TEXT, 0, 0, false, false, "", 0, sizeof mine.color}};
	struct trm_config_origin origin;
	struct trm_program_settings own = {.rows = rows, .n = 1, .fields = &mine, .origins = &origin};
	(void)state;
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), 0);
	assert_string_equal(mine.color, "red");
	assert_int_equal(origin.from, TRM_FROM_DEFAULT);
	write_file("terrarium/config.json", "{ \"color\": \"blue\" }");
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), 0);
	assert_string_equal(mine.color, "blue");
	assert_int_equal(origin.from, TRM_FROM_FILE);
	setenv("TERRARIUM_COLOR", "green", 1);
	own.origins = NULL;
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), 0);
	assert_string_equal(mine.color, "green");
	setenv("TERRARIUM_COLOR", "a color whose name is too long", 1);
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), TRM_EINVAL);
	unsetenv("TERRARIUM_COLOR");
	write_file("terrarium/config.json", "{ \"colour\": \"blue\" }");
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), TRM_EINVAL);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0); /* it may be another program's */
	own.n = 10000;
	assert_int_equal(trm_config_load_from(&config, NULL, NULL, &own, &why), TRM_ETOOBIG);
}

static void what_is_wrong_in_a_file_has_its_place(void **state)
{
	(void)state;
	write_file("terrarium/config.json", "{ \"memory\": }");
	assert_int_equal(trm_config_load(&config, NULL, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "config.json:1:"));
	unlink(inside("terrarium/config.json"));
	write_file(".env", "A=1\nTERRARIUM_MEMORY=much\n");
	assert_int_equal(trm_config_load(&config, NULL, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, ".env:2:"));
	write_file(".env", "TERRARIUM_MEMORY=64\n");
	assert_int_equal(truncate(inside(".env"), (1 << 20) + 1), 0);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0); /* it is no file of settings */
}

/* Variables of servers count, too; a path that does not fit is as none. */
static void the_environment_has_its_own_ways(void **state)
{
	static char longest[PATH_MAX + 100];
	(void)state;
	setenv("MSB_SERVER_URL", "http://127.0.0.1:7", 1);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
	assert_string_equal(config.server_url, "http://127.0.0.1:7");
	unsetenv("MSB_SERVER_URL");
	memset(longest, 'x', sizeof longest - 1);
	longest[0] = '/';
	setenv("XDG_CONFIG_HOME", longest, 1);
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
	assert_true(trm_config_load(&config, longest, &why) < 0);
	longest[300] = '\0'; /* too long for the name of a folder */
	setenv("XDG_CONFIG_HOME", longest, 1);
	assert_true(trm_config_load(&config, NULL, &why) < 0);
	setenv("XDG_CONFIG_HOME", inside("mine.json"), 1); /* a file where a folder should be */
	write_file("mine.json", "{}");
	assert_int_equal(trm_config_load(&config, NULL, &why), 0);
}

static const char *path_found(const char *named, size_t cap)
{
	static char out[PATH_MAX];
	return trm_config_path(named, out, cap) ? out : "none";
}

static void the_path_of_the_config_can_be_asked_for(void **state)
{
	(void)state;
	setenv("TERRARIUM_CONFIG", "/named", 1);
	assert_string_equal(path_found("/given", PATH_MAX), "/given");
	assert_string_equal(path_found(NULL, PATH_MAX), "/named");
	assert_string_equal(path_found("/given", 6), "none"); /* it does not fit */
	setenv("TERRARIUM_CONFIG", "", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent/x", 1);
	setenv("HOME", "/nonexistent/h", 1);
	assert_string_equal(path_found(NULL, PATH_MAX), "/nonexistent/x/terrarium/config.json");
	assert_string_equal(path_found("", PATH_MAX), "/nonexistent/x/terrarium/config.json");
	assert_string_equal(path_found(NULL, 20), "none");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_string_equal(path_found(NULL, PATH_MAX), "/nonexistent/h/.config/terrarium/config.json");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "", 1);
	assert_string_equal(path_found(NULL, PATH_MAX), "none");
	unsetenv("HOME");
	assert_string_equal(path_found(NULL, PATH_MAX), "none");
	assert_int_equal(trm_config_load(&config, NULL, &why), 0); /* there is none */
}

/* HOME may be another user's, as with setpriv, or sudo without -H. */
static void a_closed_home_has_no_config(void **state)
{
	(void)state;
	bool is_root = geteuid() == 0;
	assert_int_equal(mkdir(inside("closed"), 0700), 0);
	write_file("closed/terrarium", "");
	assert_int_equal(chmod(inside("closed"), 0), 0);
	setenv("XDG_CONFIG_HOME", inside("closed"), 1);
	assert_true(!is_root || setresuid(65534, 65534, 0) == 0);
	const char *found = path_found(NULL, PATH_MAX);
	int r = trm_config_load(&config, NULL, &why);
	assert_true(!is_root || setresuid(0, 0, 0) == 0);
	assert_string_equal(found, "none");
	assert_int_equal(r, 0);
	assert_int_equal(chmod(inside("closed"), 0700), 0);
	unlink(inside("closed/terrarium"));
	rmdir(inside("closed"));
}

/* The kernel's files tell a size that they do not have, and some cannot be read at all. */
static void what_cannot_be_read_is_an_error(void **state)
{
	(void)state;
	assert_true(trm_config_load(&config, "/sys/class/net/lo/mtu", &why) < 0);
	assert_true(trm_config_load(&config, "/sys/class/net/lo/phys_port_id", &why) < 0);
}

/* Fill a list with `n` texts. */
static void fill(char *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcpy(list + 2 * i, "x", 2);
	list[2 * n] = '\0';
}

static void lists_end_where_they_are_cut_or_full(void **state)
{
	(void)state;
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	for (size_t n = 1; n < 3; n++) {
		trm_config_default(&config);
		fill(config.mounts, n);
		fill(config.scripts, 1);
		trm_config_sandbox_opts(&config, &lists, &opts);
		assert_int_equal(opts.n_mounts, 0);
		assert_int_equal(opts.server.n_scripts, 0);
	}
	fill(config.mounts, 3 * TRM_MOUNTS_MAX + 3);
	fill(config.scripts, 2 * TRM_REMOTE_LIST_MAX + 2);
	fill(config.ports, TRM_REMOTE_LIST_MAX + 1);
	trm_config_sandbox_opts(&config, &lists, &opts);
	assert_int_equal(opts.n_mounts, TRM_MOUNTS_MAX);
	assert_int_equal(opts.server.n_scripts, TRM_REMOTE_LIST_MAX);
	assert_int_equal(opts.server.n_ports, TRM_REMOTE_LIST_MAX);
}

static int begin(void **state)
{
	(void)state;
	unsetenv("TERRARIUM_CONFIG");
	unsetenv("TERRARIUM_MEMORY");
	setenv("XDG_CONFIG_HOME", folder, 1);
	unlink(inside(".env"));
	unlink(inside("terrarium/config.json"));
	return 0;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && mkdir(inside("terrarium"), 0700) == 0 && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	static const char *const names[] = {
			".env", "terrarium/config.json", "mine.json", "big.json", "o.json"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(inside(names[i]));
	rmdir(inside("terrarium"));
	return chdir("/") == 0 ? rmdir(folder) : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup(later_places_win, begin),
			cmocka_unit_test_setup(the_path_of_the_config_can_be_asked_for, begin),
			cmocka_unit_test_setup(a_closed_home_has_no_config, begin),
			cmocka_unit_test_setup(a_named_file_must_be_there, begin),
			cmocka_unit_test_setup(only_files_are_read, begin),
			cmocka_unit_test_setup(a_dotenv_that_is_a_folder_is_not_ours, begin),
			cmocka_unit_test_setup(the_folder_is_found_by_the_environment, begin),
			cmocka_unit_test_setup(options_follow_from_settings, begin),
			cmocka_unit_test_setup(lists_for_servers_and_engines_follow, begin),
			cmocka_unit_test_setup(a_program_has_settings_of_its_own, begin),
			cmocka_unit_test_setup(what_is_wrong_in_a_file_has_its_place, begin),
			cmocka_unit_test_setup(the_environment_has_its_own_ways, begin),
			cmocka_unit_test_setup(what_cannot_be_read_is_an_error, begin),
			cmocka_unit_test_setup(lists_end_where_they_are_cut_or_full, begin),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
