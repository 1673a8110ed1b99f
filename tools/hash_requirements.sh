#!/usr/bin/env bash
# Writes the hashes of all files that the index has of the versions in requirements/*.txt, so that pip installs nothing
# else. Run it after a version has changed. It needs `uv`.
set -euo pipefail
cd "$(dirname "$0")/../requirements"
command -v uv >/dev/null || { echo 'uv is missing: pip install uv' >&2; exit 1; }

versions="$(mktemp -d)"
trap 'rm -rf "$versions"' EXIT
for file in dev docs browser; do
    sed -e '/^ *--hash=/d' -e 's/ *\\$//' "$file.txt" >"$versions/$file.txt"
done
for file in dev docs browser; do
    # --python-version: the lowest that all packages run on
    uv pip compile --quiet --universal --python-version 3.11.5 --no-deps --no-annotate --no-header \
        --generate-hashes --constraint "$versions/dev.txt" "$versions/$file.txt" --output-file "$versions/hashed.txt"
    { sed -n '/^#/p' "$versions/$file.txt"; cat "$versions/hashed.txt"; } >"$versions/new.txt"
    cat "$versions/new.txt" >"$file.txt"
done
