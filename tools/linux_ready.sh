#!/usr/bin/env bash
# Says in one line what is missing to build vegas-linux (crates/vegas-linux/build.rs says what for), and fails then.
set -euo pipefail

llvm="$(rustc --version --verbose | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')"
missing=()
for tool in clang llvm-link llvm-dis llvm-nm opt llc; do
    command -v "$tool-$llvm" >/dev/null || missing+=("$tool-$llvm")
done
for header in libelf.h zlib.h; do
    echo "#include <$header>" | cc -E -x c - >/dev/null 2>&1 || missing+=("$header")
done
command -v pkg-config >/dev/null || missing+=(pkg-config)
((${#missing[@]} == 0)) || { echo "missing: ${missing[*]} (as root: make linux-packages)"; exit 1; }
