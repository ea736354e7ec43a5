/* SPDX-License-Identifier: MIT */
/* What we find in .env files, and what python-dotenv finds in them: a table of cases and thousands of random
 * ones are written to a file with our answers, and dotenv_peer.py compares. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/dotenv.h"

enum { RANDOM_CASES = 8000, WORDS_MAX = 30 };

static const char *const table[] = {"A=1", "A=1\n", "export A=1", "export\tA = 1 ", "exportA=1", "export=1",
		"export", "export =1", "A='b c'", "A=\"b c\"", "A='b'c", "A='b' # c", "A='b'# c", "A=b # c",
		"A=b#c", "A= # c", "A=# c", "A=\nB=2", "A\nB=2", "A B=2", "A b", "=1", "'A'=1", "'A B'=1",
		"''=1", "\"A\"=1", "A:1", "A='b\nc'\nB=2", "A=\"b\\nc\"", "A='b\\nc'", "A='b\\'c'",
		"A=\"b\\\"c\"", "A=\"b\\\\\"", "A='b\\", "A='b\\'", "A='b\nB=2", "A=\"b", "A=b\\nc",
		"A=\"\\t\\a\\b\\f\\v\\r\\x\"", "A= b  ", "A=b\tc", "\n\n  A=1\n\n", "# A=1", "  # A=1\nB=2",
		"A=1 B=2", "A=1;B=2", "A==1", "A=1=2",
		"\xef\xbb\xbf"
		"A=1\nB=2",
		"A=1\r\nB=2\r\n", "A=1\rB=2\r", "A='b\r\nc'", "A=${SET}", "A=${UNSET}", "A=${UNSET:-d}",
		"A=${SET:-d}", "A=${EMPTY:-d}", "B=1\nA=${B}", "A=${B}\nB=1", "B\nA=${B:-d}x", "A=$SET",
		"A=${SET", "A=\\${SET}", "A='${SET}'", "A=\"${SET}\"", "A=${UNSET:-${SET}}", "A=${:-d}",
		"A=${}", "A=${a:b}", "A=${a:}", "A=${UNSET:-a:-b}", "SET=mine\nA=${SET}", "A=1\nA=2\nB=${A}",
		"A=1\nA\n",
		"\xc2\xa0"
		"A\xc2\xa0=\xc2\xa0"
		"b\xc2\xa0#c",
		"A=\xe2\x80\xa8"
		"b",
		"A=b\x0b#c",
		"\x1c"
		"A=1\x1c",
		"\xc3\xa9=1", "A.b-c=1", "A=a b c", "A=\"a\" b", "A='a'\"b\"", "A = 'a'", "A ='a'", "A\t=\ta",
		"A=\"b\n# c\"", "A='", "A=\"", "'A=1", "'A'", "'A' ", "A='b''", "A=\"b\"\"", "A='\\\\'",
		"A='\\\\\\''"};

static const char *const words[] = {"A", "B", "C", "export ", "export", "=", "=", "=", "'", "'", "\"", "\"",
		"\\", "\\", "\n", "\n", "\r\n", "\r", " ", " ", "\t", "#", "#", "${A}", "${B:-x}", "${SET}",
		"${EMPTY}", "${", "}", ":-", ":", "$", "n", "t", "x", "\xc3\xa9", "\xc2\xa0", "\xe2\x80\xa8",
		"\xc2\x85", "\x0b", "\x1c", "\xef\xbb\xbf", "\xf0\x9f\x98\x80", "A=", "B='", "C=\"", "\\'",
		"\\\"", "\\n", " # "};

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void write_bytes(FILE *f, const char *bytes, size_t n)
{
	int32_t len = bytes ? (int32_t)n : -1;

	fwrite(&len, sizeof len, 1, f);
	fwrite(bytes ? bytes : "", 1, bytes ? n : 0, f);
}

static int on_binding(void *user, const char *key, const char *value, size_t line)
{
	FILE *f = user;

	(void)line;
	write_bytes(f, key, strlen(key));
	write_bytes(f, value, value ? strlen(value) : 0);
	return 0;
}

/* The text, what we find in it as keys and values, and an end. */
static void write_case(FILE *f, const char *text)
{
	char *exact = malloc(strlen(text) + 1); /* so that a sanitizer sees what lies behind it */

	memcpy(exact, text, strlen(text));
	write_bytes(f, text, strlen(text));
	if (dotenv_each(exact, strlen(text), on_binding, f, NULL) != 0)
		abort();
	write_bytes(f, NULL, 0);
	free(exact);
}

static void write_random(FILE *f, uint32_t *state)
{
	char text[WORDS_MAX * 16] = "";

	for (uint32_t n = random_next(state) % WORDS_MAX; n; n--)
		strcat(text, words[random_next(state) % (sizeof words / sizeof *words)]);
	write_case(f, text);
}

int main(void)
{
	char path[] = "/tmp/terrarium-dotenv-XXXXXX", command[4096];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	uint32_t state = 1;

	if (!f)
		return 2;
	setenv("SET", "from the environment", 1);
	setenv("EMPTY", "", 1);
	unsetenv("UNSET");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		write_case(f, table[i]);
	for (int i = 0; i < RANDOM_CASES; i++)
		write_random(f, &state);
	if (fclose(f) != 0)
		return 2;
	snprintf(command, sizeof command,
			"PYTHONDONTWRITEBYTECODE=1 PATH=/usr/bin:/bin python3 %s/tests/lib/config/dotenv_peer.py %s",
			TESTS_SOURCE_DIR, path);
	int status = system(command);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
