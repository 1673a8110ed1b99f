#!/usr/bin/env bash
# The same scenario gives the same tables from a debug build driven by Rust and from the release build driven by
# Python: one comparison for both promises. The manifest is left out, for it holds the wall time.
set -euo pipefail
cd "$(dirname "$0")/.."

scenario="${1:-scenarios/gallop-50mbit.toml}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# the packages of `make test-rust`, so that what that has built is used
cargo build --quiet --locked --workspace --exclude vegas-py --exclude vegas-linux --example run
"${CARGO_TARGET_DIR:-target}/debug/examples/run" "$scenario" "$scratch/debug" >/dev/null
.venv/bin/vegaslab run "$scenario" --output "$scratch/release" >/dev/null

# tables DIR: name and checksum of every table below DIR, whatever folder it lies in. Its columns, types and metadata
# count, but for the commit, which only the release build knows
tables() {
    .venv/bin/python - "$1" <<'EOF' | sort
import hashlib
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet

for file in Path(sys.argv[1]).rglob("*.parquet"):
    table = pyarrow.parquet.read_table(file)
    said = pyarrow.parquet.read_metadata(file).metadata or {}
    kept = {key: value for key, value in said.items() if key != b"vegaslab.commit"}
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema.with_metadata(kept)) as stream:
        stream.write_table(table.replace_schema_metadata(kept))
    print(file.name, hashlib.sha256(sink.getvalue()).hexdigest())
EOF
}

tables "$scratch/debug" >"$scratch/debug.sums"
tables "$scratch/release" >"$scratch/release.sums"
[[ -s "$scratch/debug.sums" ]] || { echo "identical tables: no table was written" >&2; exit 1; }
diff "$scratch/debug.sums" "$scratch/release.sums" || { echo "identical tables: debug and release differ" >&2; exit 1; }
echo "identical tables: $(wc -l <"$scratch/debug.sums") tables of $scenario agree in debug and release"
