/* SPDX-License-Identifier: MIT */
#ifndef TUI_DISPLAYS_H
#define TUI_DISPLAYS_H

/* What runs show, on a terminal or in a pipe that takes lines only: text as text, HTML and Markdown as text
 * that can be read, of images that they were there; and all of them as files, where that is asked for. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_info;
struct trm_display;
struct trm_result;

struct displays {
	bool is_plain;   /* without bold and the like, which what is no terminal does not know in any case */
	const char *dir; /* to save images in; NULL: nowhere */
	uint64_t run;    /* number of the one that is shown */
	unsigned n_images; /* of it */
	char *mime, *data; /* the best form of the display that is coming in, and its bundle */
	size_t n, bundle;
};

struct displays_out {
	void (*text)(void *user,
			const char *text); /* what was shown, a line or more, without the last newline */
	void (*note)(void *user, const char *text); /* what is to be said of it */
	/* An image that was not saved. True: it is dealt with, and needs no note. May be NULL. */
	bool (*image)(void *user, const uint8_t *bytes, size_t n, const struct image_info *info);
};

void displays_add(struct displays *d, uint64_t run, const struct trm_display *display,
		const struct displays_out *out, void *user);
/* The run has ended: nothing more of the last display comes. */
void displays_end(struct displays *d, const struct displays_out *out, void *user);
/* The value of the run is what its last display has shown, in another form: it need not be shown again. */
bool displays_have_value(const struct trm_result *result);
void displays_finish(struct displays *d); /* takes a zeroed object */

#endif
