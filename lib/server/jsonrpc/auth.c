/* SPDX-License-Identifier: MIT */
#include "server/jsonrpc/auth.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/log.h"
#include "rpc/names.h"
#include "server/jsonrpc/server.h"
#include "server/keys/token.h"

/* The key without "Bearer " and blanks. */
static const char *given_key(const struct http_request *request)
{
	const char *text = http_header(request, "Proxy-Authorization");
	if (!text)
		text = http_header(request, "Authorization");
	if (!text)
		return NULL;
	text += strspn(text, " \t");
	if (!strncasecmp(text, "Bearer", 6) && strchr(" \t", text[6]))
		text += 6;
	return text + strspn(text, " \t");
}

bool auth_caller(const struct trm_server *server, const struct http_request *request, struct caller *ret,
		enum rpc_fault_id *ret_fault)
{
	struct token_claims claims;
	const char *key = NULL, *why;
	size_t prefix = strlen(TOKEN_PREFIX);
	snprintf(ret->namespace, sizeof ret->namespace, RPC_EVERYWHERE);
	if (!server->opts.key)
		return true;
	*ret_fault = RPC_CREDENTIALS;
	key = given_key(request);
	if (!key || strncmp(key, TOKEN_PREFIX, prefix) != 0)
		return false;
	*ret_fault = RPC_TOKEN;
	if (!token_read(&server->hmac, server->key, key + prefix, strcspn(key + prefix, " \t"),
			    (double)time(NULL), &claims, &why)) {
		log_write(LOG_INFO, "a key is refused: %s", why);
		return false;
	}
	snprintf(ret->namespace, sizeof ret->namespace, "%s", claims.namespace);
	return true;
}

bool auth_covers(const struct caller *who, const cJSON *params, enum rpc_fault_id *ret_fault, char *text,
		size_t cap)
{
	if (!strcmp(who->namespace, RPC_EVERYWHERE))
		return true;
	const char *wanted = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "namespace"));
	*ret_fault = wanted ? RPC_DENIED : RPC_PARAMS;
	if (wanted)
		snprintf(text, cap, "%s: this key is for namespace '%s', and not for '%.64s'",
				rpc_fault(RPC_DENIED)->text, who->namespace, wanted);
	else
		snprintf(text, cap,
				"Missing namespace: this key is for namespace '%s' only, and params.namespace must "
				"name it",
				who->namespace);
	return wanted && !strcmp(wanted, who->namespace);
}
