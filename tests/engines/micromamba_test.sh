# SPDX-License-Identifier: MIT
# micromamba_test.sh TERRARIUM PROGRAM: the backend micromamba in a real Docker, with a stand-in for micromamba in the image. It knows
# what Terrarium uses of it: `shell hook --shell posix`, `activate`, `install` and `update`.
. "$(dirname "$0")/../cli/tell.sh"
program=$2 # docs/examples/micromamba.c
own_runtime
image=localhost/tt:micromamba
trap '"$terrarium" stop lab --yes >/dev/null 2>&1; docker rm -f visited >/dev/null 2>&1; docker image rm -f $image >/dev/null 2>&1; rm -rf "$dir"' EXIT

mkdir -p build/conda/bin build/conda/envs/lab/bin build/conda/envs/lab/site
cat >build/micromamba <<'STAND_IN'
#!/bin/sh
case "$1 $2 $3 $4" in
"shell hook --shell posix")
	cat <<'HOOK'
micromamba() {
	if [ "$1" != activate ]; then
		command micromamba "$@"
		return
	fi
	[ "$2" = base ] && __prefix=$MAMBA_ROOT_PREFIX || __prefix=$MAMBA_ROOT_PREFIX/envs/$2
	if [ ! -d "$__prefix" ]; then
		echo "critical libmamba Cannot activate, prefix does not exist at: '$__prefix'" >&2
		return 1
	fi
	export CONDA_PREFIX="$__prefix" CONDA_DEFAULT_ENV="$2" PATH="$__prefix/bin:$PATH"
	for __script in "$__prefix"/etc/conda/activate.d/*.sh; do
		[ ! -e "$__script" ] || . "$__script"
	done
}
HOOK
	;;
"install --yes --prefix $CONDA_PREFIX" | "update --yes --prefix $CONDA_PREFIX")
	echo "$*" >>"$CONDA_PREFIX/asked"
	shift 4
	[ "$1 $2" = "--channel conda-forge" ] || exit 2
	shift 2
	for name; do
		case $name in
		nowhere) echo "error    libmamba Could not solve for environment specs: nowhere =* * does not exist" >&2; exit 1 ;;
		esac
		echo "where = 'conda-forge'" >"$CONDA_PREFIX/site/${name%%=*}.py"
	done
	;;
*) exit 2 ;;
esac
STAND_IN
cat >build/conda/envs/lab/bin/python3 <<'PYTHON'
#!/bin/sh
export PYTHONPATH="$CONDA_PREFIX/site"
exec /usr/bin/python3 "$@"
PYTHON
mkdir -p build/conda/envs/lab/etc/conda/activate.d
echo 'export ACTIVATED=yes' >build/conda/envs/lab/etc/conda/activate.d/own.sh
chmod -R a+rwX build
chmod 755 build/micromamba build/conda/envs/lab/bin/python3
cat >build/Dockerfile <<'DOCKERFILE'
FROM localhost/tt:deb
COPY micromamba /usr/local/bin/micromamba
COPY --chown=1234:1234 conda /opt/conda
ENV MAMBA_ROOT_PREFIX=/opt/conda
USER 1234
DOCKERFILE
docker build --quiet --tag $image build >out 2>err || { cat err; exit 1; }
mamba="--yes --backend micromamba --image $image"

# ---- the environment

try run $mamba -c 'import os; print(os.environ["CONDA_PREFIX"], os.environ["CONDA_DEFAULT_ENV"])'
expect_out "/opt/conda base"
try run $mamba --environment lab -c 'import os; print(os.environ["PATH"].split(":")[0], os.environ["ACTIVATED"], os.getuid())'
expect_out "/opt/conda/envs/lab/bin yes 1234"
try exec $mamba --environment lab -- sh -c 'command -v python3; echo $CONDA_PREFIX'
expect_out "/opt/conda/envs/lab/bin/python3
/opt/conda/envs/lab"
try run $mamba --environment lab -l bash -c 'echo $CONDA_DEFAULT_ENV'
expect_out lab

tried="docs/examples/micromamba" code=0
"$program" $image lab >out 2>err || code=$?
expect_code 0
expect_out lab

# ---- one that is not there, and where there are none

try run $mamba --environment moon -c 1
expect_code 125
expect_in err "are micromamba and this environment in the image?"
try run --yes --backend micromamba --image localhost/tt:deb -c 1
expect_code 125
expect_in err "are micromamba and this environment in the image?"
try run --yes --backend docker --image localhost/tt:deb --environment lab -c 1
expect_code 125
expect_in err "environment"
try run --yes --environment lab -c 1
expect_code 125
expect_in err "--backend micromamba"

# ---- installing, through micromamba

if docker run --rm localhost/tt:deb true >out 2>err; then
	try run $mamba --environment lab --keep --name lab --net on -c 'print("up")'
	expect_out up
	try install --name lab numpy==1.26
	expect_code 0
	try run --yes --name lab -c 'import numpy; print(numpy.where)'
	expect_out conda-forge
	try exec --yes --name lab -- cat /opt/conda/envs/lab/asked
	expect_in out "--prefix /opt/conda/envs/lab --channel conda-forge numpy==1.26"
	tried="docs/examples/micromamba with a package" code=0
	"$program" $image lab numpy >out 2>err || code=$?
	expect_code 0
	expect_out lab
	try install --name lab nowhere
	expect_code 1
	expect_in err "nowhere"
	try stop lab --yes
fi

# ---- a container that is there already

docker run -d --name visited --network none $image sleep 600 >out 2>err || { cat err; exit 1; }
try run --yes --backend micromamba --container visited --environment lab -c 'import os; print(os.environ["CONDA_PREFIX"])'
expect_out /opt/conda/envs/lab
try run --yes --backend micromamba --container visited --environment moon -c 1
expect_code 125
expect_in err "'micromamba env list' in the container shows"

verdict
