# shellcheck shell=sh disable=SC2154 # `missing` and the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# ./dev bare: the README's two commands in a system that has nothing but a distribution's smallest set of packages.
# The system is a tree of files; tests/bare/enter.sh enters it in namespaces of its own, or it becomes the image of a
# container. In both, tests/bare/inside.sh runs the commands.

bare_needs='mmdebstrap|/usr/bin/mmdebstrap|makes the bare system
git|/usr/bin/git|clones the sources for it'
bare_ubuntu_keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
bare_docker_needs='docker.io|/usr/sbin/dockerd|starts the container'
bare_podman_needs='podman|/usr/bin/podman|starts the container
crun|/usr/bin/crun|starts the container
uidmap|/usr/bin/newuidmap|gives ids to its users'

# make_bare SUITE: build-bare/SUITE.tar, once.
make_bare() {
	[ ! -e "build-bare/$1.tar" ] || return 0
	say "making a bare $1, once (build-bare/$1.log)"
	mkdir -p build-bare
	components=main
	if [ "$1" = noble ]; then
		components=main,universe
		[ -e $bare_ubuntu_keys ] || die "cannot make a bare noble: there is no $bare_ubuntu_keys here, which tells \
Ubuntu's packages from others' (the package ubuntu-keyring of Debian 13 and Ubuntu has it)"
	fi
	mmdebstrap --mode=root --variant=minbase --components=$components --include=sudo "$1" "build-bare/$1.part.tar" \
		>"build-bare/$1.log" 2>&1 || {
		rm -f "build-bare/$1.part.tar"
		die "cannot make a bare $1: $(grep -m1 '^E: ' "build-bare/$1.log" || tail -n 1 "build-bare/$1.log")"
	}
	mv "build-bare/$1.part.tar" "build-bare/$1.tar"
}

# stage_bare DIR: a clean clone, and how this machine reaches package indexes: proxies, certificates, settings.
stage_bare() {
	mkdir -p "$1/etc/apt/apt.conf.d" "$1/certificates"
	git clone -q --depth 1 "file://$PWD" "$1/terrarium"
	cp tests/bare/inside.sh "$1"
	apt-config dump Acquire | grep -i '::proxy ' >"$1/etc/apt/apt.conf.d/proxy" || :
	[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$1/etc"
	find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$1/certificates" \;
	env | grep -iE '^(https?|no)_proxy=' >"$1/proxies" || :
	chmod -R a+rX "$1"
}

# run_bare [GROUP... | REGEX]
run_bare() {
	set -- sh /stage/inside.sh "$user" "$@"
	if [ -z "$engine" ]; then
		mkdir "$bare_dir/tree"
		tar -C "$bare_dir/tree" -xf "build-bare/$suite.tar"
		cp -r "$bare_dir/stage" "$bare_dir/tree/stage"
		sh tests/bare/enter.sh "$bare_dir/tree" "$(basename "$bare_dir")" "$@"
	else
		bare_engine up '' &&
			bare_engine with -- "$program" import - bare <"build-bare/$suite.tar" >/dev/null &&
			bare_engine with -- "$program" run --rm --network host -v "$bare_dir/stage:/stage:ro" bare "$@"
	fi
}

# bare_engine VERB [ARGUMENT...]
bare_engine() {
	engine_verb=$1
	shift
	/usr/bin/python3 -B tests/engines/engine.py "$engine_verb" "$engine" "$bare_dir/engine" "$@"
}

end_bare() {
	[ ! -d "$bare_dir/engine" ] || bare_engine down
	find /sys/fs/cgroup -depth -path "*/$(basename "$bare_dir")*" -type d -exec rmdir {} + 2>/dev/null || :
	rm -rf --one-file-system "$bare_dir"
}

# Each line with the seconds since the beginning.
stamped() {
	began=$(date +%s)
	while IFS= read -r line; do
		printf '%4d  %s\n' "$(($(date +%s) - began))" "$line"
	done
}

verb_bare() {
	suite=trixie user=root engine='' program=docker
	case ${1:-} in
	bookworm | trixie | noble)
		suite=$1
		shift
		;;
	esac
	while :; do
		case ${1:-} in
		--user) user=somebody ;;
		--docker) engine=docker-host ;;
		--podman) engine=rootless program=podman ;;
		-*) die "bare knows --user, --docker and --podman, not '$1'" ;;
		*) break ;;
		esac
		shift
	done
	[ "$(id -u)" = 0 ] || die "making and entering a system needs root"
	need "$bare_needs"
	case $engine in
	docker-host) need "$bare_docker_needs" ;;
	rootless) need "$bare_podman_needs" ;;
	esac
	make_bare "$suite"
	bare_dir=$(mktemp -d /tmp/dev-bare-XXXXXX)
	trap end_bare EXIT
	trap 'exit 130' INT TERM
	chmod 755 "$bare_dir"
	stage_bare "$bare_dir/stage"
	log=build-bare/$suite-$user${engine:+-$engine}.log
	say "a bare $suite, as $user${engine:+, in $engine}: ./dev run, ./dev test $* ($log)"
	run_bare "$@" </dev/null 2>&1 | stamped | tee "$log"
	grep -q 'bare: both commands do their work$' "$log" || die "the commands failed on a bare $suite"
}
