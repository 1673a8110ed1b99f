#!/usr/bin/env bash
# Says in one line what is missing to build and test the playground, and fails then.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/web_toolchain.sh >/dev/null || { tools/web_toolchain.sh || true; exit 1; }
missing=()
for tool in node npm chromium; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
((${#missing[@]} == 0)) || { echo "missing: ${missing[*]} (as root: make web-packages)"; exit 1; }
major="$(node --version | sed 's/^v\([0-9]*\).*/\1/')"
((major >= 20)) || { echo "missing: Node 20 or newer; this is $(node --version)"; exit 1; }
