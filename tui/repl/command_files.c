/* SPDX-License-Identifier: MIT */
/* Commands that read and write files of this machine. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "repl/command.h"
#include "repl/repl_internal.h"
#include "text/bytes.h"

/* Replace "~/" at the start by the home directory. */
static void expand(const char *typed, char out[4096])
{
	const char *home = getenv("HOME");
	bool is_home = typed[0] == '~' && (typed[1] == '/' || !typed[1]) && home;
	snprintf(out, 4096, "%s%s", is_home ? home : "", typed + is_home);
}

/* The result is malloc'd and NUL-terminated. NULL: the reason was printed. */
static char *read_file(struct repl *r, const char *typed, size_t *ret_n)
{
	char path[4096];
	struct stat st;
	struct code code = {0};
	char bytes[65536];
	ssize_t n = 0;
	expand(typed, path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		repl_error(r, "cannot read %s: %s", typed, fd < 0 ? strerror(errno) : "it is not a file");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while (code.n <= LINE_MAX_BYTES && (n = read(fd, bytes, sizeof bytes)) > 0)
		if (!code_add(&code, bytes, (size_t)n))
			break;
	close(fd);
	if (n != 0 || !code_add(&code, "", 0)) {
		repl_error(r, "cannot read %s: %s", typed, n < 0 ? strerror(errno) : "it is too big");
		code_finish(&code);
		return NULL;
	}
	*ret_n = code.n;
	return code.text;
}

void repl_command_run(struct repl *r, const char *rest)
{
	const struct trm_lang *lang;
	size_t n;
	if (!*rest) {
		repl_error(r, "which file? :run FILE");
		return;
	}
	char *text = read_file(r, rest, &n);
	if (!text)
		return;
	if (trm_lang_guess(rest, &lang, NULL) == 0 && lang != r->lang)
		repl_set_language(r, lang);
	repl_run_text(r, text, n, strdup(rest));
	free(text);
}

void repl_command_load(struct repl *r, const char *rest)
{
	size_t n;
	char *text = *rest ? read_file(r, rest, &n) : NULL;
	if (!*rest)
		repl_error(r, "which file? :load FILE");
	if (!text)
		return;
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	if (!repl_has_person(r))
		repl_run_text(r, text, n, NULL);
	else if (memchr(text, 0, n))
		repl_error(r, "%s is not text", rest);
	else
		repl_offer(r, text);
	free(text);
}

void repl_command_save(struct repl *r, const char *rest)
{
	char path[4096];
	const char *mime, *dot = strrchr(rest, '.');
	size_t n;
	if (!*rest) {
		repl_error(r, "which file? for example :save session%s", r->lang->suffixes[0]);
		return;
	}
	static const char *const images[] = {".png", ".jpg", ".jpeg", ".svg"};
	const struct trm_lang *lang = r->lang;
	bool is_image = false;
	for (size_t i = 0; dot && i < sizeof images / sizeof *images; i++)
		is_image |= !strcasecmp(dot, images[i]);
	trm_lang_guess(rest, &lang, NULL); /* otherwise the language of the prompt */
	const struct code *script = &r->scripts[lang->index];
	const void *bytes = is_image ? (const void *)images_last(r, &n, &mime) : script->text;
	n = is_image ? n : script->n;
	if (!bytes || !n) {
		if (is_image)
			repl_error(r, "no image has been shown yet");
		else
			repl_error(r, "nothing has been run in %s yet", lang->name);
		return;
	}
	expand(rest, path);
	int failed = write_file(path, O_EXCL, bytes, n);
	if (failed)
		repl_error(r, "cannot write %s: %s", rest, strerror(-failed));
	else
		repl_say(r, "%zu bytes written to %s", n, rest);
}
