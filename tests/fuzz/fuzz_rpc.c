/* SPDX-License-Identifier: MIT */
/* Any body that a client may post: read or refused, and what is read is answered in valid JSON. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "rpc/check.h"
#include "rpc/envelope.h"
#include "rpc/names.h"
#include "rpc/params.h"

/* What we send can be read by ourselves, strictly. */
static void check_text(char *text)
{
	if (!text || (*text && rpc_check(text, strlen(text), NULL, NULL, NULL) < 0))
		abort();
	free(text);
}

static void answer(const struct rpc_request *request)
{
	cJSON *reply = rpc_reply_result(request->id, cJSON_CreateString(rpc_method_today(request->method)));
	check_text(cJSON_PrintUnformatted(reply));
	cJSON_Delete(reply);
}

static void refuse(const struct rpc_request *request, enum rpc_fault_id fault, const char *why)
{
	const char *type;
	char *body = rpc_fault_body(rpc_fault(fault), request->id, why, &type);
	if (rpc_fault(fault)->shape == RPC_SHAPE_TEXT)
		free(body);
	else
		check_text(body);
}

static void read_params(const cJSON *params)
{
	struct rpc_config config;
	const cJSON *object = NULL;
	const char *name = NULL;
	uint64_t timeout = 0;
	if (rpc_params_check(params, NULL) < 0)
		return;
	if (rpc_need_text(params, "sandbox", &name, NULL) == 0 && rpc_name_check("sandbox", name, NULL) == 0
			&& strlen(name) > RPC_NAME_MAX)
		abort();
	if (rpc_get_number(params, "timeout", 1000, &timeout, NULL) == 0 && timeout > 1000)
		abort();
	if (rpc_get_object(params, "config", &object, NULL) == 0)
		rpc_config_read(&config, object, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct rpc_request request;
	struct trm_error why = {0};
	enum rpc_fault_id fault;
	if (rpc_request_read(&request, (const char *)bytes, n, &fault, &why) == 0) {
		answer(&request);
		read_params(request.params);
	} else
		refuse(&request, fault, why.msg);
	rpc_request_finish(&request);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"jsonrpc\":\"2.0\",\"method\":\"sandbox.start\",\"params\":{\"sandbox\":\"a\",\"namespace\":\"default\","
		     "\"config\":{\"image\":\"microsandbox/python\",\"memory\":512,\"cpus\":1,\"volumes\":[\"/a:/b\"],"
		     "\"envs\":[\"A=B\"],\"scripts\":{\"start\":\"x\"}}},\"id\":\"00000000-0000\"}"),
		SEED("{\"jsonrpc\":\"2.0\",\"method\":\"sandbox.repl.run\",\"params\":{\"sandbox\":\"a\",\"language\":\"python\","
		     "\"code\":\"print('\\u00e9\\ud83d\\ude00 \xc3\xa9')\\n\",\"timeout\":30},\"id\":[1,{\"a\": -1.5e3}]}"),
		SEED("{\"jsonrpc\":\"1.0\",\"method\":\"x\",\"id\":1e308}"),
		SEED("[[[[[[[[{\"a\":[]},{\"a\":1,\"\\u0061\":2}]]]]]]]]"),
		{NULL, 0},
};
