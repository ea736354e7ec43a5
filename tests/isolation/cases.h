/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ISOLATION_CASES_H
#define TESTS_ISOLATION_CASES_H

/* Each runs a group of cases and returns how many failed. */

int cases_walls(void); /* what code inside can see and touch */
/* Before the change of user: the tree may lie where he cannot look. */
void attacks_open(void);
int cases_attacks(void);   /* everything else that might be tried from inside */
int cases_limits(void);    /* what it can use up */
int cases_usable(void);    /* what the host feels of that */
int cases_leftovers(void); /* what stays when it is over */

#endif
