/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_INTERPRETER_H
#define TERRARIUM_INTERPRETER_H

/* What CAMEL's MicrosandboxInterpreter is for agents in Python, for C programs: a piece of code and its type
 * in, a text out. Types, questions, texts and messages are CAMEL's, byte for byte. It blocks.
 *
 * Where it is better: it works on every backend (default: local); the sandbox lives as long as the
 * interpreter, from the first run on, so that variables, functions and files are there for the next one
 * (CAMEL starts a new one each time); shell code keeps its state, too; errors say the real reason, of a
 * time-out as well; the end of input at the question is a refusal; what Node throws is told as an error.
 *
 *   struct trm_interpreter_opts opts;
 *   trm_interpreter_opts_default(&opts);
 *   trm_interpreter_create(&opts, &interpreter, &why);
 *   if (trm_interpreter_run(interpreter, "x = 10 + 5", "python", &text, &why) < 0)
 *   	puts(why.msg);
 *
 * Failures are what CAMEL raises as InterpreterError. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/sync.h>

struct trm_error;
struct trm_interpreter;

/* Ask a person: put one line, without its newline, into `answer` (NUL-terminated), and return 0. Negative:
 * there is nobody to answer; then nothing is run. */
typedef int trm_prompt_fn(void *user, const char *question, char *answer, size_t cap);

/* The default: question on stdout, answer from stdin. (The one place where the library prints, and only for
 * programs that have not chosen another function.) */
int trm_prompt_stdio(void *user, const char *question, char *answer, size_t cap);

/* All texts are borrowed until trm_interpreter_destroy(). */
struct trm_interpreter_opts {
	bool require_confirm; /* ask before anything is run. Default true */
	trm_prompt_fn *prompt;
	void *prompt_user;
	uint32_t timeout_ms; /* of each run; 0: none. Default 30 000 */
	/* CAMEL's names for what can be said in `sync` as well; NULL: what is said there. A local sandbox of
	 * that name which runs already is joined, and stays. */
	const char *server_url, *api_key, *server_namespace, *sandbox_name;
	/* Everything else: backend, limits, interrupts; but not the time-out. */
	struct trm_sync_opts sync;
};
void trm_interpreter_opts_default(struct trm_interpreter_opts *opts);

/* Starts nothing yet. Errors: as trm_sync_create(); TRM_EINVAL confirmation without a prompt. */
int trm_interpreter_create(const struct trm_interpreter_opts *opts, struct trm_interpreter **ret,
		struct trm_error *reterr);
void trm_interpreter_destroy(struct trm_interpreter *interpreter); /* ends the sandbox; takes NULL */

/* Run code. `code_type`: one of those below, case-sensitive; NULL: "python". *ret_text is malloc'd:
 *   what was printed, without white space around it;
 *   "STDERR: " and what was printed there, or what the exception says;
 *   for shell code "Exit code: N", if that is not 0;
 *   "Not kept: N bytes of the output", of more than sync.output_keep_bytes, or where memory was lacking;
 * each on a new line, if it is there at all; else "Code executed successfully (no output)" ("Command …" for
 * shell code). An exception is no failure. TypeScript is handed to Node as it is, as CAMEL does: types in it
 * are syntax errors; the log hook is told.
 * Errors: "Unsupported code type …", before anything is asked or started; "Execution halted: …" by the one
 * who was asked (TRM_ECANCELED); "Error executing code in microsandbox: …", of a time-out, too. */
int trm_interpreter_run(struct trm_interpreter *interpreter, const char *code, const char *code_type,
		char **ret_text, struct trm_error *reterr);
/* The same for shell code, with the question and the messages of a command. */
int trm_interpreter_execute_command(struct trm_interpreter *interpreter, const char *command, char **ret_text,
		struct trm_error *reterr);

/* python py3 python3 py, javascript js node typescript ts, bash shell sh; NULL-terminated. */
const char *const *trm_interpreter_supported_code_types(void);

/* CAMEL's interpreters may be given functions of the host; there are none in a sandbox: always TRM_ENOTSUP,
 * and nothing has changed. */
int trm_interpreter_update_action_space(struct trm_interpreter *interpreter, struct trm_error *reterr);

struct trm_sync *trm_interpreter_sync(struct trm_interpreter *interpreter);

#endif
