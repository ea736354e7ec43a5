/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_JSONRPC_METHOD_H
#define TRM_SERVER_JSONRPC_METHOD_H

/* The table of methods, which is in method.c. */

struct call;

struct method {
	const char *name;
	void (*fn)(struct call *call);
};

void method_start(struct call *call);
void method_stop(struct call *call);
void method_metrics(struct call *call);
void method_run(struct call *call);
void method_command(struct call *call);
void method_file_put(struct call *call);
void method_file_get(struct call *call);
void method_input(struct call *call);
void method_interrupt(struct call *call);
void method_ask(struct call *call);

const struct method *method_find(const char *name); /* NULL: there is none */

#endif
