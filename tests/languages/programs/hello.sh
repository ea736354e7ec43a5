# SPDX-License-Identifier: MIT
main() {
	read -r line
	echo "hello ${1:--} $line"
	exit 3
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
	main "$@"
fi
