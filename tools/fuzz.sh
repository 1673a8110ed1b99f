#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 60), guided by coverage, from its corpus in the repository; what that
# does not cover yet is kept beside the build. The flags are those of cargo-fuzz that a stable compiler takes: all but
# the address sanitizer, which code without `unsafe` can spare. Needs a C++ compiler, and .venv.
#
# usage: tools/fuzz.sh [SECONDS]
#        tools/fuzz.sh build       builds the targets only
#        tools/fuzz.sh corpus      the corpora again: of all inputs known, the few that cover the same
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-60}"
host="$(rustc -vV | sed -n 's/^host: //p')"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
# the dev profile has the assertions and overflow checks; a little optimisation gives ten times the runs. Others' crates
# do without: building them would take longer than the runs in CI
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=line-tables-only
profile=(--config 'profile.dev.package."*".opt-level=0')
for crate in vegas-core vegas-sim vegas-measured; do
    profile+=(--config "profile.dev.package.$crate.opt-level=1")
done
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
# bytes of all corpora: they are in every clone
readonly CORPORA_BYTES_MAX=1000000

# usage: target FOLDER NAME [LIBFUZZER'S ARGUMENT ...]
target() {
    local folder="$1" name="$2"
    shift 2
    case $folder in
        python/*) PYTHONPATH=python .venv/bin/python -m fuzzing "$name" "$@" ;;
        *) "$CARGO_TARGET_DIR/$host/debug/$name" "$@" ;;
    esac
}

# usage: shipped NAME       prints the folder of the repository's own files that are inputs, too
shipped() {
    case $1 in
        scenario) echo scenarios ;;
        plan) echo scenarios/plans ;;
        script) echo crates/vegas-packetdrill/scripts ;;
    esac
}

# usage: fuzz FOLDER NAME
fuzz() {
    local folder="$1" name="$2" log="$CARGO_TARGET_DIR/$2.log" found="$CARGO_TARGET_DIR/found/$2"
    mkdir -p "$found" "$folder/corpus/$name" "$folder/artifacts/$name"
    if ! target "$folder" "$name" -max_total_time="$seconds" -timeout=10 \
        -artifact_prefix="$folder/artifacts/$name/" "$found" "$folder/corpus/$name" $(shipped "$name") >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "fuzz: $name failed; the input is in $folder/artifacts/$name" >&2
        return 1
    fi
    echo "fuzz: $name: $(grep --text '^Done' "$log" || tail -n 1 "$log")"
}

# usage: minimise FOLDER NAME
minimise() {
    local folder="$1" name="$2" log="$CARGO_TARGET_DIR/$2.log" found="$CARGO_TARGET_DIR/found/$2" new
    mkdir -p "$found" "$folder/corpus/$name"
    new="$(mktemp -d "$folder/corpus/$name.XXXXXX")"
    # without counters: which branches are taken, not how often
    if ! target "$folder" "$name" -merge=1 -use_counters=0 -max_len=2000 \
        "$new" "$folder/corpus/$name" "$found" $(shipped "$name") >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        rm -rf "$new"
        return 1
    fi
    if [[ -z "$(ls -A "$new")" ]]; then
        rmdir "$new"
        echo "fuzz: $name: nothing is left of its corpus, see $log" >&2
        return 1
    fi
    rm -rf "${folder:?}/corpus/$name" "$found"
    mv "$new" "$folder/corpus/$name"
    chmod 755 "$folder/corpus/$name"
    echo "fuzz: $name: $(find "$folder/corpus/$name" -type f | wc -l) inputs"
}
export -f target shipped fuzz minimise
export seconds host

for folder in crates/*/fuzz; do
    # the explicit target keeps build scripts and derives free of the instrumentation
    cargo build --quiet --locked --target "$host" "${profile[@]}" --manifest-path "$folder/Cargo.toml"
done
[[ $seconds != build ]] || exit 0
what=fuzz
[[ $seconds == corpus ]] && what=minimise
# a target takes one processor
{
    for source in crates/*/fuzz/fuzz_targets/*.rs; do
        printf '%s\0' "${source%/fuzz_targets/*}" "$(basename "$source" .rs)"
    done
    for source in $(grep --files-with-matches '^def check(' python/fuzzing/*.py); do
        printf '%s\0' python/fuzzing "$(basename "$source" .py)"
    done
} | xargs --null --max-args 2 --max-procs "$(nproc)" bash -euc "$what"' "$@"' "$what"
bytes="$(cat crates/*/fuzz/corpus/*/* python/fuzzing/corpus/*/* | wc -c)"
if ((bytes > CORPORA_BYTES_MAX)); then
    echo "fuzz: the corpora have $bytes bytes; $CORPORA_BYTES_MAX at most: make fuzz-corpus" >&2
    exit 1
fi
