/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/envelope.h"

static int read(struct rpc_request *request, const char *text, enum rpc_fault_id *fault,
		struct trm_error *why)
{
	return rpc_request_read(request, text, strlen(text), fault, why);
}

static void a_request_is_read(void **state)
{
	struct rpc_request request;
	enum rpc_fault_id fault;
	(void)state;
	assert_int_equal(
			read(&request, "{\"id\":\"7\",\"params\":{\"a\":1},\"method\":\"m\",\"jsonrpc\":\"2.0\"}",
					&fault, NULL),
			0);
	assert_string_equal(request.method, "m");
	assert_true(cJSON_IsObject(request.params));
	rpc_request_finish(&request);
	assert_int_equal(read(&request, "{\"method\":\"m\",\"jsonrpc\":\"2.0\"}", &fault, NULL), 0);
	assert_null(request.params);
	assert_null(request.id);
	rpc_request_finish(&request);
	rpc_request_finish(&request);
}

static void each_failure_has_its_answer(void **state)
{
	static const struct {
		const char *text;
		enum rpc_fault_id fault;
		int http;
		const char *says;
	} cases[] = {
			{"{\"jsonrpc\"", RPC_BROKEN, 400, "Failed to parse the request body as JSON: "},
			{"{\"a\":1,\"a\":1}", RPC_BROKEN, 400,
					"Failed to parse the request body as JSON: duplicate field `a`"},
			{"[]", RPC_MISSHAPEN, 422,
					"Failed to deserialize the JSON body into the target type: expected one JSON-RPC request "
					"object, not a batch of them"},
			{"5", RPC_MISSHAPEN, 422,
					"Failed to deserialize the JSON body into the target type: expected one JSON-RPC request "
					"object"},
			{"{\"jsonrpc\":\"2.0\"}", RPC_MISSHAPEN, 422,
					"Failed to deserialize the JSON body into the target type: missing field `method`"},
			{"{\"method\":\"x\"}", RPC_MISSHAPEN, 422,
					"Failed to deserialize the JSON body into the target type: missing field `jsonrpc`"},
			{"{\"jsonrpc\":2.0,\"method\":\"x\"}", RPC_MISSHAPEN, 422,
					"Failed to deserialize the JSON body into the target type: invalid type: `jsonrpc` must "
					"be a string"},
			{"{\"jsonrpc\":\"1.0\",\"method\":\"x\"}", RPC_VERSION, 400,
					"Invalid Request: jsonrpc must be \"2.0\""},
			{"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[\"\\u0000\"]}", RPC_PARAMS, 400,
					"Invalid params for x: a NUL character in a string"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rpc_request request;
		struct trm_error why = {0};
		enum rpc_fault_id fault;
		assert_int_equal(read(&request, cases[i].text, &fault, &why), TRM_EPROTO);
		assert_int_equal(fault, cases[i].fault);
		assert_int_equal(rpc_fault(fault)->http, cases[i].http);
		assert_memory_equal(why.msg, cases[i].says, strlen(cases[i].says));
		rpc_request_finish(&request);
	}
}

/* Whatever an id is, it comes back as it came. */
static void ids_come_back(void **state)
{
	static const char *const ids[] = {"1", "1.0", "-0", "1e3", "123456789012345678901", "\"\\u0041\"",
			"[ 1, {} ]", "false", "{\"a\":\"}\"}"};
	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		char text[200], wanted[200];
		struct rpc_request request;
		enum rpc_fault_id fault;
		snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\": %s ,\"method\":\"m\"}", ids[i]);
		snprintf(wanted, sizeof wanted, "{\"jsonrpc\":\"2.0\",\"result\":true,\"id\":%s}", ids[i]);
		assert_int_equal(read(&request, text, &fault, NULL), 0);
		cJSON *reply = rpc_reply_result(request.id, cJSON_CreateTrue());
		char *printed = cJSON_PrintUnformatted(reply);
		assert_string_equal(printed, wanted);
		free(printed);
		cJSON_Delete(reply);
		printed = rpc_reply_text(request.id, cJSON_CreateTrue());
		assert_string_equal(printed, wanted);
		free(printed);
		rpc_request_finish(&request);
	}
}

static void what_is_absent_is_left_out(void **state)
{
	struct rpc_request request;
	enum rpc_fault_id fault;
	(void)state;
	assert_int_equal(read(&request, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", &fault, NULL),
			0);
	assert_null(request.id);
	cJSON *reply = rpc_reply_error(request.id, -32601, "no");
	char *printed = cJSON_PrintUnformatted(reply);
	assert_string_equal(printed, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\"}}");
	free(printed);
	cJSON_Delete(reply);
	rpc_request_finish(&request);
	assert_null(rpc_reply_result(NULL, NULL));
	assert_null(rpc_reply_text(NULL, NULL));
	printed = rpc_reply_text(NULL, cJSON_CreateObject());
	assert_string_equal(printed, "{\"jsonrpc\":\"2.0\",\"result\":{}}");
	free(printed);
}

static void bodies_have_the_shape_of_the_fault(void **state)
{
	static const struct {
		enum rpc_fault_id fault;
		const char *type, *body;
	} cases[] = {
			{RPC_NO_ROUTE, "application/json", ""},
			{RPC_NOT_JSON, "text/plain; charset=utf-8", "say \"so\""},
			{RPC_INTERNAL, "application/json", "{\"error\":\"say \\\"so\\\"\",\"code\":5002}"},
			{RPC_NO_METHOD, "application/json",
					"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"say \\\"so\\\"\"}}"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *type;
		char *body = rpc_fault_body(rpc_fault(cases[i].fault), NULL, "say \"so\"", &type);
		assert_string_equal(body, cases[i].body);
		if (*body)
			assert_string_equal(type, cases[i].type);
		free(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_request_is_read),
			cmocka_unit_test(each_failure_has_its_answer),
			cmocka_unit_test(ids_come_back),
			cmocka_unit_test(what_is_absent_is_left_out),
			cmocka_unit_test(bodies_have_the_shape_of_the_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
