/* SPDX-License-Identifier: MIT */
/* Values of R are shown as at its prompt, also those that the driver does not print by print(). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "kernel/drivers/harness.h"

static struct driver *driver;

static int start(void **state)
{
	const struct trm_lang *lang;
	(void)state;
	if (access("/usr/bin/R", X_OK)) {
		print_message("SKIP: R is not installed\n");
		exit(77);
	}
	if (trm_lang_find("r", &lang, NULL) < 0)
		return -1;
	driver = driver_start(lang->index);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	driver_stop(driver);
	return 0;
}

static void values_of_r_are_shown(void **state)
{
	static const struct {
		const char *code, *value;
	} samples[] = {{"1+1", "[1] 2"}, {"0.1 + 0.2", "[1] 0.3"}, {"1e5", "[1] 1e+05"}, {"5L", "[1] 5"},
			{"TRUE", "[1] TRUE"}, {"'a\\n\"b\"'", "[1] \"a\\n\\\"b\\\"\""}, {"NA", "[1] NA"},
			{"NA_character_", "[1] NA"}, {"NaN", "[1] NaN"}, {"c(a = 1)", "a \n1 "},
			{"NULL", "NULL"}, {"1:3", "[1] 1 2 3"}, {"invisible(1)", NULL},
			{"options(digits = 3)\npi", "[1] 3.14"},
			{"print.numeric <- function(x, ...) cat('mine\\n')\n5", "mine"}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		check_value(driver, samples[i].code, samples[i].value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(values_of_r_are_shown)};
	return cmocka_run_group_tests(tests, start, stop);
}
