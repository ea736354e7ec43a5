/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_LAUNCH_H
#define TRM_SERVER_SANDBOXES_LAUNCH_H

/* From the `config` of sandbox.start to a sandbox of ours: limits, mounts, environment, scripts. */

#include <terrarium/sandbox.h>

struct fleet;
struct store;
struct served;

/* Open the sandbox that served->config describes; sets served->languages. TRM_EINVAL: the config is not
 * possible, with the reason. `*ret_note`, at least LAUNCH_NOTE bytes: parts that are accepted but have no
 * effect; usually "". */
enum { LAUNCH_NOTE = 160 };
int launch_served(struct served *served, const struct trm_sandbox_cb *cb, struct trm_sandbox **ret,
		char *ret_note, struct trm_error *reterr);

/* The options that launch_served() would open the sandbox with, for as long as the object lives. It exists,
 * and must be freed, even after an error, unless memory is short. `ret_note` as above. */
struct launching;
int launching_create(struct served *served, char *ret_note, struct launching **ret, struct trm_error *reterr);
const struct trm_sandbox_opts *launching_opts(const struct launching *launching);
void launching_free(struct launching *launching); /* accepts NULL */

/* A pool has given us this sandbox: for lists it belongs to the namespace from now on. */
void launch_join_group(const struct served *served, struct trm_sandbox *sandbox);

/* Does it live on another server, which keeps its files? */
bool launch_is_elsewhere(const struct served *served);

/* volume.c. "HOST:GUEST", "HOST:GUEST:ro", "HOST:GUEST:rw" or "PATH". The host's side lies below the
 * namespace's directory (it is made if missing) or, if it is a full path, below one of the server's
 * volume directories. Links that a sandbox may have made are not followed. `path` names the descriptor:
 * use it as trm_mount.host until trm_sandbox_open() has returned. */
struct volume {
	int fd; /* -1: none */
	char path[40];
	char guest[TRM_INSIDE_PATH];
	bool is_writable;
};
int volume_open(struct volume *ret, struct fleet *fleet, const char *space, const char *text,
		struct trm_error *reterr);
void volume_close(struct volume *volume);
/* The path inside. False: `text` is no volume. */
bool volume_guest(const char *text, char ret[TRM_INSIDE_PATH]);
/* Is `path` that directory, or below it? */
bool volume_covers(const char *dir, const char *path);

/* script.c. Write the scripts into the namespace's directory; they replace older ones. `out` is their
 * directory, "" if there are none. */
int script_write(struct served *served, const char *shell, char *out, size_t cap, struct trm_error *reterr);
#define SCRIPT_GUEST "/.sandbox/scripts"

/* A folder with interpreters under names that images have and this machine may lack ("python"). It is
 * made when the fleet is opened. `out` is "" if none is needed. */
int script_link_all(const struct store *store, char *out, size_t cap, struct trm_error *reterr);
#define LINKS_GUEST "/.sandbox/bin"

#endif
