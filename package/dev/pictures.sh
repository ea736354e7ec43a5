# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# The pictures of the documentation.

verb_pictures() {
	need_group core
	configure build on
	compile build terrarium shot
	python3 -B tests/pictures/pictures.py build/terrarium build/tests/pictures/shot docs/pictures
	ls docs/pictures/*.svg
}
