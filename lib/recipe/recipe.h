/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_H
#define TRM_RECIPE_H

/* What a carrier does with a recipe: put facts into its steps, and read the output of its commands.
 *
 * A command is an argument vector; a step is one or several commands that are run in order. In memory a
 * step is a sequence of strings, each ended by NUL, with an empty string between commands ("docker\0rm\0"
 * "\0" "docker\0rmi\0…"). So an empty argument is not possible, and is an error. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/recipe.h>

struct buf;
struct trm_error;

enum recipe_step {
	STEP_PROBE,    /* does it work here? Its stderr is the reason why not */
	STEP_WHERE,    /* prints the engine's address; anything but unix:// is on another machine */
	STEP_PIN,      /* prints the context and the namespace that its program uses if none is given */
	STEP_MANIFEST, /* prints {pod_manifest} as JSON */
	STEP_PLATFORM, /* prints os/architecture of the engine (linux/amd64) */
	STEP_IMAGE, /* prints os/architecture, user, id, working directory, entry point and command (the last
		       two as JSON) of {image}; fails if the image is not here */
	STEP_PULL,  /* fetches {image} */
	STEP_BUILD, /* makes {tag} from {dockerfile} and {context} */
	STEP_IMAGE_REMOVE, /* removes {image} */
	STEP_CREATE, /* makes the sandbox; prints its id in the last line. Without output the id is {name} */
	STEP_PUT,    /* copies the agent in, if it is not shared; gets it on stdin: recipe_put_reads() */
	STEP_START,  /* starts the created sandbox */
	/* Prints lines like those of STEP_INSPECT while the sandbox starts, until one of them says that it
	 * runs ("running") or has failed (any state but "waiting"). Two more fields may follow: {place}, and
	 * {agent_path} if the agent is there already; then STEP_PUT is left out. It runs before STEP_PUT if
	 * that does not make the sandbox and there is no STEP_START. */
	STEP_READY,
	STEP_CONNECT, /* its stdin and stdout are the stream to the agent */
	STEP_INSPECT, /* prints state, exit code, out of memory and error */
	STEP_ADOPT,   /* prints state, user, id, image and network of {container} */
	STEP_WAKE,    /* starts {container} if it is stopped */
	STEP_COMMIT,  /* makes the image {tag} from the sandbox */
	STEP_SPARE,   /* renames the sandbox to {name}-kept, because its commit has failed */
	STEP_DESTROY, /* removes the sandbox and everything that belongs to it; succeeds if it is gone already
		       */
	STEP_SUSPEND, /* instead of destroying: has the engine keep the sandbox until {resume} */
	STEP_RELEASE, /* ends our agent in {container}, which stays as it was */
	STEP_LIST, /* lists our sandboxes, one per line: id, supervisor, state, name there, our name, owner,
		      image */
	STEP_LEFT, /* lists sandboxes that wait for another server, one per line: name there, supervisor, the
		      text that the server gave it, {key}, version of its manifest */
	STEP_TAKE, /* instead of creating: makes {supervisor} the supervisor of such a sandbox */
	STEP_DOCTOR,   /* prints further findings, one per line: what, "ok" or "weak", words, advice */
	STEP_LIST_ALL, /* lists the other containers, one per line: id, name, image, state */
	STEP_COUNT
};
const char *recipe_step_name(enum recipe_step step);

/* The values of placeholders; NULL or "" is not set. A comment shows the placeholder if its name differs. */
enum recipe_fact {
	FACT_NAME, /* of the new sandbox there; unique */
	FACT_IMAGE,
	FACT_CONTAINER, /* an existing container: its name or id as the user gave it */
	FACT_MEMORY_MB, /* {memory_mb}; the others likewise */
	FACT_MEMORY_BYTES,
	FACT_CPUS, /* "0.5" */
	FACT_PROCS,
	FACT_DISK_MB,
	FACT_FILE_BYTES,
	FACT_OPEN_FILES,
	FACT_NET,       /* "on": it has a network */
	FACT_READ_ONLY, /* "on": its root is to be read-only */
	FACT_ROOT,      /* "on": its processes stay root, with root's capabilities */
	FACT_USER,
	FACT_UID,
	FACT_WORKDIR,
	FACT_AGENT, /* host path of the agent file */
	FACT_SHARE, /* host directory of the handoff socket; not set: the exec way */
	FACT_KEY,   /* of the agent, for connect and stop */
	FACT_TAG,
	FACT_DOCKERFILE,
	FACT_CONTEXT,
	FACT_PLATFORM,
	/* From STEP_IMAGE, so that a commit can restore them; not set if the image has none. */
	FACT_IMAGE_USER,
	FACT_IMAGE_WORKDIR,
	FACT_IMAGE_ENTRYPOINT, /* JSON, as the next */
	FACT_IMAGE_CMD,
	FACT_RUNTIME,     /* OCI runtime; not set: the engine's default */
	FACT_ENVIRONMENT, /* of micromamba */
	/* For Kubernetes; not set: what its program chooses. */
	FACT_KUBE_CONTEXT,
	FACT_KUBE_NAMESPACE,
	FACT_SERVICE_ACCOUNT,
	FACT_RUNTIME_CLASS,
	FACT_POD_MANIFEST,  /* a file */
	FACT_POD,           /* of an existing container POD/CONTAINER */
	FACT_POD_CONTAINER, /* of that container, or of ours */
	/* For agent-sandbox. */
	FACT_WARM_POOL,
	FACT_TEMPLATE,
	FACT_RESUME,        /* "on": "create" goes on with a suspended sandbox, and prints its id */
	FACT_AGENT_NAME,    /* of the agent file without its folder: agent-HASH */
	FACT_SHUTDOWN_TIME, /* when the engine itself ends the sandbox: 2026-01-31T12:00:00Z */
	FACT_COUNT
};

/* Values that are known only once the sandbox is made; the program that runs the commands inserts them.
 * In arguments they are these texts, which occur nowhere else (a fact with byte 1 in it is refused). */
#define RECIPE_LATE_ID "\1id\1"                 /* {id} */
#define RECIPE_LATE_SUPERVISOR "\1supervisor\1" /* {supervisor}: its identity */
#define RECIPE_LATE_PLACE "\1place\1"           /* {place}: where it runs, as "ready" tells it; else {id} */
#define RECIPE_LATE_AGENT "\1agent\1" /* {agent_path}: as "ready" tells it, or the last line of "put" */

/* The prefix of the names of everything that we make (PLAN_NAME_PREFIX of wire/plan.h). */
#define RECIPE_NAME_PREFIX "terrarium-"

struct recipe_mount {
	const char *host, *guest; /* {mount.host} {mount.guest} */
	bool is_writable;         /* "if": "mount.writable" */
};

/* Borrowed during recipe_expand(). All zero is valid. */
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
	const char *const *engine_args; /* {engine_arg} */
	size_t n_engine_args;
};

enum { RECIPE_EXPANDED_MAX = 512 << 10 }; /* bytes of a step */

/* Recipes are reference-counted: recipe_ref() adds a reference, trm_recipe_free() drops one. A recipe
 * never changes after it is loaded. */
struct trm_recipe *recipe_ref(const struct trm_recipe *recipe);

bool recipe_has(const struct trm_recipe *recipe, enum recipe_step step);
/* Does the step mention a placeholder or a condition of this name ("share", "memory_mb", "mount", "id")? */
bool recipe_uses(const struct trm_recipe *recipe, enum recipe_step step, const char *word);
/* The same, ignoring everything inside {"if": UNTRUE}. */
bool recipe_uses_without(
		const struct trm_recipe *recipe, enum recipe_step step, const char *word, const char *untrue);
/* What the step "put" reads on its standard input. */
enum recipe_put {
	RECIPE_PUT_AGENT, /* the agent's program */
	RECIPE_PUT_TAR,   /* a tar archive that has it as ".terrarium/agent" */
	/* The manifest of a pod that has it (backend/recipe/pod.h); of an existing pod, the program. Such a
	 * step makes the sandbox, so questions about the placeholders of "create" are answered for it. */
	RECIPE_PUT_POD,
};
enum recipe_put recipe_put_reads(const struct trm_recipe *recipe);
/* Whether its sandboxes are pods, which kubectl reaches. */
bool recipe_is_of_cluster(const struct trm_recipe *recipe);
/* No user is requested by default: code runs as the user that the commands run as there. */
bool recipe_keeps_user(const struct trm_recipe *recipe);
/* Append the default directory of code, ended by NUL; nothing if the recipe does not set one. */
int recipe_workdir(const struct trm_recipe *recipe, const struct recipe_facts *facts, struct buf *out,
		struct trm_error *reterr);
uint32_t recipe_timeout_ms(const struct trm_recipe *recipe); /* of steps that neither fetch nor build */
/* Advice for people about an error message of a command; NULL: none. Borrowed. */
const char *recipe_hint(const struct trm_recipe *recipe, const char *words);
/* Append the variables for its commands, "NAME=value" each ended by NUL. They take precedence over the
 * caller's. */
int recipe_env(const struct trm_recipe *recipe, struct buf *out, struct trm_error *reterr);

/* Append the step's commands to `out`, in the form above; nothing for a missing step. Errors: TRM_EINVAL
 * if a required placeholder is not set, or an argument becomes empty (the message names recipe, step and
 * placeholder); TRM_ETOOBIG; TRM_ENOMEM. On an error `out` is unchanged. */
int recipe_expand(const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts,
		struct buf *out, struct trm_error *reterr);

/* Split a line that a step has printed into fields separated by tabs; "" for missing ones. `line` is cut
 * into pieces, from which the fields borrow. */
void recipe_fields(char *line, const char **ret_fields, size_t n);

#endif
