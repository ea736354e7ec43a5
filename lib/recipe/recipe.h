/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_H
#define TRM_RECIPE_H

/* What a carrier does with a recipe: put facts into its steps, and read what its commands print.
 *
 * A command is an argument vector, a step one or several of them that are run in order. In memory: strings,
 * each ended by NUL, and an empty string between commands ("docker\0rm\0" "\0" "docker\0rmi\0…"). So no
 * argument is ever empty: one that turns out so is an error. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/recipe.h>

struct buf;
struct trm_error;

enum recipe_step {
	STEP_PROBE,    /* does it work here? Its stderr is the reason why not */
	STEP_WHERE,    /* prints the engine's address; anything but unix:// is another machine's */
	STEP_PLATFORM, /* prints os/architecture of the engine (linux/amd64) */
	STEP_IMAGE,    /* prints os/architecture, user, id, working directory, entry point and command (the
			  last two as JSON) of {image}; fails: it is not here */
	STEP_PULL,     /* fetches {image} */
	STEP_BUILD,    /* makes {tag} from {dockerfile} and {context} */
	STEP_IMAGE_REMOVE, /* removes {image} */
	STEP_CREATE,  /* makes the sandbox; prints its id in the last line. Not there: the id is {name} */
	STEP_PUT,     /* the agent's way in when it is not shared; reads it on stdin: recipe_put_reads() */
	STEP_START,   /* starts what was created */
	STEP_CONNECT, /* its stdin and stdout are the stream to the agent */
	STEP_INSPECT, /* prints state, exit code, out of memory and error */
	STEP_ADOPT,   /* prints state, user, id, image and network of {container} */
	STEP_WAKE,    /* starts {container}, which is stopped */
	STEP_COMMIT,  /* makes the image {tag} of the sandbox */
	STEP_SPARE,   /* renames it to {name}-kept: its commit has failed */
	STEP_DESTROY, /* removes it with all that belongs to it; no mistake if it is gone already */
	STEP_RELEASE, /* ends our agent in {container}, which is left as it was */
	STEP_LIST, /* prints what we made: id, supervisor, state, name there, our name, owner, image; a line
		      each */
	STEP_LIST_ALL, /* prints what else runs: id, name, image, state; a line each */
	STEP_COUNT
};
const char *recipe_step_name(enum recipe_step step);

/* What placeholders stand for; NULL or "" is not set. The comments have the placeholder where it is not the
 * word itself. */
enum recipe_fact {
	FACT_NAME, /* of what is made there; unique */
	FACT_IMAGE,
	FACT_CONTAINER, /* an existing one: its name or id as it was given */
	FACT_MEMORY_MB, /* {memory_mb}; likewise the others */
	FACT_MEMORY_BYTES,
	FACT_CPUS, /* "0.5" */
	FACT_PROCS,
	FACT_DISK_MB,
	FACT_FILE_BYTES,
	FACT_OPEN_FILES,
	FACT_NET,       /* "on": it has a network */
	FACT_READ_ONLY, /* "on": its root is to be read-only */
	FACT_ROOT,      /* "on": what runs in it stays root, with what roots may do there */
	FACT_USER,
	FACT_UID,
	FACT_WORKDIR,
	FACT_AGENT, /* host path of the agent file */
	FACT_SHARE, /* host directory of the door; not set: the exec way */
	FACT_KEY,   /* of the agent, for connect and stop */
	FACT_TAG,
	FACT_DOCKERFILE,
	FACT_CONTEXT,
	FACT_PLATFORM,
	/* What STEP_IMAGE has told, for a commit that is to leave it so; not set where it has none. */
	FACT_IMAGE_USER,
	FACT_IMAGE_WORKDIR,
	FACT_IMAGE_ENTRYPOINT, /* JSON, as the next */
	FACT_IMAGE_CMD,
	FACT_COUNT
};

/* Known only when the sandbox is made; whoever runs the commands puts them in. In arguments they are these
 * texts, which occur in them for nothing else (a fact with byte 1 in it is refused). */
#define RECIPE_LATE_ID "\1id\1"                 /* {id} */
#define RECIPE_LATE_SUPERVISOR "\1supervisor\1" /* {supervisor}: who looks after it */

/* How the name of everything that we make begins (PLAN_NAME_PREFIX of wire/plan.h). */
#define RECIPE_NAME_PREFIX "terrarium-"

struct recipe_mount {
	const char *host, *guest; /* {mount.host} {mount.guest} */
	bool is_writable;         /* "if": "mount.writable" */
};

/* Borrowed during recipe_expand(). All zero is good. */
struct recipe_facts {
	const char *value[FACT_COUNT];
	const char *const *env; /* "NAME=value": {env}, {env.name}, {env.value} */
	size_t n_env;
	const struct recipe_mount *mounts;
	size_t n_mounts;
	const char *const *labels; /* "name=value": {label}, {label.name}, {label.value} */
	size_t n_labels;
	const char *const *options; /* of the agent: {option} */
	size_t n_options;
};

enum { RECIPE_EXPANDED_MAX = 512 << 10 }; /* bytes of a step */

/* A recipe is shared by counting: recipe_ref() takes one more, trm_recipe_free() drops one. It never changes
 * once it is loaded. */
struct trm_recipe *recipe_ref(const struct trm_recipe *recipe);

bool recipe_has(const struct trm_recipe *recipe, enum recipe_step step);
/* Does the step mention a placeholder or a condition of this name ("share", "memory_mb", "mount", "id")? */
bool recipe_uses(const struct trm_recipe *recipe, enum recipe_step step, const char *word);
/* The same, without what stands behind {"if": UNTRUE}. */
bool recipe_uses_without(
		const struct trm_recipe *recipe, enum recipe_step step, const char *word, const char *untrue);
/* What "put" reads on stdin: the agent itself, or a tar archive with it as ".terrarium/agent". */
bool recipe_puts_tar(const struct trm_recipe *recipe);
/* Nobody is asked for by default: code runs as whoever the commands get there as. */
bool recipe_keeps_user(const struct trm_recipe *recipe);
/* Append where code starts by default, ended by NUL; nothing if the recipe has no word on it. */
int recipe_workdir(const struct trm_recipe *recipe, const struct recipe_facts *facts, struct buf *out,
		struct trm_error *reterr);
uint32_t recipe_timeout_ms(const struct trm_recipe *recipe); /* of a step that does not fetch or build */
/* Words for people who read what a command said on stderr: what to do; NULL: nothing is known. Borrowed. */
const char *recipe_hint(const struct trm_recipe *recipe, const char *words);
/* Variables for its commands, "NAME=value" each ended by NUL, in front of the caller's own: appended. */
int recipe_env(const struct trm_recipe *recipe, struct buf *out, struct trm_error *reterr);

/* Append the step's commands to `out`, in the form above. A step that is not there appends nothing. Errors:
 * TRM_EINVAL a placeholder that the step needs is not set, or an argument comes out empty (naming recipe,
 * step and placeholder); TRM_ETOOBIG; TRM_ENOMEM. `out` is then as it was. */
int recipe_expand(const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts,
		struct buf *out, struct trm_error *reterr);

/* Fields of a line that a step has printed, apart by tabs; "" where it has fewer. `line` is cut into pieces,
 * from which the fields borrow. */
void recipe_fields(char *line, const char **ret_fields, size_t n);

#endif
