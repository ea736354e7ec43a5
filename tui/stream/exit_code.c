/* SPDX-License-Identifier: MIT */
#include "stream/exit_code.h"

#include <stdbool.h>

#include <terrarium/result.h>

enum { OWN_FAILURE = 125 };

int exit_code_of(const struct trm_result *result)
{
	bool has_ended_it = result->status == TRM_STATUS_KILLED && result->state_lost;
	bool went_wrong = result->status != TRM_STATUS_OK && result->exit_code == 0 && !has_ended_it;
	return went_wrong || result->status == TRM_STATUS_LOST ? OWN_FAILURE : result->exit_code;
}
