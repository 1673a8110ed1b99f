/* Vegas (Brakmo and Peterson 1995) as the preset has it: windows in units of 2^-28 segment, RTTs in ns.
 *
 *   clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o vegas-c.wasm vegas.c
 */
#include <stdbool.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define ONE ((int64_t)1 << 28)
#define NONE INT64_MIN

static struct {
    /* what the host reads after each event */
    int64_t window, pace_ns, ssthresh, base_rtt_ns, diff;
    int64_t restart_window, max_window, alpha, beta, gamma;
    /* of each acknowledgement; in `opening` it is slow start's */
    int64_t growth;
    /* the round before did not grow */
    bool opening, rested;
    int64_t last_cut_ns;
    /* the round's last segment, its beginning, and its RTT samples */
    int64_t end, began_ns, rtt_sum_ns, samples;
} vegas;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool in_slow_start(void) { return vegas.ssthresh < 0 || vegas.window < vegas.ssthresh * ONE; }

static void grow_by(int64_t growth, bool opening) {
    vegas.growth = growth;
    vegas.opening = opening;
}

static void shrink_to(int64_t window) { vegas.window = least(most(window, 2 * ONE), vegas.window); }

static void begin_round(int64_t end, int64_t now_ns) {
    vegas.end = end;
    vegas.began_ns = now_ns;
    vegas.rtt_sum_ns = vegas.samples = 0;
}

static void leave_slow_start(void) {
    vegas.ssthresh = 2;
    grow_by(0, false);
}

static void steer(int64_t diff) {
    if (!in_slow_start()) {
        leave_slow_start();
        if (diff > vegas.beta)
            shrink_to(vegas.window - ONE);
        else if (diff < vegas.alpha) /* one segment spread over the window, rounded up */
            vegas.growth = least((ONE * ONE + vegas.window - 1) / vegas.window, ONE);
        return;
    }
    bool grows = vegas.rested;
    vegas.rested = !grows;
    grow_by(grows ? ONE : 0, true);
    if (grows && diff > vegas.gamma) {
        leave_slow_start();
        shrink_to(vegas.window - vegas.window / 8);
    }
}

static void end_round(int64_t now_ns, int64_t in_flight, int64_t newest, int64_t next) {
    int64_t sent = most(next - vegas.end, 0), base_ns = vegas.base_rtt_ns;
    if (base_ns >= 0) {
        int64_t rtt_ns = vegas.samples ? vegas.rtt_sum_ns / vegas.samples : now_ns - vegas.began_ns;
        rtt_ns = most(rtt_ns, base_ns);
        /* rounded half up */
        vegas.diff = floor_of(2 * (in_flight * rtt_ns - sent * base_ns) + rtt_ns, 2 * rtt_ns);
    }
    begin_round(most(next, newest + 1), now_ns);
    steer(base_ns < 0 ? 0 : vegas.diff);
}

EXPORT("start") void *start(int32_t initial_window, int32_t restart_window, int32_t max_window, int32_t ssthresh,
                            int32_t alpha, int32_t beta, int32_t gamma, int64_t seed) {
    vegas.window = initial_window * ONE;
    vegas.ssthresh = ssthresh;
    vegas.base_rtt_ns = vegas.last_cut_ns = -1;
    vegas.diff = NONE;
    vegas.restart_window = restart_window * ONE;
    vegas.max_window = max_window * ONE;
    vegas.alpha = alpha;
    vegas.beta = beta;
    vegas.gamma = gamma;
    grow_by(0, true);
    return &vegas;
}

EXPORT("on_ack") void on_ack(int64_t now_ns, int64_t rtt_ns, int32_t acked, int32_t in_flight, int64_t newest,
                             int64_t next, int32_t ce_marked, int32_t flags) {
    if (vegas.opening && !in_slow_start())
        grow_by(0, false);
    if (newest >= vegas.end)
        end_round(now_ns, in_flight, newest, next);
    if (vegas.window <= ((int64_t)in_flight + 2) * ONE && !ce_marked)
        vegas.window = least(vegas.window + vegas.growth, vegas.max_window);
    if (rtt_ns >= 0) {
        vegas.rtt_sum_ns += rtt_ns;
        vegas.samples += 1;
        vegas.base_rtt_ns = vegas.base_rtt_ns < 0 ? rtt_ns : least(rtt_ns, vegas.base_rtt_ns);
    }
}

EXPORT("on_loss") void on_loss(int64_t now_ns, int32_t kind, int64_t sent_ns, int32_t retransmission,
                               int32_t in_flight, int64_t next, int32_t lost) {
    int64_t whole = vegas.window / ONE;
    if (kind == 1) { /* a timeout */
        vegas.ssthresh = most(whole / 2, 2);
        vegas.window = least(vegas.restart_window, vegas.window);
        grow_by(0, true);
        vegas.rested = false;
        begin_round(next, now_ns);
    } else if (sent_ns > vegas.last_cut_ns) {
        int64_t cut = retransmission ? whole / 2 : whole - whole / 4;
        vegas.window = least((whole > 3 ? cut : 2) * ONE, vegas.window);
        vegas.ssthresh = 2;
    } else {
        return;
    }
    vegas.last_cut_ns = now_ns;
}
