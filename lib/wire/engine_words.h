/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_ENGINE_WORDS_H
#define TRM_WIRE_ENGINE_WORDS_H

/* Recognizes the errors in messages of docker and podman. */

/* The error code for a message; `otherwise` if it contains no known sign. */
int engine_words_code(const char *words, int otherwise);

#endif
