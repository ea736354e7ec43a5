/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_INTERPRETER_H
#define TERRARIUM_INTERPRETER_H

/* An interpreter for C programs that works like CAMEL's MicrosandboxInterpreter for agents in Python: it
 * takes a piece of code and its type, and returns a text. Types, questions, texts and messages are CAMEL's,
 * byte for byte. It blocks.
 *
 * It improves on CAMEL in these points. It works on every backend (default: local). The sandbox lives as
 * long as the interpreter, from the first run on, so variables, functions and files stay for the next run
 * (CAMEL starts a new sandbox each time). Shell code keeps its state, too. Errors, including timeouts, give
 * the real reason. The end of input at the question means no. Exceptions of Node are reported as errors.
 *
 *   struct trm_interpreter_opts opts;
 *   trm_interpreter_opts_default(&opts);
 *   trm_interpreter_create(&opts, &interpreter, &why);
 *   if (trm_interpreter_run(interpreter, "x = 10 + 5", "python", &text, &why) < 0)
 *   	puts(why.msg);
 *
 * CAMEL raises failures as InterpreterError. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/sync.h>

TRM_BEGIN_API

struct trm_error;
struct trm_interpreter;

/* Ask a person: write one line, without its newline, into `answer` (NUL-terminated), and return 0. A
 * negative value means that nobody can answer; then nothing is run. */
typedef int trm_prompt_fn(void *user, const char *question, char *answer, size_t cap);

/* The default: print the question on stdout and read the answer from stdin. (This is the only function of
 * the library that prints, and only programs that have not chosen another function use it.) */
int trm_prompt_stdio(void *user, const char *question, char *answer, size_t cap);

/* All strings are borrowed until trm_interpreter_destroy(). */
struct trm_interpreter_opts {
	size_t size;          /* sizeof(struct trm_interpreter_opts), as TRM_INTERPRETER_OPTS_INIT sets it */
	bool require_confirm; /* ask before each run. Default true */
	trm_prompt_fn *prompt;
	void *prompt_user;
	uint32_t timeout_ms; /* of each run; 0: none. Default 30 000 */
	/* CAMEL's names for options that `sync` has as well; NULL: the value in `sync` counts. If a local
	 * sandbox of that name already runs, it is used and left running. */
	const char *server_url, *api_key, *server_namespace, *sandbox_name;
	/* All other options: backend, limits, interrupts; but not the timeout. */
	struct trm_sync_opts sync;
};
void trm_interpreter_opts_init(struct trm_interpreter_opts *opts, size_t size);
#define trm_interpreter_opts_default(opts) trm_interpreter_opts_init(opts, sizeof *(opts))

/* Create an interpreter; nothing is started yet. Errors: as trm_sync_create(); TRM_EINVAL confirmation
 * without a prompt. */
int trm_interpreter_create(const struct trm_interpreter_opts *opts, struct trm_interpreter **ret,
		struct trm_error *reterr);
void trm_interpreter_destroy(struct trm_interpreter *interpreter); /* ends the sandbox; takes NULL */

/* Run code. `code_type` is one of those below, case-sensitive; NULL: "python". *ret_text is malloc'd:
 *   the output, without surrounding white space;
 *   "STDERR: " and the standard error, or the text of the exception;
 *   for shell code "Exit code: N", if that is not 0;
 *   "Not kept: N bytes of the output", if there was more than sync.output_keep_bytes, or too little memory.
 *   "Note: " and what to do about a package manager that cannot work in this sandbox.
 * Each part that exists begins on a new line. If there is none: "Code executed successfully (no output)"
 * ("Command …" for shell code). An exception is not a failure. TypeScript is passed to Node unchanged, as
 * CAMEL does: types in it are syntax errors; the log hook gets a message.
 * Errors: "Unsupported code type …", before anything is asked or started; "Execution halted: …" if the
 * person declined (TRM_ECANCELED); "Error executing code in microsandbox: …", also for a timeout. */
int trm_interpreter_run(struct trm_interpreter *interpreter, const char *code, const char *code_type,
		char **ret_text, struct trm_error *reterr);
/* Run shell code, with the question and the messages for a command. */
int trm_interpreter_execute_command(struct trm_interpreter *interpreter, const char *command, char **ret_text,
		struct trm_error *reterr);

/* python py3 python3 py, javascript js node typescript ts, bash shell sh; NULL-terminated. */
const char *const *trm_interpreter_supported_code_types(void);

/* CAMEL's interpreters can call functions of the host. A sandbox has none: always TRM_ENOTSUP, and nothing
 * changes. */
int trm_interpreter_update_action_space(struct trm_interpreter *interpreter, struct trm_error *reterr);

struct trm_sync *trm_interpreter_sync(struct trm_interpreter *interpreter);

TRM_END_API

#endif
