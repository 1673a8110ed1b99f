#!/usr/bin/env bash
# What does not go into the kernel is refused by the file's name and the reason: the algorithm in the file $1, spoilt.
set -euo pipefail
given="$(realpath "$1")"
cd "$(dirname "$0")/.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

refused() {
    local change="$1" reason="$2" spoilt="$folder/algorithm.rs" said
    sed "$change" "$given" >"$spoilt"
    ! cmp --silent "$given" "$spoilt" || { echo "nothing was spoilt: $change" >&2; exit 1; }
    if said="$(VEGASLAB_OWN="$spoilt" cargo build --quiet --locked --release --package vegas-linux --package vegas-py \
        --bin vegas-linux 2>&1)"; then
        echo "was not refused: $change" >&2
        exit 1
    fi
    grep --quiet --fixed-strings "$spoilt: " <<<"$said" && grep --quiet --fixed-strings "$reason" <<<"$said" ||
        { echo "$change: said neither the file nor \"$reason\", but: $said" >&2; exit 1; }
}

refused 's/^use vegas_core::units.*/&\nmod other;/' 'has modules in other files'
refused 's/^impl OwnAlgorithm for .*/impl<T> OwnAlgorithm for Other<T> {/' 'needs one `impl OwnAlgorithm for TYPE` on a line'
refused 's/^use vegas_core::units.*/&\nuse vegas_sim::run;/' 'core and vegas_core only'
# a panic that may come: the kernel has no place for one
refused 's/ack\.may_grow()/ack.rtt.unwrap().as_nanos() > 0/' 'calls what BPF does not have: core::option::unwrap_failed'
# a value of 24 bytes comes back through memory; the verifier wants an integer of what it examines separately
refused 's/^    fn output/    #[inline(never)]\n&/' 'output: what is #[inline(never)] in the kernel'
echo 'what does not go into the kernel is refused'
