"""The files that `vegaslab new` writes for C, compiled to WebAssembly."""

FILE = "algorithm.c"
ALGORITHM = '{ wasm = "algorithm.wasm", name = "{{name}}" }'
COMMANDS = """\
    sh build.sh && vegaslab run scenario.toml
    vegaslab compare scenario.toml -a algorithm.wasm -a vegas
    pytest

`build.sh` needs clang and lld (Debian: `apt-get install clang lld`), and says which of them is missing.
"""

_ALGORITHM = """\
/* {{name}}: one segment more a round trip, half the window after a loss (Chiu and Jain 1989).
 * Windows are in units of 2^-28 segment. */
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define ONE ((int64_t)1 << 28)
#define MAY_GROW 1

static struct {
    /* what the host reads after each event */
    int64_t window, pace_ns, ssthresh, base_rtt_ns, diff;
    int64_t last_cut_ns;
} me;

EXPORT("start") void *start(int32_t initial_window, int32_t restart_window, int32_t max_window, int32_t ssthresh,
                            int32_t alpha, int32_t beta, int32_t gamma, int64_t seed) {
    me.window = initial_window * ONE;
    me.ssthresh = -1;
    me.base_rtt_ns = -1;
    me.diff = INT64_MIN;
    me.last_cut_ns = -1;
    return &me;
}

EXPORT("on_ack") void on_ack(int64_t now_ns, int64_t rtt_ns, int32_t acked, int32_t in_flight, int64_t newest,
                             int64_t next, int32_t ce_marked, int32_t flags) {
    /* not set in recovery, and with a mark */
    if (flags & MAY_GROW)
        me.window += ONE * ONE / me.window;
}

EXPORT("on_loss") void on_loss(int64_t now_ns, int32_t kind, int64_t sent_ns, int32_t retransmission,
                               int32_t in_flight, int64_t next, int32_t lost) {
    /* segments sent before the newest cut are lost to the same congestion */
    if (sent_ns > me.last_cut_ns) {
        me.window = me.window / 2 > ONE ? me.window / 2 : ONE;
        me.last_cut_ns = now_ns;
    }
}
"""

_BUILD = """\
#!/bin/sh
# Builds algorithm.wasm.
set -eu
cd "$(dirname "$0")"

# the tool by its own name, or with a version as Debian has it
tool() {
    for version in '' $(seq -f '-%g' 40 -1 14); do
        command -v "$1$version" && return
    done
    echo "missing: $1 (Debian: apt-get install $2)" >&2
    exit 1
}

clang=$(tool clang clang)
linker=$(tool wasm-ld lld)
"$clang" --target=wasm32 -O2 -nostdlib -fuse-ld="$linker" -Wl,--no-entry -Wl,-z,stack-size=4096 \\
    -o algorithm.wasm algorithm.c
"""

_TEST = '''\
"""What {{name}} promises; run by `pytest`."""

import subprocess
from pathlib import Path

import pytest

import vegaslab

FOLDER = Path(__file__).parent
SCENARIO = FOLDER / "scenario.toml"


@pytest.fixture(autouse=True, scope="module")
def built():
    subprocess.run(["sh", str(FOLDER / "build.sh")], check=True)


def test_it_uses_the_path():
    flow = vegaslab.run(SCENARIO).summary["flows"][0]
    assert flow["throughput_mbps"] > 8


def test_it_decides_by_its_events_alone():
    first, second = (vegaslab.run(SCENARIO) for _ in range(2))
    assert first.series.flows.equals(second.series.flows)
'''

FILES = {"algorithm.c": _ALGORITHM, "build.sh": _BUILD, "test_algorithm.py": _TEST}
