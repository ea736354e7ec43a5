/* SPDX-License-Identifier: MIT */
#include "server/jsonrpc/method.h"

#include <stddef.h>
#include <string.h>

#include "rpc/names.h"

/* Ends with a row without a name. */
static const struct method methods[] = {
		{RPC_START, method_start},
		{RPC_STOP, method_stop},
		{RPC_METRICS, method_metrics},
		{RPC_RUN, method_run},
		{RPC_COMMAND, method_command},
		{RPC_FILE_PUT, method_file_put},
		{RPC_FILE_GET, method_file_get},
		{RPC_INPUT, method_input},
		{RPC_INTERRUPT, method_interrupt},
		{RPC_ASK, method_ask},
		{0},
};

const struct method *method_find(const char *name)
{
	for (const struct method *m = methods; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}
