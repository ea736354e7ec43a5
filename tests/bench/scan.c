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

/* A program that only computes. */
static char *harmless_text(size_t *ret_n)
{
	char *text = malloc(TEXT_MAX);
	*ret_n = 0;
	for (int i = 0; text && i < SCAN_LINES / 5; i++)
		*ret_n += (size_t)snprintf(text + *ret_n, TEXT_MAX - *ret_n,
				"def position_%d(costs, factor=%d):  # of the closest one\n"
				"    total = sum(cost * factor for cost in costs if cost > %d)\n"
				"    best = {'name': 'item %d', 'value': max(costs), 'total': total}\n"
				"    return best if total else None\n\n",
				i, i % 7, i % 11, i);
	return text;
}

static bool scan_once(struct trm_policy *policy, const char *text, size_t n, double *ret_ms)
{
	const struct trm_lang *python;
	struct trm_findings findings = {0};
	struct trm_error why;
	if (!text || trm_lang_find("python", &python, NULL) < 0)
		return false;
	double start = cpu_ms();
	int r = trm_policy_scan(policy, python, text, n, &findings, &why);
	*ret_ms = cpu_ms() - start;
	bool is_whole = r == 0 && !findings.has_no_tree;
	if (r == 0)
		trm_findings_finish(&findings);
	return is_whole;
}

static void report_scan(const char *name, struct trm_policy *policy, const char *text, size_t n)
{
	struct samples took = {0};
	double ms;
	if (scan_once(policy, text, n, &ms)) /* loads the grammar */
		for (int i = 0; i < SCANS && scan_once(policy, text, n, &ms); i++)
			samples_add(&took, ms);
	if (took.n < SCANS)
		report_missing(name, "no library of Python, or no grammar");
	else
		report(name, samples_at(&took, 0.5), "ms", 0, 50);
	samples_free(&took);
}

void bench_scan(void)
{
	struct trm_policy *policy = NULL;
	size_t n;
	setenv("TERRARIUM_GRAMMARS", BENCH_GRAMMARS, 0);
	if (trm_policy_load("strict", NULL, &policy, NULL) < 0) {
		report_missing("scanning 10000 lines", "the policy cannot be loaded");
		return;
	}
	char *text = harmless_text(&n);
	report_scan("scanning 10000 harmless lines of Python, processor", policy, text, n);
	free(text);
	text = library_text(&n);
	report_scan("scanning 10000 lines of Python's library, processor", policy, text, n);
	free(text);
	trm_policy_free(policy);
}
