/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_ENGINE_WORDS_H
#define TRM_WIRE_ENGINE_WORDS_H

/* What docker and podman say when a command fails. */

/* The code for these words; `otherwise` if no sign in them is known. */
int engine_words_code(const char *words, int otherwise);

#endif
