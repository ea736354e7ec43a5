# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Part of the Bash driver (bash.sh): showing things.
#
#   display FILE…                   images, PDF, HTML, Markdown, CSV, JSON, text; known by their first bytes or their
#                                   names' ends
#   display --mime TYPE [FILE]      standard input, or a file, as what it is said to be
#   display < FILE                  known by its first bytes

__trm_display_max=16777216 # bytes of one display on their way

__trm_display() {
	local mime= file status=0
	case ${1-} in
	--mime=*) mime=${1#*=} && shift ;;
	--mime | -m) mime=${2-} && shift $(($# > 1 ? 2 : 1)) ;;
	-h | --help)
		builtin printf '%s\n' 'display FILE…: show images, PDF, HTML, Markdown, CSV, JSON or text' \
			'display --mime TYPE [FILE]: show a file, or standard input, as that type'
		return 0
		;;
	esac
	[[ ${1-} == -- ]] && shift
	if (($# == 0)); then
		__trm_display_one "$mime" /dev/stdin
		return
	fi
	for file; do
		__trm_display_one "$mime" "$file" || status=1
	done
	return $status
}

# The MIME type of a file, by its first bytes and then by its name, in __trm_text. Empty: not known.
__trm_mime_of() {
	local LC_ALL=C head= rest
	IFS= builtin read -r -d '' -n 1024 head 2>&241 <"$1"
	rest=${head#$'\xef\xbb\xbf'}
	rest=${rest#"${rest%%[![:space:]]*}"}
	__trm_text=
	case $rest in
	$'\x89PNG\r\n\x1a\n'*) __trm_text=image/png ;;
	$'\xff\xd8\xff'*) __trm_text=image/jpeg ;;
	GIF8[79]a*) __trm_text=image/gif ;;
	%PDF-*) __trm_text=application/pdf ;;
	'<svg'* | '<?xml'*'<svg'*) __trm_text=image/svg+xml ;;
	'<!DOCTYPE html'* | '<!doctype html'* | '<html'* | '<table'* | '<div'*) __trm_text=text/html ;;
	*)
		case ${2,,} in
		*.svg) __trm_text=image/svg+xml ;;
		*.html | *.htm) __trm_text=text/html ;;
		*.md | *.markdown) __trm_text=text/markdown ;;
		*.txt | *.log) __trm_text=text/plain ;;
		*.csv) __trm_text=text/csv ;;
		*.json) __trm_text=application/json ;;
		esac
		;;
	esac
}

# Show file $2 as MIME type $1, or as what it is found to be.
__trm_display_one() {
	local mime=$1 file=$2 data
	local -x LC_ALL=C # of the programs started here
	if [[ $file == /dev/stdin ]]; then
		data=$(base64 -w0) # it can be read once only
	elif [[ -d $file || ! -r $file ]]; then
		builtin printf 'display: cannot read %s\n' "$file" >&2
		return 1
	else
		data=$(base64 -w0 <"$file")
	fi
	if [[ -z $mime ]]; then
		__trm_mime_of <(builtin printf %s "${data:0:1368}" | base64 -d) "$file"
		mime=$__trm_text
	fi
	if [[ $mime != [[:alnum:]]*/[[:alnum:]]* || $mime == *[!a-zA-Z0-9.+/-]* ]]; then
		builtin printf 'display: %s: %s; name it with --mime TYPE, such as image/png\n' "$file" \
			"${mime:-its type} is unknown" >&2
		return 1
	fi
	if ((${#data} > __trm_display_max)); then
		builtin printf 'display: %s: more than %d MiB is too much to show\n' "$file" \
			$((__trm_display_max / 4 * 3 >> 20)) >&2
		return 1
	fi
	case $mime in
	text/* | *+xml | *json)
		data=$(builtin printf %s "$data" | base64 -d | tr -d '\0')
		LC_ALL=C.UTF-8 __trm_quote "$data"
		;;
	*) __trm_text=\"$data\" ;;
	esac
	__trm_put_display "$mime"
}

# Send what is in __trm_text, a JSON string, as that type. In a subshell (a pipeline) too; after the run
# has ended there is nobody who could place it.
__trm_put_display() {
	[[ $__trm_id ]] || return 1
	builtin printf '{"ev":"display","id":"%s","data":{"%s":%s}}\n' "$__trm_id" "$1" "$__trm_text" >&253
	builtin read -r -t 0.001 -u 241 # that it is read before what is printed next, which comes by another pipe
	return 0
}
