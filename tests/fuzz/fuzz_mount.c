/* SPDX-License-Identifier: MIT */
/* Mounts, volumes of servers, and places of cp, as people and clients of the server write them. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/mount.h"
#include "fuzz/fuzz.h"
#include "server/sandboxes/launch.h"

static void check_mount(const struct trm_mount *mount)
{
	char text[TRM_HOST_PATH + TRM_INSIDE_PATH + 8], reported[256], clean[512];
	struct trm_mount again;
	if (strlen(trm_mount_format(mount, text, sizeof text)) == sizeof text - 1)
		return;
	if (trm_mount_parse(text, &again, NULL) < 0 || strcmp(again.host, mount->host) != 0
			|| strcmp(again.guest, mount->guest) != 0 || again.is_writable != mount->is_writable)
		abort();
	trm_mount_describe(mount, reported, sizeof reported);
	trm_text_clean_line(clean, sizeof clean, reported, strlen(reported));
	if (strcmp(reported, clean) != 0)
		abort();
	/* What can be a mount point is nowhere near the sandbox's own programs. */
	if (mount_check_guest(mount->guest, NULL) == 0
			&& (mount->guest[0] != '/' || strstr(mount->guest, "/../")
					|| mount_is_below(mount->guest, "/usr")
					|| mount_is_below(mount->guest, "/proc")))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct trm_mount mounts[TRM_MOUNTS_MAX], mount;
	char guest[TRM_INSIDE_PATH];
	char *text = malloc(n + 1), *copy = NULL;
	if (text) {
		memcpy(text, bytes, n);
		text[n] = '\0';
		copy = strdup(text);
	}
	if (copy) {
		if (volume_guest(copy, guest) && guest[0] != '/')
			abort();
		mount_check_env(copy, n & 1, NULL);
		if (trm_mount_parse(copy, &mount, NULL) == 0)
			check_mount(&mount);
		size_t n_mounts = mount_read_lines(text, mounts);
		for (size_t i = 0; i < n_mounts; i++)
			check_mount(&mounts[i]);
	}
	free(copy);
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("/data:/mnt/data:ro"),
		SEED("./x y:/w\n~/src:/src:rw"),
		SEED("a:b:/c"),
		SEED("data:/../etc"),
		SEED("/a:/usr/local/\x1b[2J"),
		SEED("NAME=value"),
		{NULL, 0},
};
