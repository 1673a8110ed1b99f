#!/usr/bin/env bash
# Builds the modules of examples/own-algorithm/modules and of the tests again from their sources, and says of each
# whether it has the bytes that are committed: tools/build_modules.sh FOLDER. Another compiler may write other bytes:
# that a module decides the same is for the tests (`make test-modules`).
#
# Needs Debian's clang-22, lld-22, rustc-web, rust-web-src and npm (`make linux-packages web-packages`).
set -euo pipefail
cd "$(dirname "$0")/.."

ASSEMBLYSCRIPT=assemblyscript@0.28.20
examples=examples/own-algorithm/modules
hostile=python/tests/scenario/wasm
folder="$(realpath --canonicalize-missing "${1:?names the folder for the modules}")"
mkdir -p "$folder"

of_c() { clang-22 --target=wasm32 "$1" -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o "$folder/$3" "$2"; }

# a copy: cargo writes a lock file beside the sources
of_rust() {
    cp --recursive "$examples/$1" "$folder/"
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C link-arg=-zstack-size=4096" \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=rust-lld CARGO_TARGET_DIR="$folder/rust" \
        cargo build --quiet --release --target wasm32-unknown-unknown -Zbuild-std=core \
        --manifest-path "$folder/$1/Cargo.toml"
    cp "$folder/rust/wasm32-unknown-unknown/release/${1/-/_}.wasm" "$folder/$1.wasm"
}

of_typescript() {
    npm exec --yes --package="$ASSEMBLYSCRIPT" -- asc "$examples/$1.ts" -O --runtime stub --use abort= -o "$folder/$1-ts.wasm"
}

compare() {
    local committed
    for committed in "$examples"/*.wasm "$hostile"/*.wasm; do
        local built="$folder/${committed##*/}"
        if [[ ! -f $built ]]; then echo "$committed: nothing builds it" >&2; return 1; fi
        cmp --silent "$committed" "$built" && echo "${committed##*/}: the same bytes" || echo "${committed##*/}: other bytes"
    done
}

PATH="$PATH:$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin"
for name in reno vegas; do
    of_c -O2 "$examples/$name.c" "$name-c.wasm"
    of_rust "$name-rs"
    of_typescript "$name"
done
for name in delay hostile told; do of_c -O1 "$hostile/$name.c" "$name.wasm"; done
compare
