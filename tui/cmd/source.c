/* SPDX-License-Identifier: MIT */
#include "cmd/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/install.h>
#include <terrarium/magic.h>
#include <terrarium/text.h>

static int read_all(struct source *s, int fd, const char *label, struct trm_error *reterr)
{
	size_t cap = 0;
	for (;;) {
		if (s->n + 1 >= cap) {
			cap = cap ? 2 * cap : 16 << 10;
			char *mem = realloc(s->text, cap);
			if (!mem)
				return trm_error_set(
						reterr, TRM_ENOMEM, "cannot read %s: out of memory", label);
			s->text = mem;
		}
		ssize_t got = read(fd, s->text + s->n, cap - 1 - s->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return trm_error_set(reterr, TRM_EIO, "cannot read %s: %s", label, strerror(errno));
		s->n += (size_t)got;
		s->text[s->n] = 0;
		if (got == 0)
			return 0;
		if (s->n > SOURCE_MAX_BYTES)
			return trm_error_set(reterr, TRM_ETOOBIG, "cannot run %s: it is larger than 16 MiB",
					label);
	}
}

static int read_file(struct source *s, struct trm_error *reterr)
{
	struct stat st;
	if (!*s->name)
		return trm_error_set(reterr, TRM_EINVAL, "the name of the file to run is empty");
	int fd = open(s->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return trm_error_set(reterr, TRM_ENOENT, "cannot read %s: %s", s->name, strerror(errno));
	int r = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? trm_error_set(
				reterr, TRM_EINVAL, "cannot run %s: it is a directory", s->name)
							   : read_all(s, fd, s->name, reterr);
	close(fd);
	return r;
}

static int check_text(const struct source *s, const char *label, struct trm_error *reterr)
{
	size_t line = 1;
	for (size_t i = 0; i < s->n;) {
		uint32_t cp;
		bool is_valid;
		size_t n = trm_utf8_decode(s->text + i, s->n - i, &cp, &is_valid);
		if (!cp)
			return trm_error_set(reterr, TRM_EINVAL,
					"cannot run %s: it is a binary file (a NUL byte in line %zu), not text",
					label, line);
		if (!is_valid)
			return trm_error_set(reterr, TRM_EINVAL,
					"cannot run %s: line %zu is not UTF-8 text; save the file as UTF-8",
					label, line);
		line += cp == '\n';
		i += n;
	}
	return 0;
}

static void drop_byte_order_mark(struct source *s)
{
	if (s->n < 3 || memcmp(s->text, "\xef\xbb\xbf", 3))
		return;
	s->n -= 3;
	memmove(s->text, s->text + 3, s->n + 1);
}

int source_read(struct source *s, struct trm_error *reterr)
{
	static const char *const labels[] = {NULL, "standard input", "the code after -c", NULL};
	const char *label = s->kind == SOURCE_FILE ? s->name : labels[s->kind];
	int r = 0;
	s->n = 0;
	if (s->kind == SOURCE_FILE) {
		r = read_file(s, reterr);
	} else if (s->kind == SOURCE_STDIN) {
		r = read_all(s, STDIN_FILENO, label, reterr);
	} else if (!(s->text = strdup(s->name))) {
		r = trm_error_set(reterr, TRM_ENOMEM, "cannot run %s: out of memory", label);
	} else {
		s->n = strlen(s->text);
	}
	if (r == 0)
		r = check_text(s, label, reterr);
	if (r == 0)
		drop_byte_order_mark(s);
	return r;
}

/* The program of a #! line, without its folder, `env` and version: "python" for "#!/usr/bin/env -S
 * python3.11 -u". False: there is no such line. */
static bool shebang(const struct source *s, char *out, size_t cap)
{
	char line[256];
	if (s->n < 3 || s->text[0] != '#' || s->text[1] != '!')
		return false;
	snprintf(line, sizeof line, "%.*s", (int)strcspn(s->text + 2, "\r\n"), s->text + 2);
	char *rest = line, *word;
	while ((word = strtok_r(rest, " \t", &rest))) {
		char *slash = strrchr(word, '/');
		word = slash ? slash + 1 : word;
		if (strcmp(word, "env") && word[0] != '-' && !strchr(word, '='))
			break;
	}
	if (!word)
		return false;
	size_t n = strlen(word);
	if (strchr(word, '.'))
		while (n && strchr("0123456789.", word[n - 1]))
			n--;
	snprintf(out, cap, "%.*s", (int)n, word);
	return n > 0;
}

int source_guess(struct source *s, const struct trm_lang *forced, const struct trm_lang *fallback,
		struct trm_error *reterr)
{
	char program[64];
	struct trm_error by_name = {0};
	s->lang = forced ? forced : fallback;
	if (forced || s->kind == SOURCE_ARGUMENT)
		return 0;
	int r = s->kind == SOURCE_FILE ? trm_lang_guess(s->name, &s->lang, &by_name) : TRM_EINVAL;
	if (r == TRM_EINVAL && shebang(s, program, sizeof program))
		return trm_lang_find(program, &s->lang, reterr);
	if (r < 0 && s->kind == SOURCE_FILE)
		return trm_error_set(reterr, r, "%s", by_name.msg);
	return 0;
}

int source_find_libraries(struct source *s, struct trm_error *reterr)
{
	struct trm_error why;
	size_t n_before = 0, n = 0;
	while (s->libraries && s->libraries[n_before])
		n_before++;
	int r = trm_libraries_of_script(&s->libraries, s->lang, s->text, s->n, &why);
	if (r == 0)
		r = trm_magic_libraries(&s->libraries, s->lang, s->text, s->n, &why);
	while (s->libraries && s->libraries[n])
		n++;
	s->has_own_libraries = n > n_before;
	return r < 0 ? trm_error_set(reterr, r, "%s: %s",
			       s->kind == SOURCE_FILE || s->kind == SOURCE_CELL ? s->name : "the code",
			       why.msg)
		     : 0;
}

void source_finish(struct source *s)
{
	trm_libraries_free(s->libraries);
	free(s->text);
	free(s->own_name);
	*s = (struct source){0};
}
