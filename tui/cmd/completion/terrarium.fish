# SPDX-License-Identifier: MIT
# Completion of terrarium for fish; made by 'terrarium completion fish'. To use it: terrarium completion fish | source

# The command on the line, "workbench" if there is none yet. Options that stand before it are passed over.
function __terrarium_command
    for word in (commandline -opc)[2..-1]
        if not string match -q -- '-*' $word
            echo $word
            return
        end
    end
    echo workbench
end

# Is this the command, and not the first word still being typed?
function __terrarium_is
    test (__terrarium_command) = $argv[1]
end

# How many operands stand behind the command. The value of an option is none; that of a switch is on or off.
function __terrarium_operands_are
    set -l n -1
    set -l before
    set -l command (__terrarium_command)
    for word in (commandline -opc)[2..-1]
        if contains -- "$command $before" $__terrarium_valued; or contains -- ". $before" $__terrarium_valued
            set before
        else if string match -q -- '-*' $word
            set before $word
        else if test -n "$before"; and contains -- $word on off
            set before
        else
            set before
            set n (math $n + 1)
        end
    end
    test $n -ge $argv[1] -a $n -le $argv[2]
end

# What the program on the line answers, if it is there.
function __terrarium_ask
    set -l program (commandline -opc)[1]
    command -q $program; and $program $argv 2>/dev/null
end
function __terrarium_names
    __terrarium_ask ps --names
end
# NAME:PATH; PATH lies in a sandbox. What it answers may be anything.
function __terrarium_is_inside
    string match -qr '^[A-Za-z0-9][^/]*:' -- (commandline -ct)
end
function __terrarium_paths
    set -l parts (string split -m 1 : -- (commandline -ct))
    if test (count $parts) = 2; and string match -qr '^[A-Za-z0-9][^/]*$' -- $parts[1]
        __terrarium_ask exec $parts[1] -- bash -c \
            'compgen -f -- "$1" | while IFS= read -r f; do [[ -d $f ]] && f+=/; echo "$f"; done | head -n 500' \
            - $parts[2] </dev/null | string match -vr '[[:cntrl:]]' | string replace -r '^' $parts[1]:
    else
        __terrarium_names | string replace -r '$' ':'
    end
end
function __terrarium_themes
    __terrarium_ask themes --names
end
function __terrarium_backends
    __terrarium_ask backends --names
end

# Options that a value follows, behind their command; "." for all.
set -g __terrarium_valued
complete -c terrarium -e
complete -c terrarium -f
@TABLE@
