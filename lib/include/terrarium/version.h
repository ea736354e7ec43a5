/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_VERSION_H
#define TERRARIUM_VERSION_H

/* The version of these headers, and that of the library that is loaded. While the major number is 0, a new
 * minor number may change anything; a new patch number changes no declaration. */

#include <terrarium/api.h>

#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 2
#define TRM_VERSION_PATCH 0

/* For comparisons in #if: TRM_VERSION >= TRM_VERSION_OF(0, 2, 0) */
#define TRM_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define TRM_VERSION TRM_VERSION_OF(TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH)

TRM_BEGIN_API

const char *trm_version(void); /* of the library: "0.2.0" */
int trm_version_number(void);  /* the same as TRM_VERSION_OF() */

TRM_END_API

#endif
