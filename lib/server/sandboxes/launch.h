/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_LAUNCH_H
#define TRM_SERVER_SANDBOXES_LAUNCH_H

/* From the `config` of sandbox.start to a sandbox of our own: limits, mounts, environment, scripts. */

#include <terrarium/sandbox.h>

struct fleet;
struct store;
struct served;

/* Open the sandbox that served->config describes; sets served->languages. TRM_EINVAL: the config cannot be,
 * and the sentence says why. `*ret_note`, at least LAUNCH_NOTE bytes: what is accepted, but of no effect; ""
 * mostly. */
enum { LAUNCH_NOTE = 160 };
int launch_served(struct served *served, const struct trm_sandbox_cb *cb, struct trm_sandbox **ret,
		char *ret_note, struct trm_error *reterr);

/* It lives on another server, which keeps its files. */
bool launch_is_elsewhere(const struct served *served);

/* volume.c. "HOST:GUEST", "HOST:GUEST:ro", "HOST:GUEST:rw" or "PATH": the host's side is below the
 * namespace's directory (made if it is not there) or, with a full path, below one of the server's volume
 * directories. It is opened without following links where a sandbox may have put some; `path` names the
 * descriptor, and is what trm_mount.host shall be until trm_sandbox_open() has returned. */
struct volume {
	int fd; /* -1: none */
	char path[40];
	char guest[TRM_INSIDE_PATH];
	bool is_writable;
};
int volume_open(struct volume *ret, struct fleet *fleet, const char *space, const char *text,
		struct trm_error *reterr);
void volume_close(struct volume *volume);
/* Where it is seen; false: `text` is no volume. */
bool volume_guest(const char *text, char ret[TRM_INSIDE_PATH]);
/* Is `path` that directory, or below it? */
bool volume_covers(const char *dir, const char *path);

/* script.c. Write the scripts into the namespace's directory, in place of older ones; `out` is their
 * directory,
 * "" if there are none. */
int script_write(struct served *served, const char *shell, char *out, size_t cap, struct trm_error *reterr);
#define SCRIPT_GUEST "/.sandbox/scripts"

/* A folder with interpreters by names that images have and this machine may lack ("python"); made when the
 * fleet is opened. `out` is "" if none is needed. */
int script_link_all(const struct store *store, char *out, size_t cap, struct trm_error *reterr);
#define LINKS_GUEST "/.sandbox/bin"

#endif
