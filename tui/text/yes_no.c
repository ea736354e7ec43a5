/* SPDX-License-Identifier: MIT */
#include "text/yes_no.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\n"

enum yes_no yes_no_of(const char *line)
{
	static const struct {
		const char *word;
		enum yes_no meaning;
	} words[] = {{"yes", YES_NO_YES}, {"no", YES_NO_NO}, {"always", YES_NO_ALWAYS}};

	line += strspn(line, BLANKS);
	size_t n = strcspn(line, BLANKS);
	if (!n)
		return YES_NO_SILENT;
	if (line[n + strspn(line + n, BLANKS)])
		return YES_NO_UNCLEAR;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((n == 1 || n == strlen(words[i].word)) && strncasecmp(line, words[i].word, n) == 0)
			return words[i].meaning;
	return YES_NO_UNCLEAR;
}
