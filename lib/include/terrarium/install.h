/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_INSTALL_H
#define TERRARIUM_INSTALL_H

/* Packages for the code in a sandbox: pip's for Python, npm's for JavaScript. They are put where the
 * sandbox's own files are (pip: the user's site-packages in its home; npm: /workspace/node_modules), so they
 * end with it, and code finds them in the next run, without a restart. What was imported before stays as it
 * is.
 *
 * The sandbox needs the network. What was fetched is kept on the host in $XDG_CACHE_HOME/terrarium/packages
 * (~/.cache/…) and shown to every sandbox with network, read-only. What code in a sandbox hands out is not
 * believed:
 *  - Wheels come into the cache from a second, short-lived sandbox only, that fetches and cannot start any
 *    process, so that no package's code ever runs in it. Where the index gives sums, pip compares them at
 * each use.
 *  - npm's archives are found by their SHA-512, which npm compares at each use.
 * What must be built from source is fetched and built in the sandbox itself, and not kept. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;
struct trm_lang;
struct trm_sandbox;
struct trm_install;

/* 0, or TRM_EINVAL with the reason: what is a package's name with, perhaps, its version; never an option, a
 * URL or a path. Python: "six", "rich[jupyter]>=13,<14". JavaScript: "left-pad", "@scope/name@^1.2". */
int trm_package_check(const struct trm_lang *lang, const char *package, struct trm_error *reterr);

/* 0, or TRM_ENOTSUP with the reason why nothing can be installed for a language, and what to do instead. */
int trm_install_supports(const struct trm_lang *lang, struct trm_error *reterr);

struct trm_install_opts {
	const struct trm_lang *lang;
	const char *const *packages; /* NULL-terminated; may be NULL with `requirements` */
	/* Python: the text of a requirements file, which may hold whatever pip understands. NULL: none. */
	const char *requirements;
	size_t requirements_len;
	bool net_credentials; /* as in struct trm_sandbox_opts, for fetching */
	/* "NAME=value", NULL-terminated: added to the environment of pip and npm; may be NULL. */
	const char *const *env;
	bool has_terminal; /* show progress as on a terminal of this size */
	uint16_t rows, cols;
};

struct trm_install_cb {
	/* What pip or npm print, as it comes: raw and hostile. With a terminal all is TRM_STDOUT. */
	void (*output)(void *user, struct trm_install *install, int stream, const void *bytes, size_t n);
	/* Last callback, exactly once; the handle dies when it returns. why->code TRM_OK: installed.
	 * `exit_code` is that of pip or npm, whose own words were the output; -1 where they did not come to
	 * an end. */
	void (*done)(void *user, struct trm_install *install, int exit_code, const struct trm_error *why);
};

/* Begin to install. Copies `opts`; borrows `cb`, and the sandbox, which must stay open until cb->done.
 * Later:  output, then done; never before this returns.
 * Errors: TRM_EINVAL a package's name; TRM_ENOTSUP the language, or the sandbox has no network. */
int trm_install_start(struct trm_sandbox *sandbox, const struct trm_install_opts *opts,
		const struct trm_install_cb *cb, void *user, struct trm_install **ret_install,
		struct trm_error *reterr);
/* Interrupt it, as by Ctrl-C; the second time it is killed. `done` follows. Takes NULL. */
void trm_install_cancel(struct trm_install *install);
/* The terminal has another size now. Takes NULL. */
void trm_install_resize(struct trm_install *install, uint16_t rows, uint16_t cols);

#endif
