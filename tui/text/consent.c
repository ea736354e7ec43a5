/* SPDX-License-Identifier: MIT */
#include "text/consent.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\n"

enum consent consent_of(const char *line)
{
	static const struct {
		const char *word;
		enum consent meaning;
	} words[] = {{"yes", CONSENT_YES}, {"no", CONSENT_NO}, {"always", CONSENT_ALWAYS}};

	line += strspn(line, BLANKS);
	size_t n = strcspn(line, BLANKS);
	if (!n)
		return CONSENT_SILENT;
	if (line[n + strspn(line + n, BLANKS)])
		return CONSENT_UNCLEAR;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((n == 1 || n == strlen(words[i].word)) && strncasecmp(line, words[i].word, n) == 0)
			return words[i].meaning;
	return CONSENT_UNCLEAR;
}
