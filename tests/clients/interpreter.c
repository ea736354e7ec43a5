/* SPDX-License-Identifier: MIT */
/* CAMEL's interpreter for a person at a terminal: asks, runs, prints the texts.
 *
 *   cc interpreter.c $(pkg-config --cflags --libs terrarium) && ./a.out [local|microsandbox] [TYPE CODE]… */
#include <stdio.h>
#include <stdlib.h>

#include <terrarium/interpreter.h>
#include <terrarium/terrarium.h>

int main(int argc, char **argv)
{
	struct trm_interpreter_opts opts;
	struct trm_interpreter *interpreter;
	struct trm_error why;
	char *text;
	int code = 0;
	trm_interpreter_opts_default(&opts); /* asks on stdout and stdin, 30 s a run */
	opts.sync.sandbox.backend = argc > 1 ? argv[1] : NULL;
	if (trm_interpreter_create(&opts, &interpreter, &why) < 0) {
		fprintf(stderr, "interpreter: %s\n", why.msg);
		return 1;
	}
	for (int i = 2; i + 1 < argc; i += 2) {
		if (trm_interpreter_run(interpreter, argv[i + 1], argv[i], &text, &why) < 0) {
			fprintf(stderr, "interpreter: %s\n", why.msg);
			code = 1;
			continue;
		}
		puts(text);
		free(text);
	}
	trm_interpreter_destroy(interpreter);
	return code;
}
