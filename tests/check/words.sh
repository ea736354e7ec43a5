#!/bin/sh
# SPDX-License-Identifier: MIT
# Words that have no business in what is committed: notes to oneself, paths of one machine. And
# every source begins with its license.
set -eu
cd "$(dirname "$0")/../.."

fail=0
if git ls-files | grep -v '^tests/check/words.sh$' | xargs grep -InE \
	'\b(TODO|FIXME|XXX|HACK|WIP)\b|[Nn]ot (yet )?implemented|/(root|home/[a-z]+)/[a-z]'; then
	fail=1
fi
for file in $(git ls-files '*.c' '*.h' '*.sh' '*.py' '*.js' '*.rb' '*.R' '*.java' dev); do
	if ! head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
		echo "$file: there is no license line on top"
		fail=1
	fi
done
exit $fail
