/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_TESTS_LANGS_H
#define TERRARIUM_TESTS_LANGS_H

/* The first rows of the language table, by number: those that every machine of the tests has. */
enum { LANG_PYTHON, LANG_JAVASCRIPT, LANG_BASH, LANG_COUNT };

#endif
