/* SPDX-License-Identifier: MIT */
#ifndef TRM_INSTALL_ROOM_H
#define TRM_INSTALL_ROOM_H

/* The inside of this room. Theory of operation:
 *
 * recipe.c knows what runs in a sandbox for each language: a script of ours (pip.py, npm.js) that starts pip
 * or npm. fetch.c opens the downloader, a second sandbox like the first, and lets pip fetch wheels there.
 * harvest.c brings what was fetched out of a sandbox, cache.c puts it into the cache. opts.c says whether it
 * can be done, and install.c is the order of these things. Languages without a script of ours have a command
 * in their row, which is run as it is. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/loop.h>
#include <terrarium/sandbox.h>

#include "base/buf.h"
#include "base/cachedir.h"
#include "embed/embed.h"
#include "sandbox/sandbox.h"

/* ---- name.c ------------------------------------------------------------------------ */

/* Only names with versions, as trm_package_check() takes them: a downloader may have them. */
bool requirements_are_plain(const char *text, size_t n);

/* ---- recipe.c ---------------------------------------------------------------------- */

struct recipe {
	const char *tool;             /* the language's package manager: "pip" */
	const char *program, *option; /* of an interpreter, that takes a script, a verb and arguments */
	struct embed (*script)(void);
	bool has_fetcher; /* what it fetches is only believed if it comes from a downloader */
	bool has_sets;    /* it can unpack for the cache, and use what is there */
	/* In a sandbox: where the files lie that `list` names. One name a line, of the form is_name() checks;
	 * in the cache it stands below `folder`. */
	const char *folder, *inside;
	/* A first part of the name that is no part of the path inside; in the list it comes first, alone. */
	bool has_group;
	bool (*is_name)(const char *name);
	uint64_t file_max, total_max; /* bytes of one, and of all that are taken at once */
	/* The language's row says what installs (kernel_spec.installer), in the sandbox itself; nothing is
	 * kept. */
	bool is_of_row;
};

enum { REQUIREMENTS_MAX = 1024 * 1024, ARGUMENTS_MAX = 512, GROUP_SIZE = 16 + 1, SET_NAME = 32 + 1 };
#define REQUIREMENTS_INSIDE "/tmp/.terrarium-requirements.txt"

/* The command of a row, with the word {package} in it; NULL: it has none. */
const char *const *recipe_command(const struct trm_lang *lang);
/* NULL: nothing can be installed for it. */
const struct recipe *recipe_for(const struct trm_lang *lang);

/* ---- tool.c: pip or npm, in one sandbox ---------------------------------------------- */

struct tool_opts {
	const struct trm_lang *lang;
	const struct recipe *recipe;
	char **packages;
	size_t n_packages;  /* at most ARGUMENTS_MAX */
	char *requirements; /* NULL: none */
	size_t requirements_len;
	char **env; /* NULL: nothing to be added */
	bool has_terminal;
	uint16_t rows, cols;
	char group[GROUP_SIZE]; /* "put": which one of the cache to install from */
	char set[SET_NAME];     /* "use": which one of the cache; "": none */
	bool upgrades;          /* pip: also what is there */
	bool wants_set;         /* the downloader unpacks what it has fetched */
};

/* What the tool said, as far as it matters to us: bits of `seen`. */
enum tool_phrase {
	TOOL_WANTS_BUILD,
	TOOL_NOT_REACHED,
	TOOL_NO_ANSWER,
	TOOL_NOT_FOUND,
	TOOL_NO_SPACE,
	TOOL_NO_SPACE_NPM,
	TOOL_STALLED /* ended, because nothing more came: see stall.c */
};
enum { TOOL_TAIL_BYTES = 64 };

struct tool_cb {
	void (*output)(void *user, int stream, const void *bytes, size_t n);
	/* Once, the last; not from inside tool_start(). exit_code -1: it did not come to an end, for `why`.
	 */
	void (*done)(void *user, int exit_code, unsigned seen, const struct trm_error *why);
};

struct tool;
/* Borrows `opts` and `cb`; the sandbox must stay until `done`. */
int tool_start(struct trm_sandbox *sandbox, const char *verb, const struct tool_opts *opts,
		const struct tool_cb *cb, void *user, struct tool **ret, struct trm_error *reterr);
/* SIGINT; from the second time on it is killed. `done` follows. */
void tool_interrupt(struct tool *tool);
/* The size that is now in its options. */
void tool_resize(struct tool *tool);

/* ---- stall.c: an index that hangs ------------------------------------------------------------- */

enum { STALL_S = 60 };

struct stall {
	struct trm_sandbox *sandbox; /* NULL: it is not looked at */
	struct sandbox_observer observer;
	struct trm_sample mark; /* when something was last going on */
	void (*stalled)(void *user);
	void *user;
};

/* `stalled` every few seconds once nothing has been going on in the sandbox for STALL_S. It must not end
 * the stall. */
void stall_begin(struct stall *stall, struct trm_sandbox *sandbox, void (*stalled)(void *user), void *user);
void stall_end(struct stall *stall); /* also of a zeroed one */

/* ---- opts.c: what was asked for ------------------------------------------------------------ */

/* Can these packages be installed in this sandbox? 0, or a code with the reason. */
int install_check(struct trm_sandbox *sandbox, const struct trm_install_opts *opts, struct trm_error *reterr);
/* The sandbox has no network, so that its packages come from the shared cache, or not at all. */
bool install_is_shared_only(const struct trm_sandbox *sandbox, const struct trm_install_opts *opts);
/* Copy the packages, the variables and the requirements. False: out of memory; finish it all the same. */
bool tool_opts_copy(struct tool_opts *to, const struct trm_install_opts *from);
void tool_opts_finish(struct tool_opts *opts);

/* ---- fetch.c: the downloader ------------------------------------------------------------ */

struct fetch;
/* Fetch wheels into the cache, in a sandbox with the network that `like` has, or would have. tool_cb.done
 * comes when that is gone; opts->group then is where they are, or "" if not all of them came there. With
 * wants_set, opts->set is the one in the cache; without one it has failed. */
int fetch_start(struct trm_sandbox *like, bool has_credentials, struct tool_opts *opts,
		const struct tool_cb *cb, void *user, struct fetch **ret, struct trm_error *reterr);
void fetch_interrupt(struct fetch *fetch);
void fetch_resize(struct fetch *fetch); /* as tool_resize() */

/* ---- cache.c: files in the host's cache --------------------------------------------------- */

struct cache_file {
	int dir_fd, fd; /* -1: not open */
	char temporary[64];
	char name[256];
};

bool cache_has(const char *folder, const char *name);
/* A new file below the cache's folder; seen under its name only after cache_file_end(). `name` is a relative
 * path whose parts are made as needed. TRM_E… with a sentence. */
int cache_file_begin(struct cache_file *file, const char *folder, const char *name, struct trm_error *reterr);
int cache_file_write(struct cache_file *file, const void *bytes, size_t n, struct trm_error *reterr);
int cache_file_end(struct cache_file *file, bool keep, struct trm_error *reterr);
/* Delete what has not been used for longest, when it has all become too much. */
void cache_prune(void);

/* ---- set.c: unpacked libraries in the cache -------------------------------------------------- */

/* The set that came for these packages, of this day unless `is_any_age`. It is looked at: a damaged one does
 * not count. */
bool set_find(const struct tool_opts *opts, bool is_any_age, char ret[SET_NAME]);
/* opts->set is what has come for these packages now. */
void set_note(const struct tool_opts *opts);
bool set_is_name(const char *name); /* 32 hexadecimal digits */
bool set_is_whole(const char *name);
/* An empty folder that set_end() makes a set; until then it is set_remove()'s. */
int set_begin(char folder[CACHEDIR_PATH], struct trm_error *reterr);
int set_end(const char *folder, const char *name, struct trm_error *reterr);
void set_remove(const char *folder);

/* A file for locking out others who fetch the same packages; false: there is no cache, or no room. */
bool set_lock_path(const struct tool_opts *opts, char path[CACHEDIR_PATH]);

/* ---- turn.c: one after the other ---------------------------------------------------------------- */

struct turn {
	int fd; /* the lock; -1: we do not have it */
	char path[CACHEDIR_PATH];
};

void turn_init(struct turn *turn);
/* False: somebody else on this machine fetches these packages now. Try again a moment later. */
bool turn_take(struct turn *turn, const struct tool_opts *opts);
void turn_end(struct turn *turn); /* also of one that we do not have */

/* ---- take.c: a set, out of a downloader into the cache ----------------------------------------- */

struct take;
typedef void take_done_fn(void *user, const char *set, const struct trm_error *why); /* set "": for `why` */
/* `done` exactly once, later. The sandbox must stay until then. */
int take_start(struct trm_sandbox *sandbox, take_done_fn *done, void *user, struct take **ret,
		struct trm_error *reterr);
void take_stop(struct take *take); /* `done` follows */

/* ---- record.c: what a sandbox has -------------------------------------------------------------- */

#define RECORD_INSIDE "/tmp/.terrarium-libraries"
enum { RECORD_MAX = 64 * 1024 };

/* Are all packages in it? The text is the sandbox's: who makes it lie finds out at the import. */
bool record_has(const char *text, size_t n, const struct trm_lang *lang, char *const *packages);
/* Add them, in place of other versions of the same. TRM_ETOOBIG, TRM_ENOMEM. */
int record_add(struct buf *record, const struct trm_lang *lang, char *const *packages);

/* ---- harvest.c: what was fetched, out of a sandbox into the cache ----------------------------- */

struct harvest;
/* `group`: of all that was listed; "" if not all of that is in the cache now, or it has none. */
typedef void harvest_done_fn(void *user, const char *group);

/* Everything that is new; what fails is left out, as the cache is only for speed. `done` exactly once, later.
 * The sandbox must stay until then. */
int harvest_start(struct trm_sandbox *sandbox, const struct recipe *recipe, harvest_done_fn *done, void *user,
		struct harvest **ret, struct trm_error *reterr);
/* Take nothing more; `done` follows. */
void harvest_stop(struct harvest *harvest);

#endif
