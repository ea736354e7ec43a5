# SPDX-License-Identifier: MIT
# Completion of terrarium for fish; printed by 'terrarium completion fish'. To use it: terrarium completion fish | source

function __terrarium_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    command -q $words[1]; or return
    for line in ($words[1] __complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $word
            case :dirs
                __fish_complete_directories $word
            case '*'
                echo $line
        end
    end
end

complete -c terrarium -e
complete -c terrarium -f -a '(__terrarium_complete)'
