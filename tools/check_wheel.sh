#!/usr/bin/env bash
# Installs a wheel where there is neither Rust nor a compiler nor these sources, and tries its commands.
#
#     tools/check_wheel.sh target/wheels/*.whl [PYTHON]
set -euo pipefail
wheel="$(realpath "$1")"
python="${2:-python3.11}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

"$python" -m venv "$scratch/venv"
cd "$scratch"
# how pip reaches its index here
mapfile -t settings < <(env | grep --ignore-case -E '^(PIP_|SSL_|[a-z]+_proxy=)')
run() { env -i HOME="$scratch" PATH="$scratch/venv/bin" "${settings[@]}" "$@"; }

run python -c 'import shutil, sys; sys.exit(any(map(shutil.which, ("cargo", "rustc", "cc", "git"))))' ||
    { echo 'a compiler is in the path: this would show nothing' >&2; exit 1; }
begun=$SECONDS
run pip install --quiet --disable-pip-version-check --only-binary :all: "$wheel"
echo "installed in $((SECONDS - begun)) s: $(basename "$wheel"), $(($(stat --format %s "$wheel") / 1000)) kB"

run vegaslab check gallop-50mbit
run python -m vegaslab list plans
run vegaslab explain gallop >/dev/null
run vegaslab run lossy --set duration=5s --plot -o run
run vegaslab sweep vegas-or-gallop --dry-run
[[ -s run/flows.parquet && -s run/picture.png && -s run/picture.html ]] || { echo 'run wrote no picture' >&2; exit 1; }
