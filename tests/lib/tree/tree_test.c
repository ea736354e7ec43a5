/* SPDX-License-Identifier: MIT */
/* Trees sent and taken, without anything between; and others at work on the same files meanwhile. */
#include "cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree/sink.h"
#include "tree/source.h"

enum { MANY = 5000 };

struct place {
	char top[64];
	unsigned n_refused;
	char refused[480];
};

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	strcpy(p->top, "/tmp/terrarium-tree-XXXXXX");
	assert_non_null(mkdtemp(p->top));
	assert_int_equal(chdir(p->top), 0);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	assert_int_equal(chdir("/"), 0);
	nftw(p->top, remove_one, 32, FTW_PHYS | FTW_DEPTH);
	free(p);
	return 0;
}

static void write_file(const char *path, const char *text, int mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, (mode_t)mode), 0);
	close(fd);
}

static void on_refused(void *user, const struct trm_error *why)
{
	struct place *p = user;
	p->n_refused++;
	memcpy(p->refused, why->msg, sizeof p->refused);
}

static struct sink *sink_at(struct place *p, const char *path, const char *base)
{
	struct sink *sink;
	const struct sink_opts opts = {.path = path,
			.base = base,
			.max_bytes = UINT64_C(1) << 40,
			.max_files = 2 * MANY,
			.refused = on_refused,
			.user = p};
	assert_int_equal(sink_create(&opts, &sink, NULL), 0);
	return sink;
}

/* All frames there are, given to the sink. */
static int take(struct sink *sink, struct buf *frames, struct trm_error *why)
{
	struct frame f;
	struct entry entry;
	int r = 0;
	while (r == 0 && frame_next(frames, &f) == 1) {
		if (f.type == FRAME_DATA)
			r = sink_data(sink, f.payload, f.len, why);
		else if ((r = entry_get(&f, &entry, why)) == 0)
			r = sink_entry(sink, &entry, why);
		frame_done(frames, &f);
	}
	return r;
}

typedef void midway_fn(unsigned step);

static int copy(struct place *p, const char *from, const char *to, const char *base, midway_fn *midway,
		struct tree_sum *ret_sum, struct trm_error *why)
{
	struct source *source;
	struct sink *sink = sink_at(p, to, base);
	struct buf frames;
	uint64_t credit = UINT64_MAX;
	int r = source_create(from, 0, 0, &source, why), state = SOURCE_MORE;
	assert_int_equal(r, 0);
	buf_init(&frames, 1 << 20);
	for (unsigned step = 0; r == 0 && state == SOURCE_MORE; step++) {
		state = source_step(source, &frames, 1, &credit);
		assert_true(state >= 0);
		r = take(sink, &frames, why);
		if (midway)
			midway(step);
	}
	if (r == 0)
		assert_true(sink_is_over(sink));
	*ret_sum = *sink_sum(sink);
	buf_finish(&frames);
	source_destroy(source);
	sink_destroy(sink);
	return r;
}

static off_t size_of(const char *path)
{
	struct stat status;
	return lstat(path, &status) < 0 ? -1 : status.st_size;
}

static unsigned count_in(const char *path)
{
	unsigned n = 0;
	DIR *dir = opendir(path);
	struct dirent *row;
	while (dir && (row = readdir(dir)))
		n += row->d_name[0] != '.' || strlen(row->d_name) > 2;
	if (dir)
		closedir(dir);
	return n;
}

static void test_a_directory_without_rights_is_filled_before_it_gets_them(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	struct stat status;
	mkdir("from", 0700);
	write_file("from/f", "text", 04755);
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1000, .tv_nsec = 5}};
	utimensat(AT_FDCWD, "from", times, 0);
	chmod("from", 0500);
	assert_int_equal(copy(p, "from", "to", "from", NULL, &sum, &why), 0);
	assert_int_equal(stat("to", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0500);
	assert_true(status.st_mtim.tv_sec == 1000 && status.st_mtim.tv_nsec == 5);
	assert_int_equal(stat("to/f", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	chmod("from", 0700);
	chmod("to", 0700);
}

static void test_holes(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	struct stat status;
	write_file("f", "begin", 0600);
	assert_int_equal(truncate("f", 30 << 20), 0);
	int fd = open("f", O_WRONLY);
	assert_int_equal(pwrite(fd, "middle", 6, 10 << 20), 6);
	close(fd);
	assert_int_equal(copy(p, "f", "g", "f", NULL, &sum, &why), 0);
	assert_int_equal(stat("g", &status), 0);
	assert_int_equal(status.st_size, 30 << 20);
	assert_true(status.st_blocks * 512 < 1 << 20);
	char text[6];
	fd = open("g", O_RDONLY);
	assert_int_equal(pread(fd, text, 6, 10 << 20), 6);
	assert_memory_equal(text, "middle", 6);
	close(fd);
}

static void shrink(unsigned step)
{
	if (step == 1)
		assert_int_equal(truncate("f", 300000), 0);
}

static void grow(unsigned step)
{
	(void)step;
	int fd = open("f", O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "more", 4), 4);
	close(fd);
}

static void make_big(void)
{
	static char bytes[1000000];
	int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	memset(bytes, 'x', sizeof bytes);
	assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
	close(fd);
}

static void test_a_file_that_changes_while_it_is_read(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	make_big();
	assert_int_equal(copy(p, "f", "g", "f", shrink, &sum, &why), 0);
	assert_int_equal(size_of("g"), 300000);
	make_big();
	assert_int_equal(copy(p, "f", "g", "f", grow, &sum, &why), 0);
	assert_int_equal(size_of("g"), 1000000);
}

static void test_half_a_file_is_never_seen(void **state)
{
	struct place *p = *state;
	struct trm_error why;
	struct entry e = {.kind = ENTRY_FILE, .mode = 0600, .size = 100};
	write_file("g", "old", 0600);
	struct sink *sink = sink_at(p, "g", "f");
	assert_int_equal(sink_entry(sink, &e, &why), 0);
	assert_int_equal(sink_data(sink, "half", 4, &why), 0);
	assert_int_equal(size_of("g"), 3);
	sink_destroy(sink);
	assert_int_equal(size_of("g"), 3);
	assert_int_equal(count_in("."), 1);
	/* Killed in the middle: the same. */
	pid_t pid = fork();
	if (pid == 0) {
		sink = sink_at(p, "h", "f");
		sink_entry(sink, &e, &why);
		sink_data(sink, "half", 4, &why);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(count_in("."), 1);
}

static void test_a_limit_met_half_way(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	struct rlimit old, low;
	make_big();
	mkdir("to", 0700);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	low = old;
	low.rlim_cur = 500000;
	setrlimit(RLIMIT_FSIZE, &low);
	int r = copy(p, "f", "to", "f", NULL, &sum, &why);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(r, TRM_ETOOBIG);
	assert_non_null(strstr(why.msg, "to/f: the file is larger than the file size limit here"));
	assert_int_equal(count_in("to"), 0);
}

/* Somebody moves the directory away and puts a link to elsewhere in its place, over and over. */
static void swap(void)
{
	for (;;) {
		rename("target/d", "target/away");
		if (symlink("../outside", "target/d") == 0)
			unlink("target/d");
		rename("target/away", "target/d");
	}
}

static void test_a_directory_that_becomes_a_link(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	mkdir("outside", 0700);
	mkdir("target", 0700);
	mkdir("target/d", 0700);
	mkdir("from", 0700);
	mkdir("from/d", 0700);
	for (int i = 0; i < 20; i++) {
		char name[24];
		snprintf(name, sizeof name, "from/d/%d", i);
		write_file(name, "text", 0600);
	}
	pid_t pid = fork();
	if (pid == 0)
		swap();
	for (int i = 0; i < 500; i++)
		copy(p, "from/.", "target", "", NULL, &sum, &why);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(count_in("outside"), 0);
}

static void test_a_path_is_resolved_as_cp_does(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	struct stat status;
	write_file("f", "text", 0600);
	mkdir("dir", 0700);
	assert_int_equal(symlink("dir", "to-dir"), 0);
	assert_int_equal(symlink("old", "to-file"), 0);
	assert_int_equal(symlink("none", "to-none"), 0);
	write_file("old", "old", 0600);
	assert_int_equal(copy(p, "f", "to-dir", "f", NULL, &sum, &why), 0);
	assert_int_equal(size_of("dir/f"), 4);
	assert_int_equal(copy(p, "f", "to-file", "f", NULL, &sum, &why), 0);
	assert_int_equal(size_of("old"), 4);
	assert_int_equal(lstat("to-file", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(copy(p, "f", "to-none", "f", NULL, &sum, &why), TRM_ENOENT);
	assert_int_equal(copy(p, "f", "none/f", "f", NULL, &sum, &why), TRM_ENOENT);
	assert_int_equal(copy(p, "dir", "f", "dir", NULL, &sum, &why), TRM_EINVAL);
	assert_int_equal(copy(p, "f", "f/", "f", NULL, &sum, &why), TRM_ENOENT);
	assert_int_equal(copy(p, "f", "dir", "", NULL, &sum, &why), TRM_EINVAL);
	assert_int_equal(copy(p, "f", "/dev/null", "f", NULL, &sum, &why), TRM_EINVAL);
	assert_int_equal(copy(p, "dir", "new/", "dir", NULL, &sum, &why), 0);
	assert_int_equal(size_of("new/f"), 4);
}

static void give(struct sink *sink, enum entry_kind kind, const char *name, const char *text)
{
	struct entry e = {.kind = kind,
			.mode = kind == ENTRY_DIR ? 0755 : 0644,
			.size = kind == ENTRY_END ? strlen(text) : 0};
	struct trm_error why;
	snprintf(e.name, sizeof e.name, "%s", name);
	if (kind == ENTRY_LINK)
		snprintf(e.text, sizeof e.text, "%s", text);
	assert_int_equal(sink_entry(sink, &e, &why), 0);
	if (kind == ENTRY_FILE) {
		assert_int_equal(sink_data(sink, text, strlen(text), &why), 0);
		give(sink, ENTRY_END, "", text);
	}
}

/* As a target without heed of case has it with "A" and "a". */
static void test_two_names_that_are_one(void **state)
{
	struct place *p = *state;
	struct sink *sink = sink_at(p, "out", "out");
	give(sink, ENTRY_DIR, "", "");
	give(sink, ENTRY_FILE, "a", "first");
	give(sink, ENTRY_FILE, "a", "second, longer");
	give(sink, ENTRY_LINK, "a", "elsewhere");
	give(sink, ENTRY_DIR, "a", "");
	give(sink, ENTRY_FILE, "lost", "x");
	give(sink, ENTRY_UP, "", "");
	give(sink, ENTRY_LINK, "l", "d");
	give(sink, ENTRY_DIR, "l", "");
	give(sink, ENTRY_FILE, "lost", "x");
	give(sink, ENTRY_UP, "", "");
	give(sink, ENTRY_DIR, "d", "");
	give(sink, ENTRY_UP, "", "");
	give(sink, ENTRY_UP, "", "");
	assert_int_equal(p->n_refused, 4);
	assert_non_null(strstr(p->refused, "only case or accents differ"));
	assert_int_equal(size_of("out/a"), 5);
	assert_int_equal(count_in("out"), 3);
	assert_int_equal(count_in("out/d"), 0);
	sink_destroy(sink);
}

static void test_deep_and_odd(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	mkdir("from", 0700);
	int fd = open("from", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		int next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	write_file("from/new\nline", "1", 0600);
	write_file("from/\xff\xfe", "2", 0600);
	write_file("from/-rf ~", "3", 0600);
	mkfifo("from/fifo", 0600);
	assert_int_equal(copy(p, "from", "to", "from", NULL, &sum, &why), 0);
	assert_true(sum.dirs == 201 && sum.files == 3 && sum.refused == 1);
	assert_non_null(strstr(p->refused, "to/fifo: this is a FIFO"));
	assert_int_equal(size_of("to/\xff\xfe"), 1);
	assert_int_equal(size_of("to/new\nline"), 1);
}

static void test_many(void **state)
{
	struct place *p = *state;
	struct tree_sum sum;
	struct trm_error why;
	char name[24];
	mkdir("from", 0700);
	int fd = open("from", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "%d", i);
		close(openat(fd, name, O_WRONLY | O_CREAT, 0600));
	}
	close(fd);
	assert_int_equal(copy(p, "from", "to", "from", NULL, &sum, &why), 0);
	assert_int_equal(sum.files, MANY);
	assert_int_equal(count_in("to"), MANY);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
			T(test_a_directory_without_rights_is_filled_before_it_gets_them),
			T(test_holes),
			T(test_a_file_that_changes_while_it_is_read),
			T(test_half_a_file_is_never_seen),
			T(test_a_limit_met_half_way),
			T(test_a_directory_that_becomes_a_link),
			T(test_a_path_is_resolved_as_cp_does),
			T(test_two_names_that_are_one),
			T(test_deep_and_odd),
			T(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
