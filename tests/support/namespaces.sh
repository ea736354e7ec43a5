#!/bin/sh
# SPDX-License-Identifier: MIT
# Do namespaces work here, as sandboxes of the level "namespaces" need them? Exits with 0, or says why not in one line
# and exits with 1. The one place where tests ask: namespaces.h is for C, `need_namespaces` in tests/cli/tell.sh for shell.
command -v bwrap >/dev/null || { echo "bubblewrap is not installed"; exit 1; }
said=$(bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true 2>&1) && exit 0
echo "bubblewrap cannot start: $(printf %s "$said" | tail -n 1)"
exit 1
