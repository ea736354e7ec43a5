/* SPDX-License-Identifier: MIT */
#include <terrarium/terrarium.h>

const char *trm_version(void)
{
	return TERRARIUM_VERSION;
}
