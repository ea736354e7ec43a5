/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_ARTIFACT_H
#define TERRARIUM_ARTIFACT_H

/* What displays are: for front ends that make displays of files, or files of displays. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_display;

/* Set format, size and dots per inch of a display by its MIME type and its data, which are hostile: only
 * some headers are read. What they do not say stays unknown. */
void trm_display_measure(struct trm_display *display);

/* True if the display is a figure rather than text: an image, a PDF, or HTML with scripts. */
bool trm_display_is_figure(const struct trm_display *display);

/* The display as one JSON object on one line, with the members that trm_result_to_json() gives it. malloc'd;
 * NULL: out of memory. */
char *trm_display_to_json(const struct trm_display *display);

/* MIME type of a file by the ending of its name; "application/octet-stream" for others. Static. */
const char *trm_mime_guess(const char *filename);

/* A display of a file with the source TRM_DISPLAY_COLLECTED, the name as its title, and the MIME type of its
 * name. Bytes that are to be text but are no UTF-8 become "application/octet-stream". The texts are malloc'd.
 * TRM_ENOMEM. */
int trm_display_of_file(const char *name, const void *bytes, size_t n, struct trm_display *ret);

TRM_END_API

#endif
