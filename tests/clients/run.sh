#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh ENVIRONMENT SCRIPT ARG…: a script with the Python of an environment that install.sh made.
set -eu
environment=$1
shift
if [ ! -e "$environment/installed" ]; then
	echo "SKIP: the clients of other people are not there: ./dev test installs them, when it reaches a package index"
	exit 77
fi
exec "$environment/bin/python" -B "$@"
