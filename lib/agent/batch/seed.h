/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SEED_H
#define TRM_AGENT_SEED_H

/* What a compiler can use again, made once for all sandboxes (`terrarium langs --prepare`), in a folder that
 * is read-only inside. The compiler's own cache is filled with links to its files, so that what it makes here
 * stays here. */

/* `seed`: "NAME:FOLDER", the folder of that name, and a cache below the home; NULL: nothing is done. A cache
 * that is there already stays as it is. This compiler must have made the folder, with these very words;
 * compiler[0] NULL: the language names no compiler, and nothing is compared. */
void seed_fill(const char *seed, const char *const *compiler);

#endif
