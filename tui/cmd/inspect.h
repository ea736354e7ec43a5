/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_INSPECT_H
#define TUI_CMD_INSPECT_H

/* Everything that is known about one sandbox, and how `terrarium inspect` prints it. */

#include <stddef.h>

#include <terrarium/config.h>
#include <terrarium/registry.h>

enum { INSPECT_MOUNTS = 64, INSPECT_GUARDS = 24, INSPECT_PROCESSES = 256 };

struct inspect_mount {
	char path[96], type[24], source[96]; /* path inside; `source`: path on the host, "" if it has none */
	bool is_writable;
	uint64_t size_bytes; /* 0: no limit of its own */
};

struct inspect {
	struct trm_config config;
	bool is_far; /* on a server: the entry has few fields, and the requested options are unknown */
	struct trm_entry entry; /* its state before this program attached */
	struct trm_requested requested;
	struct trm_guard guards[INSPECT_GUARDS];
	size_t n_guards;
	struct inspect_mount mounts[INSPECT_MOUNTS];
	size_t n_mounts;
	bool has_mounts;
	struct trm_metrics metrics; /* its processes are in the array below */
	struct trm_process processes[INSPECT_PROCESSES];
};

/* Parse one line of mountinfo (proc_pid_mountinfo(5)), changing `line`. False: the line is invalid or not of
 * interest. */
bool inspect_parse_mount(char *line, struct inspect_mount *ret);

int inspect_print_text(const struct inspect *x); /* both return an exit code */
int inspect_print_json(const struct inspect *x);

#endif
