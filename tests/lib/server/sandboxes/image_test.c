/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "langs.h"
#include "server/sandboxes/image.h"

enum { PYTHON = 1 << LANG_PYTHON, JAVASCRIPT = 1 << LANG_JAVASCRIPT, BASH = 1 << LANG_BASH };

/* With this text as config file. */
static int load(const char *text, struct image **ret, struct trm_error *why)
{
	char path[] = "/tmp/image-test-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	setenv("TERRARIUM_CONFIG", path, 1);
	int r = image_load(NULL, ret, why);
	unlink(path);
	return r;
}

static unsigned languages(const struct image *images, const char *name)
{
	unsigned mask = 0;
	return image_find(images, name, &mask, NULL) == 0 ? mask : 0;
}

static void names(void **state)
{
	struct image *images;
	struct trm_error why;
	(void)state;
	assert_int_equal(load("{}", &images, &why), 0);
	assert_int_equal(languages(images, "microsandbox/python"), PYTHON | BASH);
	assert_int_equal(languages(images, "microsandbox/node:latest"), JAVASCRIPT | BASH);
	assert_int_equal(languages(images, "docker.io/microsandbox/python@sha256:00"), PYTHON | BASH);
	assert_int_equal(languages(images, "localhost:5000/terrarium/all:1.0"), UINT_MAX);
	assert_int_equal(languages(images, "python"), PYTHON | BASH);
	static const char *const wrong[] = {
			"", ":", "microsandbox", "microsandbox/python:\n", "microsandbox/python/x", "/"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(languages(images, wrong[i]), 0);
	unsigned mask;
	assert_int_equal(image_find(images, "x/y", &mask, &why), TRM_ENOENT);
	assert_non_null(strstr(why.msg, "microsandbox/python, microsandbox/node, terrarium/all"));
	const char *list[2];
	assert_int_equal(image_names(images, list, 2), 2);
	assert_string_equal(list[0], "microsandbox/python");
	image_free(images);
}

static void more_in_the_config_file(void **state)
{
	struct image *images;
	struct trm_error why = {0};
	(void)state;
	assert_int_equal(load("{\"server_images\": {\"a/b\": \"python, sh\", \"node\": \"bash\"}}", &images,
					 &why),
			0);
	assert_int_equal(languages(images, "a/b:3"), PYTHON | BASH);
	assert_int_equal(languages(images, "node"), BASH);
	image_free(images);
	/* One of ours may be another there, and is told once. */
	assert_int_equal(load("{\"server_images\": {\"microsandbox/python\": \"node\"}}", &images, &why), 0);
	assert_int_equal(languages(images, "microsandbox/python"), JAVASCRIPT);
	const char *list[8];
	assert_int_equal(image_names(images, list, 8), 3);
	image_free(images);
	assert_int_equal(load("{\"server_images\": {\"a/b\": \"cobol\"}}", &images, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, ":1:20: image 'a/b': "));
	assert_int_equal(load("{\"server_images\": {\"a/b\": \"\"}}", &images, &why), TRM_EINVAL);
	assert_int_equal(load("{\"server_images\": {\"a/b\": 3}}", &images, &why), TRM_EINVAL);
	assert_null(images);
}

static void languages_of_an_image(void **state)
{
	const struct trm_lang *lang;
	struct trm_error why;
	(void)state;
	assert_int_equal(image_language(PYTHON, "PyThOn", &lang, &why), 0);
	assert_int_equal(lang->index, LANG_PYTHON);
	assert_int_equal(image_language(JAVASCRIPT, "NodeJS", &lang, &why), 0);
	assert_int_equal(lang->index, LANG_JAVASCRIPT);
	assert_int_equal(image_language(PYTHON, "node", &lang, &why), TRM_ENOTSUP);
	assert_non_null(strstr(why.msg, "runs python"));
	assert_int_equal(image_language(PYTHON | BASH, "cobol", &lang, &why), TRM_ENOTSUP);
	assert_non_null(strstr(why.msg, "Unsupported language: cobol (this sandbox runs python, bash)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(names),
			cmocka_unit_test(more_in_the_config_file),
			cmocka_unit_test(languages_of_an_image),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
