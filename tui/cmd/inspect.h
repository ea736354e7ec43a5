/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_INSPECT_H
#define TUI_CMD_INSPECT_H

/* Everything that is known of one sandbox, and how `terrarium inspect` prints it. */

#include <stddef.h>

#include <terrarium/config.h>
#include <terrarium/registry.h>

enum { INSPECT_MOUNTS = 64, INSPECT_GUARDS = 24, INSPECT_PROCESSES = 256 };

struct inspect_mount {
	char path[96], type[24],
			source[96]; /* as seen inside; `source`: on the host, "" where it has none there */
	bool is_writable;
	uint64_t size_bytes; /* 0: no limit of its own */
};

struct inspect {
	struct trm_config config;
	bool is_far;            /* at a server: then the entry says little, and there are no wishes */
	struct trm_entry entry; /* as it was before we came */
	struct trm_requested requested;
	struct trm_guard guards[INSPECT_GUARDS];
	size_t n_guards;
	struct inspect_mount mounts[INSPECT_MOUNTS];
	size_t n_mounts;
	bool has_mounts;
	struct trm_metrics metrics; /* its processes point below */
	struct trm_process processes[INSPECT_PROCESSES];
};

/* One line of mountinfo (proc_pid_mountinfo(5)); false: it is none, or of no interest. `line` is changed. */
bool inspect_parse_mount(char *line, struct inspect_mount *ret);

int inspect_print_text(const struct inspect *x); /* exit codes */
int inspect_print_json(const struct inspect *x);

#endif
