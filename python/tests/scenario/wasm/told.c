/* Shows the events that it gets: the handshake's round trip as its base RTT, segments lost as its backlog, ends of recovery as
 * its threshold.
 *
 *   clang --target=wasm32 -O1 -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o told.wasm told.c
 */
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

static int64_t outputs[5] = {(int64_t)20 << 28, 0, 0, -1, 0};

EXPORT("start") void *start(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int64_t h) {
    return outputs;
}

EXPORT("on_handshake") void on_handshake(int64_t now_ns, int64_t rtt_ns) { outputs[3] = rtt_ns; }

EXPORT("on_segment_lost") void on_segment_lost(int32_t in_flight, int32_t lost, int32_t app_limited) { outputs[4] += 1; }

EXPORT("on_recovered") void on_recovered(int64_t now_ns) { outputs[2] += 1; }

EXPORT("on_ack") void on_ack(int64_t a, int64_t b, int32_t c, int32_t d, int64_t e, int64_t f, int32_t g, int32_t h) {}

EXPORT("on_loss") void on_loss(int64_t a, int32_t b, int64_t c, int32_t d, int32_t e, int64_t f, int32_t g) {}
