#!/usr/bin/env bash
# Adds an algorithm to a copy of the sources, as CONTRIBUTING.md says, with its file, its line, its golden trace and its
# page, and tests what the registry gives it. The example is crates/vegas-core/tests/gaimd.
#
#     tools/test_new_algorithm.sh FOLDER          core and simulator
#     tools/test_new_algorithm.sh FOLDER whole    what else enumerates the presets, too: swarm, kernel, Python
set -euo pipefail
copy="$(realpath --canonicalize-missing "$1")"
extent="${2:-}"
root="$(cd "$(dirname "$0")/.." && pwd)"
new="$root/crates/vegas-core/tests/gaimd"

step() {
    local name="$1" begun=$SECONDS
    shift
    "$@"
    echo "--- with a new algorithm, $name: $((SECONDS - begun)) s"
}

add_algorithm() {
    local core="$copy/crates/vegas-core"
    cp "$new/gaimd.rs" "$core/src/standalone/reno/"
    cp "$new/gaimd.txt" "$core/tests/golden/"
    cp "$new/gaimd.md" "$copy/docs/algorithms/"
    sed --in-place \
        -e 's/^    pub(super) mod highspeed;/    pub(super) mod gaimd;\n&/' \
        -e 's|^    /// BBR, version 1:|    /// A slower increase and a smaller decrease (Yang and Lam 2000).\n    Gaimd: reno::gaimd follows,\n&|' \
        "$core/src/standalone.rs"
    grep --quiet 'reno::gaimd' "$core/src/standalone.rs"
}

# Cargo takes packages of one name, version and place in their workspace for the same ones. With another version, what
# is built of the copy does not replace what is built of the sources, and both share what is built of other people's
# packages.
other_version() {
    sed --in-place 's/^\(version = "[0-9]*\.[0-9]*\)\.[0-9]*"/\1.999"/' Cargo.toml
    sed --in-place '/^name = "vegas-/ { n; s/^\(version = "[0-9]*\.[0-9]*\)\.[0-9]*"/\1.999"/ }' Cargo.lock
}

"$root/tools/copy_sources.sh" "$copy"
add_algorithm
cd "$copy"

# the extension as it is for tests, without the release's optimisation
extension() {
    cargo build --quiet --locked --package vegas-py
    cp "${CARGO_TARGET_DIR:-target}/debug/lib_vegaslab.so" python/vegaslab/_vegaslab.abi3.so
}

other_version
python="$root/.venv/bin/python"
export PYTHONPATH="$copy/python"
export UPDATE_PAGES=1
step 'lists of docs' cargo test --quiet --locked --package vegas-core --test it pages
step 'schema' cargo test --quiet --locked --package vegas-sim --test it schema
unset UPDATE_PAGES
step 'objects' "$python" -m documentation.objects
step 'core' cargo test --quiet --locked --package vegas-core --test it
step 'simulator' cargo test --quiet --locked --package vegas-sim --test it -- scenario tcp::hosts engine::idle_flow
[[ $extent == whole ]] || exit 0

step 'swarm' cargo test --quiet --locked --package vegas-swarm --test it generator
tools/linux_ready.sh >/dev/null && step 'kernel' cargo test --quiet --locked --package vegas-linux --lib choice
step 'Python extension' extension
step 'picture' "$python" -m documentation --missing
step 'Python tests' "$python" -m pytest --quiet -p no:cacheprovider \
    python/tests/project/test_documentation.py python/tests/scenario/test_objects.py python/tests/commands/test_cli.py \
    -k 'gaimd or index or page or picture_has or objects or explain or list'
"$python" -c 'from documentation.site.hooks import _families; assert "algorithms/gaimd.md" in _families()'
