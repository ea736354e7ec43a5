/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_INSTALL_H
#define TERRARIUM_INSTALL_H

/* Install packages for the code in a sandbox: with pip for Python, with npm for JavaScript, and with the
 * command of the language's row for others, of which nothing is cached. They are
 * installed among the sandbox's own files (pip: the user's site-packages in its home; npm:
 * /workspace/node_modules), so they disappear with it. The next run finds them without a restart. Modules
 * that were already imported stay as they are.
 *
 * The sandbox needs the network. Downloads are kept on the host in $XDG_CACHE_HOME/terrarium/packages
 * (~/.cache/…), which every sandbox with a network sees read-only. Data that comes from code in a sandbox
 * is not trusted:
 *  - Only a second, short-lived sandbox downloads wheels for the cache. It cannot start any process, so a
 *    package's code never runs in it. If the index provides checksums, pip verifies them at each use.
 *  - npm's archives are found by their SHA-512, which npm verifies at each use.
 * A package that must be built from source is downloaded and built in the sandbox itself, and not kept. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;
struct trm_lang;
struct trm_sandbox;
struct trm_install;

/* Check a package: a name, optionally with a version; never an option, a URL or a path. Python: "six",
 * "rich[jupyter]>=13,<14". JavaScript: "left-pad", "@scope/name@^1.2". TRM_EINVAL with the reason. */
int trm_package_check(const struct trm_lang *lang, const char *package, struct trm_error *reterr);

/* Check a language. TRM_ENOTSUP with the reason why no package can be installed for it, and what to do
 * instead. */
int trm_install_supports(const struct trm_lang *lang, struct trm_error *reterr);

struct trm_install_opts {
	const struct trm_lang *lang;
	const char *const *packages; /* NULL-terminated; may be NULL with `requirements` */
	/* Python: the text of a requirements file, with anything that pip understands. NULL: none. */
	const char *requirements;
	size_t requirements_len;
	bool net_credentials; /* as in struct trm_sandbox_opts, for downloads */
	/* "NAME=value", NULL-terminated: added to the environment of pip and npm; may be NULL. */
	const char *const *env;
	bool has_terminal; /* show progress as on a terminal of this size */
	uint16_t rows, cols;
};

struct trm_install_cb {
	/* Output of pip or npm: raw and hostile. With a terminal everything is TRM_STDOUT. */
	void (*output)(void *user, struct trm_install *install, int stream, const void *bytes, size_t n);
	/* The last callback, exactly once; the handle becomes invalid when it returns. why->code TRM_OK:
	 * installed. `exit_code` is that of pip or npm, which have printed their own error; -1 if they did
	 * not finish. */
	void (*done)(void *user, struct trm_install *install, int exit_code, const struct trm_error *why);
};

/* Start an installation. Copies `opts`; borrows `cb`, and the sandbox, which must stay open until cb->done.
 * Later:  output, then done; never before this returns.
 * Errors: TRM_EINVAL a package's name; TRM_ENOTSUP the language, or the sandbox has no network. */
int trm_install_start(struct trm_sandbox *sandbox, const struct trm_install_opts *opts,
		const struct trm_install_cb *cb, void *user, struct trm_install **ret_install,
		struct trm_error *reterr);
/* Interrupt the installation, like Ctrl-C; the second call kills it. `done` follows. Takes NULL. */
void trm_install_cancel(struct trm_install *install);
/* Tell the installation the new size of the terminal. Takes NULL. */
void trm_install_resize(struct trm_install *install, uint16_t rows, uint16_t cols);

#endif
