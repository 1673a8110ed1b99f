#!/usr/bin/env bash
# Proves that vegas-core without its feature alloc needs neither std nor an allocator, on the host's own target: it is
# linked into a static library that has a panic handler of its own (std would be a second one) and no allocator (alloc
# would miss one). The same library with std, and with alloc, must not build: so the proof is seen to be able to fail.
set -euo pipefail
cd "$(dirname "$0")/.."

proof="${CARGO_TARGET_DIR:-$PWD/target}/no-std-proof"
core="$PWD/crates/vegas-core"
mkdir -p "$proof/src"
cat >"$proof/Cargo.toml" <<TOML
[package]
name = "no-std-proof"
version = "0.0.0"
edition = "2024"

[lib]
crate-type = ["staticlib"]

[dependencies]
vegas-core = { path = "$core", default-features = false }

[profile.dev]
panic = "abort"

[workspace]
TOML

# build LINE: builds the library with LINE added to its source
build() {
    cat >"$proof/src/lib.rs" <<RUST
#![no_std]
$1
use vegas_core as _;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
RUST
    cargo build --quiet --offline --manifest-path "$proof/Cargo.toml" --target-dir "$proof/target" 2>"$proof/log"
}

# must_fail LINE MESSAGE: the library with LINE must be refused for the reason MESSAGE
must_fail() {
    if build "$1"; then
        echo "no-std proof: '$1' built, so the proof proves nothing" >&2
        exit 1
    fi
    grep -q "$2" "$proof/log" || { cat "$proof/log" >&2; exit 1; }
}

build "" || { cat "$proof/log" >&2; exit 1; }
must_fail "extern crate std;" "duplicate lang item"
must_fail "extern crate alloc;" "no global memory allocator"
echo "no-std proof: vegas-core links without std and without an allocator"
