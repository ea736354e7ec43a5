/* SPDX-License-Identifier: MIT */
/* session.copy_to_runtime("project", "/workspace/deep/project")
 * session.copy_from_runtime("/workspace/result.txt", "result.txt")
 * data, stat = session.get_archive("/workspace/deep")
 *
 * Argument: the folder to copy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <terrarium/terrarium.h>

static int copy_in_and_run(struct trm_sync *session, const char *folder, struct trm_error *why)
{
	struct trm_execution result = {0};
	/* Folders above it are made; a target with ".." is refused. */
	int r = trm_sync_put_tree(session, folder, "deep/project", why);
	if (r == 0)
		r = trm_sync_run(session,
				"import os\n"
				"names = sorted(os.listdir('deep/project'))\n"
				"open('result.txt', 'w').write(' '.join(names))\n",
				&result, why);
	trm_execution_finish(&result);
	return r;
}

static int copy_out(struct trm_sync *session, struct trm_error *why)
{
	char *bytes;
	size_t n;
	int r = trm_sync_get(session, "result.txt", 1 << 20, &bytes, &n, why);
	if (r < 0)
		return r;
	printf("result.txt: %s (%zu bytes)\n", bytes, n);
	free(bytes);
	return 0;
}

static int list_archive(struct trm_sync *session, struct trm_error *why)
{
	struct trm_archive archive;
	int r = trm_sync_archive(session, "deep", 1 << 20, &archive, why);
	for (size_t i = 0; r == 0 && i < archive.n_entries; i++)
		if (archive.entries[i].kind == TRM_ARCHIVE_FILE)
			printf("%s: %" PRIu64 " bytes, mode %o\n", archive.entries[i].name,
					archive.entries[i].size, archive.entries[i].mode);
	trm_archive_finish(&archive);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	bool is_good = argc == 2 && trm_sync_create(&opts, &session, &why) == 0
		       && trm_sync_start(session, &why) == 0 && copy_in_and_run(session, argv[1], &why) == 0
		       && copy_out(session, &why) == 0 && list_archive(session, &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", argc == 2 ? why.msg : "name a folder");
	trm_sync_destroy(session);
	return !is_good;
}
