#!/usr/bin/env bash
# The compiler and the linker for WebAssembly, as variables for cargo, or in one line what is missing.
#
# rustup's compiler where it has the target, with a C library for it; else Debian's rustc-web, for which cargo builds
# the standard library from Debian's rust-web-src, on Debian's wasi-libc.
set -euo pipefail

target=wasm32-wasip1
debian=/usr/bin/rustc
debian_library=/usr/lib/rustlib/src/rust/library
debian_libc=/usr/lib/wasm32-wasi

of_rustup="$(rustc --print sysroot)/lib/rustlib"

linker() {
    local lld
    lld="$of_rustup/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld"
    [[ -x "$lld" ]] || lld="$(command -v rust-lld || true)"
    echo "$lld"
}

# without this object the linker takes each exported function for a program, which ends when it returns
flags() { echo "CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS=$2-C link-arg=$1/crt1-reactor.o"; }

if [[ -d "$of_rustup/$target/lib" ]]; then
    flags "$of_rustup/$target/lib/self-contained" ''
    echo 'WEB_CARGO_FLAGS='
elif [[ -x $debian && -d $debian_library && -d $debian_libc ]]; then
    lld="$(linker)"
    [[ -n "$lld" ]] || { echo 'missing: rust-lld (part of rustup; Debian: lld-22)'; exit 1; }
    echo "RUSTC=$debian"
    echo 'RUSTC_BOOTSTRAP=1'
    echo "CARGO_TARGET_WASM32_WASIP1_LINKER=$lld"
    flags "$debian_libc" "-C link-self-contained=no -L native=$debian_libc "
    echo 'WEB_CARGO_FLAGS=-Zbuild-std=std,panic_abort'
else
    echo "missing: a compiler for $target (rustup target add $target, or as root: make web-packages)"
    exit 1
fi
