#!/usr/bin/env bash
# The compiler and the linker for WebAssembly, as variables for cargo, or in one line what is missing.
#
# rustup's compiler where it has the target; else Debian's rustc-web, for which cargo builds the standard library from
# Debian's rust-web-src: what Debian ships built is for wasm32-wasip1 alone.
set -euo pipefail

target=wasm32-unknown-unknown
debian=/usr/bin/rustc
debian_library=/usr/lib/rustlib/src/rust/library

has_target() { [[ -d "$("$1" --print sysroot)/lib/rustlib/$target/lib" ]]; }

linker() {
    local lld
    lld="$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld"
    [[ -x "$lld" ]] || lld="$(command -v rust-lld || true)"
    echo "$lld"
}

if has_target rustc; then
    echo 'WEB_CARGO_FLAGS='
elif [[ -x $debian && -d $debian_library ]]; then
    lld="$(linker)"
    [[ -n "$lld" ]] || { echo 'missing: rust-lld (part of rustup; Debian: lld-22)'; exit 1; }
    echo "RUSTC=$debian"
    echo 'RUSTC_BOOTSTRAP=1'
    echo "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$lld"
    echo 'WEB_CARGO_FLAGS=-Zbuild-std=std,panic_abort'
else
    echo "missing: a compiler for $target (rustup target add $target, or as root: make web-packages)"
    exit 1
fi
