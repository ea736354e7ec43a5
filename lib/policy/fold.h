/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_FOLD_H
#define TRM_POLICY_FOLD_H

/* Python takes names in their NFKC form: `import 𝓸𝓼` imports os. */

#include <stddef.h>

/* The code with those letters, digits and underscores written as the ASCII that they mean, wherever they
 * stand; its lines stay. To be freed. NULL: no memory. */
char *fold_create(const char *code, size_t n, size_t *ret_n);

#endif
