/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <terrarium/error.h>

#include "wire/engine_words.h"

static void test_words_of_engines(void **state)
{
	static const struct {
		const char *words;
		int code;
	} rows[] = {
			{"Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?",
					TRM_EMISSING},
			{"docker: Error response from daemon: unknown or invalid runtime name: runsc.",
					TRM_ENOTSUP},
			{"docker: Error response from daemon: Unknown runtime specified nosuch.",
					TRM_ENOTSUP},
			{"Error: requested OCI runtime kata is not available: invalid argument", TRM_ENOTSUP},
			{"Error: no such object: x", TRM_EIO},
			{"Error response from daemon: No such container: x", TRM_ENOENT},
			{"Error: no container with name or ID \"x\" found: no such container", TRM_ENOENT},
			{"Error response from daemon: manifest for x:y not found: manifest unknown",
					TRM_ENOIMAGE},
			{"pull access denied for x, repository does not exist or may require 'docker login'",
					TRM_ENOIMAGE},
			{"unknown flag: --nosuch", TRM_EINVAL},
			{"", TRM_EIO},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(engine_words_code(rows[i].words, TRM_EIO), rows[i].code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_words_of_engines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
