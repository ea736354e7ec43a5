/* SPDX-License-Identifier: MIT */
/* Where settings come from, and in which order. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
	int status;

	(void)state;
	assert_int_equal(mkdir(inside("closed"), 0700), 0);
	write_file("closed/terrarium", "");
	assert_int_equal(chmod(inside("closed"), 0), 0);
	setenv("XDG_CONFIG_HOME", inside("closed"), 1);
	pid_t child = fork();
	if (child == 0) {
		if (geteuid() == 0 && (chdir("/") < 0 || setgid(65534) < 0 || setuid(65534) < 0))
			_exit(1);
		_exit(strcmp(path_found(NULL, PATH_MAX), "none") != 0
				|| trm_config_load(&config, NULL, &why) < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(chmod(inside("closed"), 0700), 0);
	unlink(inside("closed/terrarium"));
	rmdir(inside("closed"));
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
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
