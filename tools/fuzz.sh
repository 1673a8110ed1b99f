#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 60), guided by coverage. The flags are those of cargo-fuzz that a
# stable compiler takes: all but the address sanitizer, which code without `unsafe` can spare. Needs a C++ compiler.
#
# usage: tools/fuzz.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-60}"
host="$(rustc -vV | sed -n 's/^host: //p')"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
# the dev profile has the assertions and overflow checks; a little optimisation gives ten times the runs. Others' crates
# do without: building them would take longer than the runs in CI
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=line-tables-only
profile=(--config 'profile.dev.package."*".opt-level=0')
for crate in vegas-core vegas-sim; do
    profile+=(--config "profile.dev.package.$crate.opt-level=1")
done
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"

# usage: fuzz FOLDER NAME
fuzz() {
    local folder="$1" name="$2" log="$CARGO_TARGET_DIR/$2.log"
    mkdir -p "$folder/corpus/$name" "$folder/artifacts/$name"
    if ! "$CARGO_TARGET_DIR/$host/debug/$name" -max_total_time="$seconds" -timeout=10 \
        -artifact_prefix="$folder/artifacts/$name/" "$folder/corpus/$name" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "fuzz: $name failed; the input is in $folder/artifacts/$name" >&2
        return 1
    fi
    echo "fuzz: $name: $(tail -n 1 "$log")"
}
export -f fuzz
export seconds host

for folder in crates/*/fuzz; do
    # the explicit target keeps build scripts and derives free of the instrumentation
    cargo build --quiet --locked --target "$host" "${profile[@]}" --manifest-path "$folder/Cargo.toml"
done
# a target takes one processor
for source in crates/*/fuzz/fuzz_targets/*.rs; do
    printf '%s\0' "${source%/fuzz_targets/*}" "$(basename "$source" .rs)"
done | xargs --null --max-args 2 --max-procs "$(nproc)" bash -euc 'fuzz "$@"' fuzz
