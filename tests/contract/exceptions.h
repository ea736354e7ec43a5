/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_EXCEPTIONS_H
#define TESTS_CONTRACT_EXCEPTIONS_H

/* Why this case of contract.c cannot hold there; NULL: it must. */
const char *exception_reason(const char *backend, const char *lang, const char *name);

#endif
