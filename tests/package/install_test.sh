# SPDX-License-Identifier: MIT
# An installation is whole, can be moved and staged, needs nothing of the build, and strangers can build with it.
. "$(dirname "$0")/tell.sh"

install_to() {
	"$cmake" --install "$build" "$@" >log 2>&1 || wrong "cmake --install $*: $(cat log)"
}

install_to --prefix "$dir/first"
mv first moved
expect_files moved bin/terrarium include/terrarium/terrarium.h 'lib*/libterrarium.so.0.2' 'lib*/libterrarium.so' \
	'lib*/libterrarium.a' 'lib*/pkgconfig/terrarium.pc' libexec/terrarium/terrarium-agent \
	libexec/terrarium/terrarium-supervisor share/man/man1/terrarium.1 share/terrarium/themes/ocean.json \
	share/doc/terrarium/LICENSE
for theme in "$source"/themes/*.json; do
	cmp "$theme" "moved/share/terrarium/themes/${theme##*/}"
done
if [ -f "$source/tui/cmd/completion.c" ]; then
	expect_files moved share/bash-completion/completions/terrarium 'share/zsh/*/_terrarium' \
		share/fish/vendor_completions.d/terrarium.fish
fi
expect_no_paths moved
expect_runs moved
moved/bin/terrarium check --theme ocean >log 2>&1 || wrong "the themes are not found: $(cat log)"

PKG_CONFIG_LIBDIR=$(echo "$dir"/moved/lib*/pkgconfig)
libdir=${PKG_CONFIG_LIBDIR%/pkgconfig}
export PKG_CONFIG_LIBDIR
# shellcheck disable=SC2046 # options, split into words on purpose
expect_client shared $(pkg-config --cflags --libs terrarium) "-Wl,-rpath,$libdir"
# shellcheck disable=SC2046
expect_client static $(pkg-config --static --cflags --libs terrarium | sed 's/-lterrarium/-l:libterrarium.a/')
mine=$(nm -g --defined-only "$libdir/libterrarium.a" | sed -n 's/^[0-9a-f]* [A-Z] //p' | grep -v '^trm_' || :)
[ -z "$mine" ] || wrong "names that strangers may use themselves: $mine"

export DESTDIR="$dir/stage"
install_to --prefix /opt/terrarium
unset DESTDIR
PKG_CONFIG_LIBDIR=$(echo "$dir"/stage/opt/terrarium/lib*/pkgconfig)
libdir=${PKG_CONFIG_LIBDIR%/pkgconfig}
expect_runs stage/opt/terrarium
# shellcheck disable=SC2046
expect_client staged $(pkg-config --cflags --libs terrarium) "-Wl,-rpath,$libdir"
# shellcheck disable=SC2046
PKG_CONFIG_SYSROOT_DIR="$dir/stage" expect_client sysroot \
	$(PKG_CONFIG_SYSROOT_DIR="$dir/stage" pkg-config --cflags --libs terrarium) "-Wl,-rpath,$libdir"
echo "all as expected"
