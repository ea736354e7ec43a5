/* SPDX-License-Identifier: MIT */
#include <terrarium/version.h>

#define TEXT_OF(x) #x
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *trm_version(void)
{
	return DOTTED(TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
}

int trm_version_number(void)
{
	return TRM_VERSION;
}
