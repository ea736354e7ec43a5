/* SPDX-License-Identifier: MIT */
#include "base/rlimit.h"

#include <sys/resource.h>

bool rlimit_set(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now, want = {.rlim_cur = soft, .rlim_max = hard};
	if (getrlimit(resource, &now) < 0)
		return false;
	if (now.rlim_max < want.rlim_max)
		want.rlim_max = now.rlim_max;
	if (want.rlim_cur > want.rlim_max)
		want.rlim_cur = want.rlim_max;
	return setrlimit(resource, &want) == 0;
}
