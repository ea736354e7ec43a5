/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

static cJSON *rows; /* the one report of this program */

uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double ms_since(uint64_t start_ns)
{
	return (double)(now_ns() - start_ns) / 1e6;
}

static cJSON *row(const char *name)
{
	if (!rows)
		rows = cJSON_CreateArray();
	cJSON *r = cJSON_CreateObject();
	cJSON_AddStringToObject(r, "name", name);
	cJSON_AddItemToArray(rows, r);
	return r;
}

void report(const char *name, double value, const char *unit, double reference, double target)
{
	cJSON *r = row(name);
	double held = reference > 0 ? value / reference : value;
	bool holds = held <= target;
	cJSON_AddNumberToObject(r, "value", value);
	cJSON_AddStringToObject(r, "unit", unit);
	cJSON_AddItemToObject(
			r, "reference", reference > 0 ? cJSON_CreateNumber(reference) : cJSON_CreateNull());
	cJSON_AddItemToObject(r, "ratio", reference > 0 ? cJSON_CreateNumber(held) : cJSON_CreateNull());
	cJSON_AddNumberToObject(r, "target", target);
	cJSON_AddBoolToObject(r, "holds", holds);
	if (reference > 0)
		printf("%-4s %-46s %10.4g %-7s reference %8.4g  ratio %6.2f  target %g\n",
				holds ? "ok" : "MISS", name, value, unit, reference, held, target);
	else
		printf("%-4s %-46s %10.4g %-7s %37s target %g\n", holds ? "ok" : "MISS", name, value, unit,
				"", target);
	fflush(stdout);
}

void report_beside(const char *name, double value, const char *unit)
{
	cJSON *r = row(name);
	cJSON_AddNumberToObject(r, "value", value);
	cJSON_AddStringToObject(r, "unit", unit);
	cJSON_AddBoolToObject(r, "holds", true);
	printf("     %-46s %10.4g %s\n", name, value, unit);
	fflush(stdout);
}

void report_missing(const char *name, const char *why)
{
	cJSON *r = row(name);
	cJSON_AddNullToObject(r, "value");
	cJSON_AddStringToObject(r, "unit", why);
	cJSON_AddNullToObject(r, "reference");
	cJSON_AddNullToObject(r, "ratio");
	cJSON_AddNullToObject(r, "target");
	cJSON_AddBoolToObject(r, "holds", false);
	printf("MISS %-46s %s\n", name, why);
	fflush(stdout);
}

int report_write(const char *json_path)
{
	int missed = 0;
	const cJSON *r;
	char *text = cJSON_Print(rows);
	FILE *f = fopen(json_path, "w");
	if (!f || !text || fputs(text, f) < 0 || fputc('\n', f) < 0 || fclose(f) != 0)
		return -1;
	cJSON_free(text);
	cJSON_ArrayForEach(r, rows) missed += !cJSON_IsTrue(cJSON_GetObjectItem(r, "holds"));
	cJSON_Delete(rows);
	rows = NULL;
	return missed;
}

void samples_add(struct samples *s, double v)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->v = realloc(s->v, s->cap * sizeof *s->v);
		if (!s->v)
			abort();
	}
	s->v[s->n++] = v;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double samples_at(struct samples *s, double quantile)
{
	if (!s->n)
		return NAN;
	qsort(s->v, s->n, sizeof *s->v, by_value);
	return s->v[(size_t)((double)(s->n - 1) * quantile)];
}

void samples_free(struct samples *s)
{
	free(s->v);
	*s = (struct samples){0};
}
