/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ONE_CONFIG_H
#define TESTS_ONE_CONFIG_H

/* One config for all cases of a test, and a file that its settings may name. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "cmocka_all.h"

static char path[] = "/tmp/terrarium-config-XXXXXX";
static struct trm_config config;
static struct trm_error why;

static inline int set(const char *name, const char *text)
{
	return trm_config_set(&config, trm_setting_find(name), text, name, &why);
}

static inline const char *get(const char *name)
{
	static char out[4096];
	return trm_config_get(&config, trm_setting_find(name), out, sizeof out);
}

static inline void write_file(const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* Before each case. */
static inline int begin(void **state)
{
	(void)state;
	trm_config_default(&config);
	return 0;
}

static inline int make_file(void **state)
{
	(void)state;
	int fd = mkstemp(path);
	return fd < 0 || close(fd) < 0 ? -1 : 0;
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

#endif
