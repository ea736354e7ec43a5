/* SPDX-License-Identifier: MIT */
/* Colors, keys, panes and messages: what makes the workbench one's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char home[] = "/tmp/terrarium-comfort-XXXXXX", config_home[80], state_home[80];

static void start(int rows, int cols, const char *const *more)
{
	const char *argv[8] = {program, "--backend", backend};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor", config_home,
			state_home, NULL};

	for (int i = 0; more && more[i]; i++)
		argv[3 + i] = more[i];
	screen_start(&s, rows, cols, argv, env);
	screen_wait(&s, "idle");
}

/* Put a file under the home, through another name as editors do. */
static void put_file(const char *path, const char *text)
{
	char whole[256], other[300];

	snprintf(whole, sizeof whole, "%s/%s", home, path);
	snprintf(other, sizeof other, "%s~", whole);
	FILE *f = fopen(other, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(rename(other, whole), 0);
}

static uint32_t ground_at(int row, int col)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
	vterm_screen_convert_color_to_rgb(s.vts, &cell.bg);
	return (uint32_t)cell.bg.rgb.red << 16 | (uint32_t)cell.bg.rgb.green << 8 | cell.bg.rgb.blue;
}

static void wait_ground(int row, int col, uint32_t want)
{
	double end = screen_now_ms() + SCREEN_DEADLINE_MS;

	while (ground_at(row, col) != want && screen_now_ms() < end)
		screen_wait_quiet(&s, 20);
	assert_int_equal(ground_at(row, col), want);
}

static void reads_a_changed_theme_again(void **state)
{
	static const char *const args[] = {"--theme", "mine", NULL};

	(void)state;
	put_file("terrarium/themes/mine.json",
			"{\"inherits\": \"dark\", \"roles\": {\"text\": {\"bg\": \"#102030\"}}}");
	start(24, 110, args);
	wait_ground(20, 60, 0x102030);
	put_file("terrarium/themes/mine.json",
			"{\"inherits\": \"dark\", \"roles\": {\"text\": {\"bg\": \"#302010\"}}}");
	wait_ground(20, 60, 0x302010);
	screen_wait(&s, "was read again");
	put_file("terrarium/themes/mine.json",
			"{\"inherits\": \"dark\",\n\"roles\": {\n\"titel\": \"#fff\",\n"
			"\"text\": {\"bg\": \"#203010\"}}}");
	wait_ground(20, 60, 0x203010);
	screen_send(&s, KEY_F(4));
	screen_wait(&s, ":1: unknown role \"titel\"");
	screen_send(&s, "\x1b");
	put_file("terrarium/themes/mine.json", "{\"inherits\": ");
	screen_send(&s, KEY_F(4));
	screen_wait(&s, "this is not JSON");
	screen_send(&s, "\x1b");
	wait_ground(20, 60, 0x203010);
	assert_int_equal(screen_leave(&s), 0);
}

static void starts_with_a_broken_theme(void **state)
{
	static const char *const args[] = {"--theme", "broken", NULL};

	(void)state;
	put_file("terrarium/themes/broken.json", "{\"roles\": {\"text\": \"#zzz\"");
	start(24, 100, args);
	screen_send(&s, KEY_F(4));
	screen_wait(&s, "broken.json:1:");
	screen_wait(&s, "\"dark\" stands in");
	screen_send(&s, "\x1b");
	assert_int_equal(screen_leave(&s), 0);
}

static void choose_theme(const char *first_letters)
{
	screen_send(&s, KEY_F(3));
	screen_wait(&s, "projector");
	screen_send(&s, first_letters);
	screen_wait_quiet(&s, 100);
	screen_send(&s, "\r");
	screen_wait_gone(&s, "projector");
}

/* Theme, borders and commands are found again; another theme in the settings beats the one remembered. */
static void remembers_what_was_chosen(void **state)
{
	static const char *const light[] = {"--theme", "light", NULL};

	(void)state;
	start(36, 120, NULL);
	choose_theme("o");
	wait_ground(20, 20, 0x0f1c2b);
	screen_send(&s, "\x1b[<0;20;18M\x1b[<32;20;26M\x1b[<0;20;26m");
	screen_wait_quiet(&s, 100);
	screen_send(&s, "\x10repaint\r");
	screen_wait_quiet(&s, 100);
	assert_int_equal(screen_leave(&s), 0);
	start(36, 120, NULL);
	wait_ground(20, 20, 0x0f1c2b);
	assert_non_null(strstr(screen_text(&s), "├─ output"));
	const char *line = screen_text(&s);
	for (int row = 0; row < 25; row++)
		line = strchr(line, '\n') + 1;
	assert_int_equal(strncmp(line, "├─ output", strlen("├─ output")), 0);
	screen_send(&s, "\x10");
	screen_wait(&s, "▸ Repaint");
	screen_send(&s, "\x1b");
	assert_int_equal(screen_leave(&s), 0);
	start(36, 120, light);
	wait_ground(20, 20, 0xfbfaf6);
	assert_int_equal(screen_leave(&s), 0);
	put_file("terrarium/config.json", "{\"theme\": \"dusk\"}");
	start(36, 120, NULL);
	wait_ground(20, 20, 0x211a26);
	assert_int_equal(screen_leave(&s), 0);
	put_file("terrarium/config.json", "{}");
}

/* The set of keys and single keys of the config; what is wrong with it is told, and no hindrance. */
static void keys_are_those_of_the_config(void **state)
{
	(void)state;
	put_file("terrarium/config.json",
			"{\"keymap\": \"emacs\",\n\"keys\": {\"f9\": \"messages\", \"f13\": \"help\"}}");
	start(36, 120, NULL);
	screen_send(&s, KEY_F(9));
	screen_wait(&s, "config.json:2:");
	screen_wait(&s, "\"f13\" is not a key");
	screen_send(&s, "\x07"); /* ^G */
	screen_wait_gone(&s, "newest first");
	screen_send(&s, "hello\x01\x0b\x19\x19"); /* ^A ^K ^Y ^Y */
	screen_wait(&s, "1 hellohello");
	screen_send(&s, "\x18"
			"1");
	screen_wait(&s, "zoomed");
	screen_send(&s, "\x18"
			"1");
	screen_wait_gone(&s, "zoomed");
	screen_send(&s, "\x18\x03"); /* ^X ^C */
	screen_wait(&s, "Quit");
	screen_wait_quiet(&s, 50);
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
	put_file("terrarium/config.json", "{}");
}

static int after(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

static int make_home(void **state)
{
	static const char *const folders[] = {"terrarium", "terrarium/themes"};
	char path[128];

	(void)state;
	if (!mkdtemp(home))
		return -1;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s/%s", home, folders[i]);
		mkdir(path, 0755);
	}
	snprintf(config_home, sizeof config_home, "XDG_CONFIG_HOME=%s", home);
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/state", home);
	return 0;
}

static int remove_home(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	return system(command) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(reads_a_changed_theme_again, after),
			cmocka_unit_test_teardown(remembers_what_was_chosen, after),
			cmocka_unit_test_teardown(keys_are_those_of_the_config, after),
			cmocka_unit_test_teardown(starts_with_a_broken_theme, after),
	};

	if (argc != 3) {
		fprintf(stderr, "usage: %s PROGRAM BACKEND\n", argv[0]);
		return 2;
	}
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, make_home, remove_home);
}
