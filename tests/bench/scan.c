/* SPDX-License-Identifier: MIT */
/* The policy gate: ten thousand lines of Python's own library against the strictest preset. What counts is
 * the processor's time, which other programs do not change much. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/error.h>
#include <terrarium/policy.h>

#include "bench/bench.h"

enum { SCAN_LINES = 10000, SCANS = 21, TEXT_MAX = 4 << 20 };

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Appends lines of a file until there are enough. */
static void add_lines(FILE *from, char *text, size_t *n, size_t *n_lines)
{
	while (*n_lines < SCAN_LINES && TEXT_MAX - *n > 1 && fgets(text + *n, (int)(TEXT_MAX - *n), from)) {
		*n += strlen(text + *n);
		++*n_lines;
	}
}

static char *library_text(size_t *ret_n)
{
	char *text = malloc(TEXT_MAX);
	size_t n_lines = 0;
	glob_t files = {0};
	*ret_n = 0;
	glob("/usr/lib/python3*/*.py", 0, NULL, &files);
	for (size_t i = 0; text && i < files.gl_pathc; i++) {
		FILE *f = fopen(files.gl_pathv[i], "re");
		if (f) {
			add_lines(f, text, ret_n, &n_lines);
			fclose(f);
		}
	}
	globfree(&files);
	if (n_lines == SCAN_LINES)
		return text;
	free(text);
	return NULL;
}

static bool scan_once(struct trm_policy *policy, const char *text, size_t n, double *ret_ms)
{
	const struct trm_lang *python;
	struct trm_findings findings = {0};
	struct trm_error why;
	if (trm_lang_find("python", &python, NULL) < 0)
		return false;
	double start = cpu_ms();
	int r = trm_policy_scan(policy, python, text, n, &findings, &why);
	*ret_ms = cpu_ms() - start;
	bool is_whole = r == 0 && !findings.has_no_tree && findings.n > 0;
	if (r == 0)
		trm_findings_finish(&findings);
	return is_whole;
}

void bench_scan(void)
{
	static const char name[] = "scanning 10000 lines of Python, strict, processor";
	struct trm_policy *policy = NULL;
	struct samples took = {0};
	double ms;
	size_t n;
	char *text = library_text(&n);
	setenv("TERRARIUM_GRAMMARS", BENCH_GRAMMARS, 0);
	if (text && trm_policy_load("strict", NULL, &policy, NULL) == 0 && scan_once(policy, text, n, &ms))
		for (int i = 0; i < SCANS && scan_once(policy, text, n, &ms); i++)
			samples_add(&took, ms);
	if (took.n < SCANS)
		report_missing(name, "no library of Python, no PCRE2 or no grammar");
	else
		report(name, samples_at(&took, 0.5), "ms", 0, 50);
	samples_free(&took);
	trm_policy_free(policy);
	free(text);
}
