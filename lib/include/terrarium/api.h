/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_API_H
#define TERRARIUM_API_H

/* What the declarations of each public header stand between: they have C linkage in C++, too, and only they
 * are visible outside of the shared library. */

#ifdef __cplusplus
#define TRM_BEGIN_API \
	extern "C" { \
	_Pragma("GCC visibility push(default)")
#define TRM_END_API \
	_Pragma("GCC visibility pop") \
	}
#else
#define TRM_BEGIN_API _Pragma("GCC visibility push(default)")
#define TRM_END_API _Pragma("GCC visibility pop")
#endif

#endif
