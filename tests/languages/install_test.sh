#!/bin/sh
# SPDX-License-Identifier: MIT
# Gems, CRAN packages, Go modules and Maven's packages into sandboxes with a network and without, from repositories of the
# test's own in a network of the test's own.
if [ -z "$IN_OWN_NETWORK" ]; then
	[ "$(id -u)" = 0 ] || { echo "SKIP: only root can make a network for the test"; exit 77; }
	why=$(unshare -n true 2>&1) || { echo "SKIP: no network of the test's own can be made: $why"; exit 77; }
	IN_OWN_NETWORK=1 exec unshare -n sh "$0" "$@"
fi
. "$(dirname "$0")/../cli/tell.sh"
for program in slirp4netns ip gem Rscript; do
	command -v $program >/dev/null || { echo "SKIP: no $program"; exit 77; }
done
need_local
address=10.77.0.1
ip link set lo up
ip address add $address/32 dev lo
own_runtime

# The gem, the package, and the repositories.
mkdir -p web/gems gem/lib web/src/contrib cran/tiny/R
echo 'module Tiny; X = 42; end' >gem/lib/tiny.rb
echo "Gem::Specification.new { |s| s.name = 'tiny'; s.version = '1.2'; s.summary = 't'; s.authors = ['t']; s.files = ['lib/tiny.rb'] }" >gem/tiny.gemspec
(cd gem && gem build tiny.gemspec >made 2>&1 && mv tiny-1.2.gem ../web/gems) && gem generate_index -d web >>gem/made 2>&1 ||
	{ cat gem/made; echo "SKIP: no repository of gems can be made"; exit 77; }
printf '%s\n' 'Package: tiny' 'Version: 1.2' 'Title: Tiny' 'Description: Tiny thing.' 'Author: T' \
	'Maintainer: T <t@example.org>' 'License: MIT' >cran/tiny/DESCRIPTION
echo 'export(answer)' >cran/tiny/NAMESPACE
echo 'answer <- function() 42' >cran/tiny/R/a.R
(cd web/src/contrib && R CMD build ../../../cran/tiny >../../../cran/made 2>&1) &&
	Rscript -e 'tools::write_PACKAGES("web/src/contrib", type = "source")' ||
	{ cat cran/made; echo "SKIP: no repository of R packages can be made"; exit 77; }
# A Go module and one that it needs, as a module proxy has them.
for module in inner outer; do
	mkdir -p "web/go/example.org/$module/@v" "go/example.org/$module@v1.2.0"
	echo "module example.org/$module" >"go/example.org/$module@v1.2.0/go.mod"
done
echo 'require example.org/inner v1.2.0' >>go/example.org/outer@v1.2.0/go.mod
printf 'package inner\nconst X = 42\n' >go/example.org/inner@v1.2.0/a.go
printf 'package outer\nimport "example.org/inner"\nfunc Answer() int { return inner.X }\n' >go/example.org/outer@v1.2.0/a.go
for module in inner outer; do
	echo v1.2.0 >"web/go/example.org/$module/@v/list"
	echo '{"Version":"v1.2.0","Time":"2024-01-01T00:00:00Z"}' >"web/go/example.org/$module/@v/v1.2.0.info"
	cp "go/example.org/$module@v1.2.0/go.mod" "web/go/example.org/$module/@v/v1.2.0.mod"
	python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
	for name in "go.mod", "a.go":
		archive.write(f"{sys.argv[2]}/{name}", f"{sys.argv[2]}/{name}"[3:])' \
		"web/go/example.org/$module/@v/v1.2.0.zip" "go/example.org/$module@v1.2.0"
done
python3 -B -u -c "
import http.server, os, sys
os.chdir('web')
server = http.server.ThreadingHTTPServer(('$address', 0), http.server.SimpleHTTPRequestHandler)
open('../port.new', 'w').write(str(server.server_address[1]))
os.rename('../port.new', '../port')
server.serve_forever()" 2>requests &
server=$!
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; kill $server; rm -rf "$dir"' EXIT
until [ -s port ]; do
	kill -0 $server || exit 1
	sleep 0.05
done
url=http://$address:$(cat port)
export GEM_SOURCE="$url/" R_REPO="$url"

try run --yes --keep --name one --net on --net-allow $address/32 --timeout 120 -l ruby \
	-c 'begin; require "tiny"; rescue LoadError; puts "none"; end'
expect_out none
# A kernel that runs finds what was installed meanwhile.
try install --name one -l ruby tiny
expect_code 0
expect_in out "Successfully installed tiny-1.2"
try run --yes --name one --timeout 120 -l ruby -c 'require "tiny"; puts Tiny::X'
expect_out 42
try run --yes --name one --timeout 120 -l r -c 'cat(requireNamespace("tiny", quietly = TRUE), "\n")'
expect_out "FALSE "
try install --name one -l r tiny
expect_code 0
try run --yes --name one --timeout 120 -l r -c 'library(tiny); cat(answer(), "\n")'
expect_out "42 "

try install --name one -l ruby no-such-gem
expect_code 2
expect_in err "gem failed: see its output above"
try install --name one -l r nosuch
expect_code 1
expect_in err "CRAN failed"
for word in -e http://x/y ../x './x' 'a b' '$(x)' ''; do
	try install --name one -l ruby -- "$word"
	expect_code 125
	expect_in err "is not the name of a package"
done
try install --name one -l c zlib
expect_code 125
expect_in err "read-only"
if command -v mvn >/dev/null; then
	try install --name one -l java only-a-name
	expect_code 2
	expect_in err "Maven needs GROUP:NAME:VERSION"
fi

# Without a network another sandbox fetches, and this one uses what lies in the cache. Once it is there, nothing is asked.
cache=$(mktemp -d /var/tmp/terrarium-test-XXXXXX) && chmod 755 "$cache"
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; kill $server; rm -rf "$dir" "$cache"' EXIT
export XDG_CACHE_HOME="$cache"
try run --yes --keep --name off --net-allow $address/32 --memory 2048 --disk 1024 --timeout 120 -l bash \
	-c 'echo hi >/dev/tcp/'$address/$(cat port)' 2>/dev/null || echo none'
expect_out none
try install --name off -l ruby tiny
expect_code 0
try run --yes --name off --timeout 120 -l ruby -c 'require "tiny"; puts Tiny::X'
expect_out 42
try install --name off -l r tiny
expect_code 0
try run --yes --name off --timeout 120 -l r -c 'library(tiny); cat(answer(), "\n")'
expect_out "42 "
if command -v go >/dev/null || [ -x /usr/local/go/bin/go ]; then
	export GOPROXY="$url/go" GOSUMDB=off
	try install --name off -l go example.org/outer@v1.2.0
	expect_code 0
	printf 'package main\nimport ("fmt"; "example.org/outer")\nfunc main() { fmt.Println(outer.Answer()) }\n' >a.go
	try run --yes --name off --timeout 300 a.go
	expect_out 42
	try install --name off -l go example.org/none
	[ "$code" != 0 ] || wrong "there is no such module"
	unset GOPROXY GOSUMDB
fi
if command -v mvn >/dev/null && command -v javac >/dev/null; then
	mkdir web/maven && sh "$(dirname "$0")/maven_repository.sh" web/maven || wrong "no repository of Maven's can be made"
	export MAVEN_REPO="$url/maven"
	try install --name off -l java org.example:outer:1.2
	expect_code 0
	try run --yes --name off --timeout 120 -l java -c 'outer.Thing.answer()'
	expect_in out 42
	try install --name off -l java org.example:none:1.2
	[ "$code" != 0 ] || wrong "there is no such package"
	expect_in err org.example:none
	unset MAVEN_REPO
fi
before=$(wc -l <requests)
try run --yes --keep --name again --net-allow $address/32 --timeout 120 -l ruby -c 'puts 1'
try install --name again -l ruby tiny
expect_code 0
[ "$(wc -l <requests)" = "$before" ] || wrong "what is in the cache should not be fetched again"
try run --yes --name again --timeout 120 -l ruby -c 'require "tiny"; puts Tiny::X'
expect_out 42
try install --name off -l ruby no-such-gem
[ "$code" != 0 ] || wrong "there is no such gem"
expect_in err "Unable to resolve dependency"
try install --name off -l r nosuch
[ "$code" != 0 ] || wrong "there is no such package"
expect_in err "there is no package nosuch"
unset XDG_CACHE_HOME
# A package manager of one's own.
echo '{ "languages": { "mine": { "like": "bash", "package_manager": "echo", "install": ["echo", "got", "{package}", "all"] },
	"none": { "like": "bash", "package_manager": "nopm", "install": ["nopm", "{package}"] } } }' >mine.json
try install --config mine.json --name one -l mine a b
expect_code 0
expect_out "got a b all"
try install --config mine.json --name one -l none a
expect_code 125
expect_in err "nopm: not found in the sandbox: put the package manager of none on the host"
verdict
