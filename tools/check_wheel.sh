#!/usr/bin/env bash
# Installs the wheels of a folder where there is neither Rust nor a compiler nor these sources, and tries the commands.
#
#     tools/check_wheel.sh target/wheels [PYTHON]
set -euo pipefail
wheels="$(realpath "$1")"
python="${2:-python3.11}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

"$python" -m venv "$scratch/venv"
cd "$scratch"
# how pip reaches its index here
mapfile -t settings < <(env | grep --ignore-case -E '^(PIP_|SSL_|[a-z]+_proxy=)')
run() { env -i HOME="$scratch" PATH="$scratch/venv/bin" "${settings[@]}" "$@"; }
install() { run pip install --quiet --disable-pip-version-check --only-binary :all: --find-links "$wheels" "$@"; }

run python -c 'import shutil, sys; sys.exit(any(map(shutil.which, ("cargo", "rustc", "cc", "git"))))' ||
    { echo 'a compiler is in the path: this would show nothing' >&2; exit 1; }
wheel=("$wheels"/vegaslab-*.whl)
begun=$SECONDS
install "${wheel[0]}"
echo "installed in $((SECONDS - begun)) s: $(basename "${wheel[0]}"), $(($(stat --format %s "${wheel[0]}") / 1000)) kB"

run vegaslab check gallop-50mbit
run python -m vegaslab list plans
run vegaslab explain gallop >/dev/null
run vegaslab explain bufferbloat >/dev/null
run vegaslab run lossy --set duration=5s --plot -o run
run vegaslab sweep vegas-or-gallop --dry-run
[[ -s run/flows.parquet && -s run/picture.png && -s run/picture.html ]] || { echo 'run wrote no picture' >&2; exit 1; }

# a command says what its program comes with, and has it with that
wants() { [[ "$(run vegaslab "$@" 2>&1 || true)" == *"pip install --find-links FOLDER 'vegaslab[$1]'"* ]]; }

if compgen -G "$wheels/vegaslab_quic-*.whl" >/dev/null; then
    wants quic serve --listen 127.0.0.1:0 || { echo 'vegaslab quic does not say what to install' >&2; exit 1; }
    install "${wheel[0]}[quic]"
    mkfifo says
    run vegaslab quic serve --listen 127.0.0.1:0 >says &
    read -r address fingerprint <says
    run vegaslab quic fetch "$address" 1mb -a gallop --fingerprint "$fingerprint"
    kill $!
fi
if compgen -G "$wheels/vegaslab_linux-*.whl" >/dev/null; then
    wants linux status || { echo 'vegaslab linux does not say what to install' >&2; exit 1; }
    install "${wheel[0]}[linux]"
    # what it answers depends on the kernel and the user
    said="$(run vegaslab linux status 2>&1 || true)"
    [[ -n $said && $said != *'not installed'* ]] || { echo "vegaslab linux status: $said" >&2; exit 1; }
    echo "vegaslab linux status: $(head --lines 1 <<<"$said")"
fi
