/* Reno (RFC 5681) as the preset has it: windows in units of 2^-28 segment.
 *
 *   clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o reno-c.wasm reno.c
 */
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define ONE ((int64_t)1 << 28)
#define NONE INT64_MIN

static struct {
    /* what the host reads after each event */
    int64_t window, pace_ns, ssthresh, base_rtt_ns, diff;
    int64_t max_window, restart_window;
} reno;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

EXPORT("start") void *start(int32_t initial_window, int32_t restart_window, int32_t max_window, int32_t ssthresh,
                            int32_t alpha, int32_t beta, int32_t gamma, int64_t seed) {
    reno.window = initial_window * ONE;
    reno.ssthresh = ssthresh;
    reno.base_rtt_ns = -1;
    reno.diff = NONE;
    reno.max_window = max_window * ONE;
    reno.restart_window = restart_window * ONE;
    return &reno;
}

EXPORT("on_ack") void on_ack(int64_t now_ns, int64_t rtt_ns, int32_t acked, int32_t in_flight, int64_t newest,
                             int64_t next, int32_t ce_marked, int32_t flags) {
    if (rtt_ns >= 0)
        reno.base_rtt_ns = reno.base_rtt_ns < 0 ? rtt_ns : least(rtt_ns, reno.base_rtt_ns);
    if (ce_marked)
        return;
    int opens = reno.ssthresh < 0 || reno.window < reno.ssthresh * ONE;
    /* one segment for each acknowledgement, or one spread over the window, rounded up */
    int64_t more = opens ? ONE : (ONE * ONE + reno.window - 1) / reno.window;
    reno.window = least(reno.window + more, reno.max_window);
}

EXPORT("on_loss") void on_loss(int64_t now_ns, int32_t kind, int64_t sent_ns, int32_t retransmission,
                               int32_t in_flight, int64_t next, int32_t lost) {
    int64_t half = most(reno.window / 2, 2 * ONE);
    if (kind == 1) { /* a timeout */
        reno.ssthresh = half / ONE;
        reno.window = least(reno.restart_window, reno.window);
    } else {
        reno.window = least(half, reno.window);
        reno.ssthresh = most(reno.window / ONE, 2);
    }
}
