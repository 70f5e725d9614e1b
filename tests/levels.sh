#!/usr/bin/env bash
# Has neighbouring levels of the computer players play against each other, and
# prints a line of docs/bots.md for each pair. Games are saved in FOLDER: what
# was stopped goes on where it was, and with more GAMES those there count.
#
# Usage: tests/levels.sh FOLDER [GAMES [HIGHEST]]
#
# KNOTPOST_BIN names the program, a release build.
set -euo pipefail

folder=${1:?"usage: tests/levels.sh FOLDER [GAMES [HIGHEST]]"}
games=${2:-400}
highest=${3:-8}
program=${KNOTPOST_BIN:-target/release/knotpost}
mkdir -p "$folder"

# What the last line of a match says, as a line of the table.
show='
import json, sys
tally = json.loads(sys.stdin.read().splitlines()[-1])
points = "{:g} to {:g}".format(*tally["score"])
bounds = ("no bound" if tally[name] is None else f"{tally[name]:+.0f}" for name in ("elo", "low", "high"))
print("| {} | {} against {} | {} | {} ({} to {}) |".format(*sys.argv[1:], points, *bounds))
'

pair() { # HIGH LOW GAME [OPTION]
    local high=$1 low=$2
    shift 2
    "$program" match "$@" --seats "$high,$low" --games "$games" --random-plies 2 \
        --threads "$(nproc)" --resume "$folder/$1-$high-$low" --json |
        python3 -c "$show" "$*" "$high" "$low"
}

each() { # GAME [OPTION]
    pair 1 random "$@"
    for ((level = 2; level <= highest; level++)); do
        pair "$level" $((level - 1)) "$@"
    done
}

echo '| game | levels | points | Elo |'
echo '|---|---|---|---|'
each obsidio -size=9
each osbo -size=5
each boxilies
each osbox -size=6
