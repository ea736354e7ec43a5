/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "text/format.h"

char *format_duration(char out[24], uint64_t us)
{
	if (us < 9950)
		snprintf(out, 24, "%.1f ms", (double)us / 1e3);
	else if (us < 999500)
		snprintf(out, 24, "%.0f ms", (double)us / 1e3);
	else if (us < 59950000)
		snprintf(out, 24, "%.1f s", (double)us / 1e6);
	else
		snprintf(out, 24, "%" PRIu64 ":%02" PRIu64 " min", us / 60000000, us / 1000000 % 60);
	return out;
}

char *format_count(char out[32], uint64_t n, char separator)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[at++] = separator;
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

char *format_uptime(char out[24], uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 86400)
		snprintf(out, 24, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(out, 24, "%" PRIu64 "d %02" PRIu64 "h", s / 86400, s / 3600 % 24);
	return out;
}

char *format_bytes(char out[24], uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	unsigned unit = 0;

	while (v >= 1023.5 && unit < 4) {
		v /= 1024.0;
		unit++;
	}
	bool is_whole = v >= 99.95 || v < (double)(uint64_t)v + 0.05;
	snprintf(out, 24, is_whole ? "%.0f %s" : "%.1f %s", v, units[unit]);
	return out;
}

void format_mib_of(char out[24], bool is_known, uint64_t bytes, uint64_t limit)
{
	double mib = 1048576.0, v = (double)bytes / mib;

	if (is_known)
		snprintf(out, 24, v < 9.95 ? "%.1f/%.0fM" : "%.0f/%.0fM", v, (double)limit / mib);
	else
		snprintf(out, 24, "n/a");
}
