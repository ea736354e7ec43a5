/* SPDX-License-Identifier: MIT */
#ifndef TUI_DISPLAYS_H
#define TUI_DISPLAYS_H

/* The displays of runs, on a terminal or in a pipe that only takes lines: text as text, HTML and Markdown
 * as readable text, and a note for each image. On request, images are saved as files. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_info;
struct trm_display;
struct trm_result;

struct displays {
	bool is_plain;   /* without bold and the like, which what is no terminal does not know in any case */
	const char *dir; /* to save figures in; NULL: nowhere */
	bool saves_all;  /* whatever is more than plain text */
	bool clears;     /* files of earlier runs in `dir` are removed before the first is saved */
	bool has_offset; /* `offset` is known */
	uint64_t offset; /* added to the numbers of runs: files of earlier ones stay */
	uint64_t run;    /* number of the one that is shown */
	unsigned n_images; /* of it, and what else was saved */
	char *mime, *data; /* the best form of the display that is coming in, and its bundle */
	size_t n, bundle;
	bool is_collected; /* it is a file of the code's, which is not printed if it is saved */
};

struct displays_out {
	void (*text)(void *user,
			const char *text); /* text to show, one or more lines, without the last newline */
	void (*note)(void *user, const char *text); /* a note about a display */
	/* An image that was not saved. True: it is handled, and needs no note. May be NULL. */
	bool (*image)(void *user, const uint8_t *bytes, size_t n, const struct image_info *info);
};

void displays_add(struct displays *d, uint64_t run, const struct trm_display *display,
		const struct displays_out *out, void *user);
/* Save all displays of a result that are to be saved, and set their `path` (malloc'd). */
void displays_save_all(struct displays *d, struct trm_display *displays, size_t n,
		const struct displays_out *out, void *user);
/* The run has ended: nothing more of the last display comes. */
void displays_end(struct displays *d, const struct displays_out *out, void *user);
/* Is the value of the run what its last display has shown, in another form? Then it need not be shown
 * again. */
bool displays_have_value(const struct trm_result *result);
void displays_finish(struct displays *d); /* accepts a zeroed object */

#endif
