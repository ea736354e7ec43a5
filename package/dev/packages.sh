# shellcheck shell=sh disable=SC2034 # the other files use the lists
# SPDX-License-Identifier: MIT
# The Debian packages that the verbs need: "package|program or file that will do instead|why".

build_needs='gcc|/usr/bin/gcc|compiles the program
libc6-dev|/usr/include/stdlib.h|headers of the C library
cmake|/usr/bin/cmake|configures the build
ninja-build|/usr/bin/ninja|runs the build
pkg-config|/usr/bin/pkg-config|finds the libraries
musl-tools|/usr/bin/musl-gcc|compiles the static programs that live in sandboxes
libncurses-dev|/usr/include/curses.h|the screen
libcjson-dev|/usr/include/cjson/cJSON.h|JSON
libpcre2-dev|/usr/include/pcre2.h|headers of PCRE2, which is loaded only for regular expressions
libvterm-dev|/usr/include/vterm.h|terminal emulation of what programs print
libseccomp-dev|/usr/include/seccomp.h|system call filters of the sandbox
libtree-sitter-dev|/usr/include/tree_sitter/api.h|syntax highlighting'
build_requested='python3|/usr/bin/python3 .grammars/tree-sitter-bash-*.tar.gz|fetches the grammars for it, once
python3-pip-whl|/usr/lib/python3/dist-packages/pip/__main__.py /usr/share/python-wheels/pip-*.whl .grammars/tree-sitter-bash-*.tar.gz|finds them in the Python index
ca-certificates|/etc/ssl/certs/ca-certificates.crt .grammars/tree-sitter-bash-*.tar.gz|knows whom to trust there'
run_needs='bubblewrap|/usr/bin/bwrap|makes the sandboxes
python3|/usr/bin/python3|runs Python in them
nodejs|/usr/bin/node|runs JavaScript in them
bash|/usr/bin/bash|runs shell scripts in them
slirp4netns|/usr/bin/slirp4netns|network for those that are to have one
libreadline8|/usr/lib/libreadline.so.8 /usr/lib/*/libreadline.so.8 /lib/*/libreadline.so.8|edits the lines of terrarium repl
libchafa0|/usr/lib/libchafa.so.0 /usr/lib/*/libchafa.so.0|draws images with characters
libpng16-16|/usr/lib/libpng16.so.16 /usr/lib/*/libpng16.so.16|reads PNG images
python3-pip-whl|/usr/lib/python3/dist-packages/pip/__main__.py /usr/share/python-wheels/pip-*.whl|installs Python packages in them
ca-certificates|/etc/ssl/certs/ca-certificates.crt|whom to trust: package indexes, servers
libturbojpeg0|/usr/lib/libturbojpeg.so.0 /usr/lib/*/libturbojpeg.so.0|reads JPEG images
libmicrohttpd12|/usr/lib/libmicrohttpd.so.12 /usr/lib/*/libmicrohttpd.so.12|speaks HTTP for terrarium serve
libcurl4|/usr/lib/libcurl.so.4 /usr/lib/*/libcurl.so.4|sandboxes on a server
libgnutls30|/usr/lib/libgnutls.so.30 /usr/lib/*/libgnutls.so.30 /lib/*/libgnutls.so.30|checks the keys of terrarium serve'
unit_needs='libcmocka-dev|/usr/include/cmocka.h|unit tests'
test_needs='curl|/usr/bin/curl|talks to the server in tests
file|/usr/bin/file|makes a package for tests
iproute2|/usr/sbin/ip /sbin/ip /usr/bin/ip|makes the networks of tests
openssl|/usr/bin/openssl|makes the certificates of tests
python3-tqdm|/usr/lib/python3/dist-packages/tqdm/__init__.py|draws progress bars for tests
python3-rich|/usr/lib/python3/dist-packages/rich/__init__.py|draws progress displays for tests
python3-matplotlib|/usr/lib/python3/dist-packages/matplotlib/__init__.py|draws the plots of tests
python3-nbformat|/usr/lib/python3/dist-packages/nbformat/__init__.py|checks exported notebooks
dpkg-dev|/usr/bin/dpkg-shlibdeps|makes a package for tests'
engine_needs='docker.io|/usr/sbin/dockerd|a real engine for tests, which start it themselves
apparmor|/usr/sbin/apparmor_parser /sbin/apparmor_parser|without it dockerd makes no containers where the kernel has AppArmor
podman|/usr/bin/podman|another real engine for tests
crun|/usr/bin/crun|starts containers for it
uidmap|/usr/bin/newuidmap|gives ids to a podman that is not root in tests
busybox-static|/usr/bin/busybox /bin/busybox|a system of one file for images of tests'
cluster_needs='containerd|/usr/bin/containerd|runs the containers of a real cluster in tests
runc|/usr/bin/runc /usr/sbin/runc|starts them
containernetworking-plugins|/usr/lib/cni/bridge|gives its pods a network
busybox-static|/usr/bin/busybox /bin/busybox|a system of one file for its images
iproute2|/usr/sbin/ip /sbin/ip|sets up the network of its node
openssl|/usr/bin/openssl|makes its certificates'
client_needs='openssh-server|/usr/sbin/sshd|another machine, for tests of backends by ssh
openssh-client|/usr/bin/ssh|the way there'
client_requested='systemd-container|/usr/bin/systemd-nspawn|a backend of tests
npm|/usr/bin/npm /usr/local/bin/npm|fetches the command line of microsandbox for tests'
language_requested='g++|/usr/bin/g++|C++ in tests
default-jdk-headless|/usr/bin/javac|Java in tests
golang-go|/usr/bin/go /usr/local/go/bin/go|Go in tests
r-base-core|/usr/bin/Rscript|R in tests
ruby|/usr/bin/ruby|Ruby in tests
node-typescript|/usr/bin/tsc|TypeScript in tests, where node is older than 22.18
lua5.4|/usr/bin/lua5.4|a language of a config file in tests'
test_requested='python3-dotenv|/usr/lib/python3/dist-packages/dotenv/__init__.py|reads .env files beside us in tests
zsh|/usr/bin/zsh|completes words in tests
fish|/usr/bin/fish|completes words in tests'
check_needs='clang|/usr/bin/clang|the second compiler
libclang-rt-14-dev|/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer*|its sanitizers and fuzzer
clang-format|/usr/bin/clang-format|the format of the sources'
valgrind_needs='valgrind|/usr/bin/valgrind|looks for leaks, and use of what was never set
libc6-dbg|/usr/lib/debug/.build-id/*|tells it the functions of the C library'
lint_needs='cppcheck|/usr/bin/cppcheck|static analysis
clang-tidy|/usr/bin/clang-tidy|static analysis'
deb_needs='file|/usr/bin/file|tells what a file is
dpkg-dev|/usr/bin/dpkg-shlibdeps|finds out what the package depends on
binutils|/usr/bin/strip|makes it small'
boot_needs='qemu-system-x86|/usr/bin/qemu-system-x86_64|a machine with systemd and cgroup v2
mmdebstrap|/usr/bin/mmdebstrap|makes the system for it
genext2fs|/usr/bin/genext2fs|makes the disk for it
e2fsprogs|/usr/sbin/mke2fs /sbin/mke2fs|makes the disk for it'
bench_needs='nano|/usr/bin/nano|a reference of ./dev bench
micro|/usr/bin/micro|a reference of ./dev bench
htop|/usr/bin/htop|a reference of ./dev bench
tmux|/usr/bin/tmux|a reference of ./dev bench'

has_one() {
	for file in $1; do
		[ -e "$file" ] && return 0
	done
	return 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		die "installing packages needs root, and there is no sudo; as root run: apt-get install$missing"
	fi
}

# apt WHAT COUNT ARGUMENT...: see with_progress.
apt() {
	apt_log=$(mktemp)
	what=$1 count=$2 code=0
	shift 2
	with_progress "$what" "$count" "$apt_log" \
		as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" || code=$?
	rm -f "$apt_log"
	return $code
}

# No package is to start a daemon: tests start those that they need, and nobody asked for others. What Debian
# asks first is this file.
apt_install() {
	policy=/usr/sbin/policy-rc.d
	if [ -e $policy ]; then
		policy=
	else
		printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
		as_root chmod 755 $policy
		trap 'as_root rm -f $policy; trap - INT TERM EXIT; exit 1' INT TERM
	fi
	installed=0
	say "installing them, and what they depend on"
	# shellcheck disable=SC2086 # one word per package
	apt "installing packages" count_installed install -y --no-install-recommends $missing || installed=$?
	[ -z "$policy" ] || as_root rm -f $policy
	trap - INT TERM
	return $installed
}

# The lists are updated once, and only if there are none or they turn out to be old.
apt_install_all() {
	as_root true # sudo may ask for a password, which no line of progress is to overwrite
	if has_one '/var/lib/apt/lists/*_Packages*'; then
		apt_install && return 0
		say "could not install from the package lists of this machine: updating them"
	else
		say "fetching the package lists, of which this machine has none"
	fi
	apt "fetching package lists" count_fetched update
	apt_install || die "could not install:$missing"
}

# need LIST...: install what is missing. Only looks at files, so that nothing missing costs nothing.
need() {
	missing=
	for list in "$@"; do
		while IFS='|' read -r package files why; do
			has_one "$files" && continue
			[ -n "$missing" ] || say "some Debian packages are missing and will be installed:"
			printf '  %-22s %s\n' "$package" "$why" >&2
			missing="$missing $package"
		done <<LIST
$list
LIST
	done
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null 2>&1 ||
		die "this is not Debian (no apt-get): install these with the system's own means, then try again"
	apt_install_all
}

# wish LIST: as need, but what cannot be had is done without.
wish() {
	(need "$@") || say "going on without it"
}
