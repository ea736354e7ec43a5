/* SPDX-License-Identifier: MIT */
/* A disk that is full, in a mount namespace of this test's own: what was there stays whole, a sentence says
 * what could not be kept, the program goes on, and what comes once there is room again is kept. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

enum { DISK_KIB = 128, PAGE = 4096, SKIPPED = 77 };

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64], state_home[100];

/* ---- the disk --------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* Who is not root becomes it in a user namespace of its own, where that is allowed. */
static bool enter(void)
{
	char map[64];

	snprintf(map, sizeof map, "0 %u 1", (unsigned)geteuid());
	if (geteuid() == 0)
		return unshare(CLONE_NEWNS) == 0;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_file("/proc/self/uid_map", map);
}

static bool make_disk(const char *more)
{
	char options[64];

	snprintf(options, sizeof options, "size=%dk,mode=700%s", DISK_KIB, more);
	return mount("none", dir, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static const char *path_of(const char *name)
{
	static char paths[4][160];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	return path;
}

/* All of the disk but so many pages. */
static void fill(size_t n_left)
{
	char page[PAGE] = {1};
	int fd = open(path_of("fill"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (write(fd, page, sizeof page) == sizeof page)
		;
	off_t end = lseek(fd, 0, SEEK_END);
	assert_int_equal(ftruncate(fd, end - (off_t)(n_left * PAGE)), 0);
	close(fd);
}

static void make_room(void)
{
	assert_int_equal(unlink(path_of("fill")), 0);
}

static void give(const char *name, size_t n)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "old %03zu\n", i % 1000);
	assert_int_equal(fclose(f), 0);
}

static char *content(const char *path)
{
	char *text = calloc(1, DISK_KIB * 1024 + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_non_null(text);
	assert_true(fd >= 0);
	assert_true(read(fd, text, DISK_KIB * 1024) >= 0);
	close(fd);
	return text;
}

/* ---- the program ------------------------------------------------------------------------ */

static void start(const char *option, const char *value)
{
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", "--restore", "off", option, value,
			NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			state_home, NULL};

	screen_start(&s, 30, 140, argv, env);
	screen_wait(&s, "idle");
}

static void leave(void)
{
	screen_send(&s, KEY_F(10));
	screen_settle(&s, 50);
	if (screen_shows(&s, "This will be lost"))
		screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
}

/* The state is kept where there is room, or on the disk. */
static void keep_state(const char *where)
{
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s", where);
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	umount2(dir, MNT_DETACH);
	assert_true(make_disk(""));
	return 0;
}

/* ---- saving ----------------------------------------------------------------------------- */

enum { OLD_LINES = 4096 }; /* whole pages: one byte more takes another one */

/* Save `name` in vain: it is as it was, nothing else lies there, and the change is still to be saved. */
static void save_in_vain(const char *name)
{
	char *old = content(path_of(name));
	struct stat before, after;

	keep_state("/tmp");
	assert_int_equal(stat(path_of(name), &before), 0);
	start(path_of(name), NULL);
	screen_wait(&s, "old 000");
	screen_send(&s, "changed ");
	screen_wait(&s, "changed old 000");
	fill(0);
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "Could not save");
	screen_wait(&s, "No space left on device");
	char *now = content(path_of(name));
	assert_string_equal(now, old);
	assert_int_equal(stat(path_of(name), &after), 0);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	screen_wait(&s, "*");
	make_room();
	screen_send(&s, "\x13");
	screen_wait(&s, "saved");
	free(now);
	now = content(path_of(name));
	assert_memory_equal(now, "changed ", 8);
	assert_int_equal(strlen(now), strlen(old) + 8);
	leave();
	free(now);
	free(old);
}

static void what_cannot_be_saved_stays_as_it_was(void **state)
{
	(void)state;
	give("a.py", OLD_LINES);
	save_in_vain("a.py");
}

/* Of a file with two names no new one may take the place. */
static void nor_is_a_file_with_two_names_cut(void **state)
{
	(void)state;
	give("a.py", OLD_LINES);
	assert_int_equal(link(path_of("a.py"), path_of("b.py")), 0);
	save_in_vain("a.py");
}

/* Not even an empty file can be made beside the old one. */
static void nor_where_no_file_can_be_made(void **state)
{
	(void)state;
	umount2(dir, MNT_DETACH);
	assert_true(make_disk(",nr_inodes=3")); /* its root's, and */
	give("a.py", OLD_LINES);
	save_in_vain("a.py"); /* "fill" */
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(what_cannot_be_saved_stays_as_it_was),
			TEST(nor_is_a_file_with_two_names_cut),
			TEST(nor_where_no_file_can_be_made),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	snprintf(dir, sizeof dir, "/tmp/terrarium-full-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	if (!enter() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !make_disk("")) {
		printf("SKIP: no mount namespace: %s\n", strerror(errno));
		rmdir(dir);
		return SKIPPED;
	}
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return n_failed;
}
