/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_PASSWD_H
#define TRM_AGENT_CONTAINER_PASSWD_H

/* Users and groups of the container's own /etc/passwd and /etc/group (passwd(5), group(5)). They are parsed
 * here, because getpwnam() would also talk to daemons of the image. The files come from the image, so they
 * may be missing, long, or something else entirely. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>

struct passwd {
	uint32_t uid, gid;
	char name[64];  /* its number if it has no entry */
	char home[256]; /* "" if it has no entry */
};

/* Find the account for "USER[:GROUP]", each a name or a number. A number needs no entry, and its group is
 * then the same number. Fails with TRM_ENOENT if the name is unknown, with TRM_EINVAL if the form is
 * wrong. */
int passwd_find(const char *spec, struct passwd *ret, struct trm_error *reterr);
/* Find the account of a uid. */
void passwd_of(uint32_t uid, uint32_t gid, struct passwd *ret);

#endif
