/* SPDX-License-Identifier: MIT */
#include "base/pressure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool pressure_find_number(const char *text, const char *key, uint64_t *ret)
{
	size_t len = key ? strlen(key) : 0;
	char *end;
	while (key && text && (strncmp(text, key, len) || text[len] != ' ')) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	if (!text)
		return false;
	unsigned long long value = strtoull(text + len, &end, 10);
	if (end == text + len)
		return false;
	*ret = value;
	return true;
}

bool pressure_parse_cpu_stat(const char *text, struct pressure *ret)
{
	uint64_t periods, throttled, time;
	if (!pressure_find_number(text, "nr_periods", &periods)
			|| !pressure_find_number(text, "nr_throttled", &throttled))
		return false;
	if (pressure_find_number(text, "throttled_usec", &time))
		time *= 1000;
	else if (!pressure_find_number(text, "throttled_time", &time))
		return false;
	ret->has_throttle = true;
	ret->cpu_periods = periods;
	ret->cpu_throttled = throttled;
	ret->throttled_ns = time;
	return true;
}

bool pressure_parse_pressure(const char *text, enum pressure_resource resource, struct pressure *ret)
{
	const char *line_end = strchr(text, '\n'), *total = strstr(text, " total=");
	char *end;
	if (strncmp(text, "some ", 5) || !total || (line_end && total > line_end))
		return false;
	unsigned long long us = strtoull(total + strlen(" total="), &end, 10);
	if (end == total + strlen(" total="))
		return false;
	ret->has_pressure[resource] = true;
	ret->pressure_us[resource] = us;
	return true;
}

static double percent_part(uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;
	return percent > 100 ? 100 : percent;
}

static void tell_pressure(
		const struct pressure *now, const struct pressure *before, struct trm_sample *sample)
{
	double *const rates[] = {&sample->pressure_cpu_percent, &sample->pressure_mem_percent,
			&sample->pressure_io_percent};
	static const uint32_t bits[] = {
			TRM_METRIC_PRESSURE_CPU, TRM_METRIC_PRESSURE_MEM, TRM_METRIC_PRESSURE_IO};
	uint64_t passed_us = (now->time_ns - before->time_ns) / 1000;
	for (int i = 0; i < PRESSURE_RESOURCES; i++) {
		if (!now->has_pressure[i] || !before->has_pressure[i] || !passed_us
				|| now->pressure_us[i] < before->pressure_us[i])
			continue;
		*rates[i] = percent_part(now->pressure_us[i] - before->pressure_us[i], passed_us);
		sample->known |= bits[i];
	}
}

void pressure_describe(const struct pressure *now, const struct pressure *before, struct trm_sample *sample)
{
	if (now->has_throttle) {
		sample->cpu_periods = now->cpu_periods;
		sample->cpu_throttled = now->cpu_throttled;
		sample->throttled_ns = now->throttled_ns;
		sample->known |= TRM_METRIC_THROTTLE;
	}
	if (!before->time_ns || now->time_ns <= before->time_ns)
		return;
	tell_pressure(now, before, sample);
	if (now->has_throttle && before->has_throttle && now->cpu_periods >= before->cpu_periods
			&& now->cpu_throttled >= before->cpu_throttled) {
		/* With no period at all nothing wanted to run, so nothing was throttled. */
		sample->throttled_percent = percent_part(now->cpu_throttled - before->cpu_throttled,
				now->cpu_periods - before->cpu_periods);
		sample->known |= TRM_METRIC_THROTTLED_PERCENT;
	}
}
