/* SPDX-License-Identifier: MIT */
/* The page of sandboxes asks the container engines and looks into a container. A shell script is the engine,
 * and this machine the container. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};
static char dir[] = "/tmp/terrarium-containers-XXXXXX";

static const char toy[] = "#!/bin/sh\n"
			  "echo \"$*\" >>\"$HOME/log\"\n"
			  "case $1 in\n"
			  "list) printf '0a1b\\tweb\\tsome:image\\trunning\\n' ;;\n"
			  "adopt) printf 'running\\t\\t0a1b\\tsome:image\\n' ;;\n"
			  "put) cat >\"$HOME/agent\" && chmod +x \"$HOME/agent\" ;;\n"
			  "connect) exec \"$HOME/agent\" connect --key \"$2\" -- ;;\n"
			  "release) exec \"$HOME/agent\" stop --key \"$2\" --remove ;;\n"
			  "esac\n";
static const char config[] =
		"{\"backends\": {\"toy\": {\"program\": \"toy\", \"put_reads\": \"agent\", \"steps\": {"
		"\"list_all\": [\"toy\", \"list\"],"
		"\"adopt\": [\"toy\", \"adopt\", \"{container}\"],"
		"\"put\": [\"toy\", \"put\", \"{id}\"],"
		"\"connect\": [\"toy\", \"connect\", \"{key}\"],"
		"\"release\": [\"toy\", \"release\", \"{key}\", \"{id}\"],"
		"\"destroy\": [\"toy\", \"destroy\", \"{id}\"]}},"
		"\"stuck\": {\"program\": \"sh\", \"steps\": {\"list_all\": [\"sh\", \"-c\", \"sleep 1000\"],"
		"\"connect\": [\"sh\", \"{agent}\", \"{key}\"], \"destroy\": [\"sh\"]}},"
		"\"sour\": {\"program\": \"sh\", \"steps\": {"
		"\"list_all\": [\"sh\", \"-c\", \"echo no daemon here >&2; exit 1\"],"
		"\"connect\": [\"sh\", \"{agent}\", \"{key}\"], \"destroy\": [\"sh\"]}}}}";

static void put(const char *name, const char *text, mode_t mode)
{
	char path[200];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static bool has_file(const char *name)
{
	char path[200];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static unsigned times_logged(const char *word)
{
	char path[200], line[200];
	unsigned n = 0;

	snprintf(path, sizeof path, "%s/log", dir);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		n += strncmp(line, word, strlen(word)) == 0;
	if (f)
		fclose(f);
	return n;
}

static bool is_logged(const char *word)
{
	return times_logged(word) > 0;
}

static char config_path[200];

static void start(const char *first, const char *second)
{
	char path[200];
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};
	const char *argv[] = {program, first, second, "--config", config_path, NULL};

	snprintf(path, sizeof path, "%s:/usr/bin:/bin", dir);
	setenv("PATH", path, 1);
	setenv("HOME", dir, 1);
	snprintf(config_path, sizeof config_path, "%s/config.json", dir);
	put("toy", toy, 0700);
	/* Whatever is installed here plays no part. */
	put("docker", "#!/bin/sh\n", 0700);
	put("podman", "#!/bin/sh\n", 0700);
	put("config.json", config, 0600);
	screen_start(&s, 24, 80, argv, env);
}

static void a_container_is_looked_into(void **state)
{
	(void)state;
	start("--backend", "fake");
	screen_wait(&s, "idle");
	screen_send(&s, KEY_F(8));
	screen_wait(&s, "o other containers");
	assert_false(is_logged("list"));
	screen_send(&s, "o");
	screen_wait(&s, "asking the container engines");
	/* An engine hangs: the keys do what they do. */
	screen_send(&s, KEY_F(1));
	screen_wait(&s, "In the list of sandboxes");
	screen_send(&s, "\033");
	screen_wait(&s, "toy:web                           running    some:image");
	screen_wait(&s, "sour cannot list its containers: no daemon here");
	screen_wait(&s, "stuck cannot list its containers: it does not answer within 3 s");
	screen_send(&s, "\033[F\033[A\033[A\r");
	screen_wait(&s, "is copied into the container web (toy;");
	screen_send(&s, "c"); /* Cancel */
	screen_wait_gone(&s, "is copied into");
	assert_false(is_logged("put"));
	screen_send(&s, "\r");
	screen_wait(&s, "is copied into the container web (toy;");
	screen_send(&s, "\r");
	screen_wait(&s, "inside toy:web");
	screen_wait(&s, "processes");
	screen_wait(&s, "of a core"); /* it is measured */
	assert_true(has_file("agent"));
	screen_send(&s, "\033");
	screen_wait(&s, "o other containers");
	screen_send(&s, "\033");
	screen_wait_gone(&s, "o other containers");
	assert_int_equal(screen_leave(&s), 0);
	assert_true(is_logged("release"));
	assert_false(is_logged("destroy"));
	assert_false(has_file("agent"));
}

/* "New sandbox" goes into the same container once more: its name is no image. Nobody is told of limits and of
 * a network that were not asked for. */
static void a_container_that_was_attached_to_is_gone_into_again(void **state)
{
	char command[600];

	(void)state;
	start("--backend", "fake");
	screen_wait(&s, "idle");
	snprintf(command, sizeof command,
			"'%s' exec --config '%s' --keep --name kept --backend toy --container web -- true",
			program, config_path);
	assert_int_equal(system(command), 0);
	assert_int_equal(screen_leave(&s), 0);
	unsigned adopted = times_logged("adopt");

	start("attach", "kept");
	screen_wait(&s, "idle");
	screen_send(&s, "7");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "Container");
	assert_true(screen_shows(&s, "the container's own"));
	assert_true(screen_shows(&s, "ON: that of toy"));
	screen_send(&s, "c");
	screen_wait_gone(&s, "the backend's own network");
	screen_send(&s, "\020new sandbox\r");
	screen_wait(&s, "Start a new sandbox?");
	screen_send(&s, "n");
	screen_wait(&s, "a new sandbox: ");
	screen_wait(&s, "idle");
	assert_int_equal(times_logged("adopt"), adopted + 1);
	assert_int_equal(screen_leave(&s), 0);
	assert_false(is_logged("destroy"));
}

static int abandon(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

static int clean(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(a_container_is_looked_into, abandon),
			cmocka_unit_test_teardown(
					a_container_that_was_attached_to_is_gone_into_again, abandon),
	};

	if (argc < 2 || !mkdtemp(dir))
		return 1;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, clean);
}
