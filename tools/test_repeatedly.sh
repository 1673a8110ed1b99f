#!/usr/bin/env bash
# Shows that `make test` passes on every machine: TIMES times (5) as this one is, as often beside ten busy loops, and
# once on one processor. Prints the last line of each, and keeps what they print:
# tools/test_repeatedly.sh FOLDER [TIMES [TARGET...]]
set -uo pipefail
cd "$(dirname "$0")/.."

LOAD=10
folder="${1:?names the folder for the output}" times="${2:-5}"
targets=("${@:3}")
((${#targets[@]} > 0)) || targets=(test)
mkdir -p "$folder"
loops=()
trap '((${#loops[@]} == 0)) || kill "${loops[@]}"' EXIT
failed=0

run() {
    local name="$1" begun=$SECONDS verdict=passed
    "${@:2}" make --no-print-directory "${targets[@]}" >"$folder/$name" 2>&1 || { verdict=FAILED; failed=1; }
    echo "$name: $verdict in $((SECONDS - begun)) s: $(grep --text --invert-match '^make' "$folder/$name" | tail -n 1)"
}

for ((number = 1; number <= times; number++)); do run "as-it-is-$number"; done
for ((number = 0; number < LOAD; number++)); do
    while :; do :; done &
    loops+=($!)
done
for ((number = 1; number <= times; number++)); do run "load-$number"; done
kill "${loops[@]}"
loops=()
first="$(taskset --cpu-list --pid $$ | sed 's/.*: \([0-9]*\).*/\1/')"
run one-processor taskset --cpu-list "$first"
exit "$failed"
