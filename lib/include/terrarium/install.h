/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_INSTALL_H
#define TERRARIUM_INSTALL_H

/* Install packages for the code in a sandbox: with pip for Python, with npm for JavaScript, and with the
 * command of the language's row for others. They are
 * installed among the sandbox's own files (pip: the user's site-packages in its home; npm:
 * /workspace/node_modules), so they disappear with it. The next run finds them without a restart. Modules
 * that were already imported stay as they are.
 *
 * A local sandbox without network gets packages as with is_shared (see below), if the language's row says
 * that its command can fetch them in one sandbox for another: those of pip, npm, gem, CRAN, Maven and Go.
 * Everything else needs the network of the sandbox. Downloads are kept on the host in
 * $XDG_CACHE_HOME/terrarium/packages
 * (~/.cache/…), which every local sandbox sees read-only. Data that comes from code in a sandbox is not
 * trusted:
 *  - Only a second, short-lived sandbox downloads wheels for the cache. It cannot start any process, so a
 *    package's code never runs in it. If the index provides checksums, pip verifies them at each use.
 *  - npm's archives are found by their SHA-512, which npm verifies at each use.
 *  - gem, R, Maven and Go download what was asked for and what that needs, and build nothing there. It is
 * used as it came by sandboxes without network only. A package that must be built from source is downloaded
 * and built in the sandbox itself, and not kept. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;
struct trm_lang;
struct trm_sandbox;
struct trm_install;

/* Check a package: a name, optionally with a version; never an option, a URL or a path. Python: "six",
 * "rich[jupyter]>=13,<14". JavaScript: "left-pad", "@scope/name@^1.2". TRM_EINVAL with the reason. */
int trm_package_check(const struct trm_lang *lang, const char *package, struct trm_error *reterr);

/* Libraries of a run, as a NULL-terminated list, malloc'd; *list NULL is an empty one. Names that are there
 * are not added again. Errors leave what was added. */
void trm_libraries_free(char **list); /* takes NULL */
/* Add the packages of "numpy,rich>=13,<14": a comma that a version follows belongs to the package. TRM_EINVAL
 * as trm_package_check(). */
int trm_libraries_add(char ***list, const struct trm_lang *lang, const char *text, struct trm_error *reterr);
/* Add the `dependencies` of the block that a Python script may have (PEP 723): "# /// script", lines that
 * begin with "#", "# ///". There need not be one, and other languages have none. TRM_EINVAL: it cannot be
 * read, or names what is no package, such as a URL. */
int trm_libraries_of_script(char ***list, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_error *reterr);

struct trm_result;
/* Find the package of a module that a run did not find: "pillow" for Python's "No module named 'PIL'", "ms"
 * for Node's "Cannot find module 'ms'". False: it is not that, or no name that trm_package_check() takes. */
bool trm_missing_package(const struct trm_result *result, char *package, size_t cap);
/* Is this one of the packages that everybody knows, as numpy or lodash? Behind any other name, as one that
 * was mistyped, may be a stranger's package: nobody should be told to install it without a word of caution.
 */
bool trm_package_is_known(const struct trm_lang *lang, const char *package);
/* Is this a command that installs packages ("pip install six", "python3 -m pip install six", "npm i ms")?
 * Returns the language and the names among its words, separated by blanks; NULL: it is none, or there is no
 * room. */
const struct trm_lang *trm_package_command(const char *const *argv, char *packages, size_t cap);
/* The same for a line as typed, which may begin with '!' or '%'. */
const struct trm_lang *trm_package_command_line(const char *line, char *packages, size_t cap);

/* Find the package that pip or npm says it could not fetch, as without a network, in `words` of its output.
 * NULL: there is none. */
const struct trm_lang *trm_package_refused(const char *words, char *package, size_t cap);

/* Whether apt-get says in `words` of its output that it may not write below /var/lib, as in local sandboxes,
 * where this machine's files are read-only. */
bool trm_apt_refused(const char *words);

/* Check a language. TRM_ENOTSUP with the reason why no package can be installed for it, and what to do
 * instead. */
int trm_install_supports(const struct trm_lang *lang, struct trm_error *reterr);

struct trm_install_opts {
	size_t size; /* sizeof(struct trm_install_opts), as TRM_INSTALL_OPTS_INIT sets it */
	const struct trm_lang *lang;
	const char *const *packages; /* NULL-terminated; may be NULL with `requirements` */
	/* Python: the text of a requirements file, with anything that pip understands. NULL: none. */
	const char *requirements;
	size_t requirements_len;
	/* Libraries of a run: what the sandbox has already is not asked for again. In local sandboxes pip's
	 * and npm's packages are downloaded and unpacked once for all of this machine, by another sandbox.
	 * This one needs no network; it sees them read-only, and they count neither against its files nor
	 * against its memory. The index is asked once a day. Anywhere else this is an ordinary
	 * installation, which needs the network. */
	bool is_shared;
	/* pip: newer versions of what is there, as far as the index has them; with is_shared the index is
	 * asked anew. npm installs what the index has in any case. Not for other package managers. */
	bool upgrades;
	bool net_credentials; /* as in struct trm_sandbox_opts, for downloads */
	/* "NAME=value", NULL-terminated: added to the environment of pip and npm; may be NULL. */
	const char *const *env;
	bool has_terminal; /* show progress as on a terminal of this size */
	uint16_t rows, cols;
};

#define TRM_INSTALL_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_install_opts) \
	}

struct trm_install_cb {
	/* Output of pip or npm: raw and hostile. With a terminal everything is TRM_STDOUT. */
	void (*output)(void *user, struct trm_install *install, int stream, const void *bytes, size_t n);
	/* With is_shared: the sandbox does not have all of them, and work begins. May be NULL. */
	void (*begun)(void *user, struct trm_install *install);
	/* The last callback, exactly once; the handle becomes invalid when it returns. why->code TRM_OK:
	 * installed. `exit_code` is that of pip or npm, which have printed their own error; -1 if they did
	 * not finish. TRM_ETIMEDOUT: it was ended, because next to nothing had come from the package index
	 * for a minute, and nothing had been computed. */
	void (*done)(void *user, struct trm_install *install, int exit_code, const struct trm_error *why);
};

/* Start an installation. Copies `opts`; borrows `cb`, and the sandbox, which must stay open until cb->done.
 * Later:  output, then done; never before this returns.
 * Errors: TRM_EINVAL a package's name; TRM_ENOTSUP the language, or the sandbox has no network and needs one.
 */
int trm_install_start(struct trm_sandbox *sandbox, const struct trm_install_opts *opts,
		const struct trm_install_cb *cb, void *user, struct trm_install **ret_install,
		struct trm_error *reterr);
/* Interrupt the installation, like Ctrl-C; the second call kills it. `done` follows. Takes NULL. */
void trm_install_cancel(struct trm_install *install);
/* Tell the installation the new size of the terminal. Takes NULL. */
void trm_install_resize(struct trm_install *install, uint16_t rows, uint16_t cols);

TRM_END_API

#endif
