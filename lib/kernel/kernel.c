/* SPDX-License-Identifier: MIT */
#include "kernel/kernel.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The command lines only read the driver from descriptor 5, so that a process list stays readable. */
static const struct kernel_spec specs[TRM_LANG_COUNT] = {
		[TRM_LANG_PYTHON] =
				{
						/* Not isolated (-I): the user's packages and the modules
						   beside their code are to be found. */
						.argv = LIST("/usr/bin/python3", "-c",
								"f=open(5,'rb');exec(b''.join(iter(f.readline,b'\\n')),{'f':f})"),
						.driver = embed_driver_python,
				},
		[TRM_LANG_JAVASCRIPT] =
				{
						/* Internals: signals in a thread of their own, the parser;
						   see node.js. */
						.argv = LIST("/usr/bin/node", "--expose-internals", "-e",
								"eval(require('fs').readFileSync(5,'utf8'))"),
						.driver = embed_driver_node,
						.is_asked_twice = true,
						.answers_quickly = true,
						.resets_by_restart = true,
				},
		[TRM_LANG_BASH] =
				{
						/* The driver's own text says why the loop is mapfile's; it
						 * cannot begin it itself, for then `return` in the user's
						 * code would end the driver. */
						.argv = LIST("/usr/bin/bash", "--norc", "--noprofile", "-c",
								". /dev/fd/5; mapfile -d '' -c 1 -C \"$__trm_loop\" -u 242 __trm_ticks"),
						.driver = embed_driver_bash,
						.loses_interrupts = true,
				},
};

const struct kernel_spec *kernel_spec(const struct trm_lang *lang)
{
	return &specs[lang->id];
}
