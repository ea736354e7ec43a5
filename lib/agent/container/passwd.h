/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_PASSWD_H
#define TRM_AGENT_CONTAINER_PASSWD_H

/* Users and groups as the container's own /etc/passwd and /etc/group have them (passwd(5), group(5)): read
 * here and not with getpwnam(), which would also talk to daemons of the image. The files are the image's, so
 * they may be missing, long, or no such thing at all. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>

struct passwd {
	uint32_t uid, gid;
	char name[64];  /* its number when it has no entry */
	char home[256]; /* "" when it has no entry */
};

/* The account that "USER[:GROUP]" means, each a name or a number. A number needs no entry; its group is then
 * the same number. TRM_ENOENT: there is no such name; TRM_EINVAL: no such form. */
int passwd_find(const char *spec, struct passwd *ret, struct trm_error *reterr);
/* The one of a uid. */
void passwd_of(uint32_t uid, uint32_t gid, struct passwd *ret);

#endif
