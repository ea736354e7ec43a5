#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh DIR [NAME…]: virtual environments with the clients of other people, DIR/sdk and DIR/mcp or those named, from the
# package index that pip is set up to use. What is there already stays. Exits with 77 when the index does not give them.
set -eu
dir=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3

skip() {
	echo "SKIP: the clients of other people could not be installed: $*"
	exit 77
}

# pip itself is the system's: making one for each environment takes as long as all the rest.
pip() {
	if $python -m pip --version >/dev/null 2>&1; then
		$python -m pip "$@"
		return
	fi
	for wheel in /usr/share/python-wheels/pip-*.whl; do
		[ -e "$wheel" ] || skip "there is no pip (Debian: python3-pip-whl)"
		$python "$wheel/pip" "$@"
		return
	done
}

# One that was made for other versions, or was not finished, is made anew.
install() {
	stamp="$dir/$1/installed"
	wanted="$($python --version) $(sha256sum <"$here/$1.txt")"
	[ "$(cat "$stamp" 2>/dev/null || :)" != "$wanted" ] || return 0
	mkdir -p "$dir" 2>/dev/null && [ -w "$dir" ] || skip "$dir cannot be written to"
	rm -rf "${dir:?}/$1"
	echo "installing what $1.txt names"
	$python -m venv --without-pip "$dir/$1"
	log=$dir/$1/install.log
	if ! pip --python "$dir/$1/bin/python" install --quiet --no-deps --only-binary :all: --timeout 20 --retries 2 \
			--disable-pip-version-check --no-input -r "$here/$1.txt" >"$log" 2>&1; then
		cat "$log"
		rm -rf "${dir:?}/$1"
		skip "see what pip says above"
	fi
	echo "$wanted" >"$stamp"
}

export PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=
mkdir -p "$dir" 2>/dev/null || :
if [ -w "$dir" ]; then
	exec 9>"$dir/lock"
	flock 9
fi
[ $# != 0 ] || set -- sdk mcp
for name; do
	install "$name"
done
