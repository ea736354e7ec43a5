/* SPDX-License-Identifier: MIT */
/* Entries of a folder as a tar stream, when there is no room for them. */
#include <string.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "cmocka_all.h"
#include "sandbox/copy.h"

/* To go on after half a header would make a header of what a file contains. */
static void a_full_backlog_is_an_error(void **state)
{
	struct copy_tar tar;
	struct buf out;
	struct trm_error why;
	struct entry folder = {.kind = ENTRY_DIR, .name = ""},
		     file = {.kind = ENTRY_FILE, .name = "f", .size = 512};
	(void)state;
	for (size_t room = 512; room < 1024; room += 100) {
		buf_init(&out, room);
		copy_tar_init(&tar, "d");
		assert_int_equal(copy_tar_entry(&tar, &out, &folder, &why), 0);
		assert_int_equal(copy_tar_entry(&tar, &out, &file, &why), TRM_ETOOBIG);
		assert_non_null(strstr(why.msg, "too slowly"));
		buf_finish(&out);
	}
}

/* Its contents are left out, too. */
static void a_path_that_is_too_long_is_left_out(void **state)
{
	static char base[COPY_TAR_PATH - 10];
	struct copy_tar tar;
	struct buf out;
	struct trm_error why;
	struct entry folder = {.kind = ENTRY_DIR, .name = ""}, file = {.kind = ENTRY_FILE, .size = 5},
		     end = {.kind = ENTRY_END, .name = ""};
	(void)state;
	memset(base, 'n', sizeof base - 1);
	memset(file.name, 'f', 100);
	buf_init(&out, 1 << 20);
	copy_tar_init(&tar, base);
	assert_int_equal(copy_tar_entry(&tar, &out, &folder, &why), 0);
	size_t before = out.len;
	assert_int_equal(copy_tar_entry(&tar, &out, &file, &why), COPY_TAR_REFUSED);
	assert_int_equal(copy_tar_data(&tar, &out, "bytes", 5, &why), 0);
	assert_int_equal(copy_tar_entry(&tar, &out, &end, &why), 0);
	assert_int_equal(out.len, before);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_full_backlog_is_an_error),
			cmocka_unit_test(a_path_that_is_too_long_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
