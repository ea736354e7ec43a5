/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FOLDER_H
#define TRM_WIRE_FOLDER_H

/* The folder of a sandbox without namespaces. It replaces the directories that other sandboxes have at
 * fixed paths: /workspace/x, as clients call it, is FOLDER/workspace/x, and so on for /home/user and
 * /tmp. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLDER_WORKSPACE "workspace"
#define FOLDER_HOME "home"
#define FOLDER_TMP "tmp"
#define FOLDER_SCRIPTS "scripts"        /* /.sandbox, where a server shows scripts */
#define FOLDER_CERTS "certificates.pem" /* a copy of SUPERVISOR_CERTS */
/* The last part of the folder's path is this prefix and 8 of these letters. Nothing else is ever removed. */
#define FOLDER_PREFIX "terrarium-"
#define FOLDER_LETTERS "abcdefghijklmnopqrstuvwxyz234567"

/* The users of root's sandboxes, to whom their folders belong (supervisor/limits/user.h). */
enum { USER_FIRST = 61000, USER_COUNT = 184, USER_MORE_FIRST = 1879048192, USER_MORE_COUNT = 4096 };
bool folder_is_user(uint32_t uid);

/* Is the path one of these directories, or inside one? If so, its path on this machine is written to `out`.
 */
bool folder_path(const char *folder, const char *path, char *out, size_t cap);

#endif
