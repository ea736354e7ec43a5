/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <terrarium/terrarium.h>

int main(void)
{
	printf("terrarium %s\n", trm_version());
	return 0;
}
