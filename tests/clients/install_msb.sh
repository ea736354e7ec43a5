#!/bin/sh
# SPDX-License-Identifier: MIT
# install_msb.sh DIR: microsandbox's own command line, DIR/msb/msb, in the version of msb.txt, from the package index
# that npm is set up to use. Exits with 77 when the index does not give it.
set -eu
dir=$1/msb
version=$(cat "$(dirname "$0")/msb.txt")
[ "$(cat "$dir/installed" 2>/dev/null || :)" != "$version" ] || exit 0

skip() {
	echo "SKIP: msb could not be installed: $*"
	exit 77
}

case $(uname -m) in
x86_64) platform=linux-x64-gnu ;;
aarch64) platform=linux-arm64-gnu ;;
*) skip "there is none for $(uname -m)" ;;
esac
command -v npm >/dev/null 2>&1 || skip "there is no npm"
mkdir -p "$dir" 2>/dev/null && [ -w "$dir" ] || skip "$dir cannot be written to"
# The package of the platform is what its launcher, which wants a newer Node than Debian's, would start.
if ! npm install --prefix "$dir" --no-save --no-audit --no-fund --ignore-scripts --force --fetch-timeout=20000 \
		--fetch-retries=1 "@superradcompany/microsandbox-$platform@$version" >"$dir/install.log" 2>&1; then
	cat "$dir/install.log"
	skip "see what npm says above"
fi
ln -sf "node_modules/@superradcompany/microsandbox-$platform/bin/msb" "$dir/msb"
"$dir/msb" --version
echo "$version" >"$dir/installed"
