/* Asks for one-way delays, and shows the newest as its base RTT.
 *
 *   clang --target=wasm32 -O1 -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o delay.wasm delay.c
 */
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

static int64_t outputs[5] = {(int64_t)10 << 28, 0, -1, -1, INT64_MIN};

EXPORT("start") void *start(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int64_t h) {
    return outputs;
}

EXPORT("on_one_way_delay") void on_one_way_delay(int64_t delay_ns) { outputs[3] = delay_ns; }

EXPORT("on_ack") void on_ack(int64_t a, int64_t b, int32_t c, int32_t d, int64_t e, int64_t f, int32_t g, int32_t h) {}

EXPORT("on_loss") void on_loss(int64_t a, int32_t b, int64_t c, int32_t d, int32_t e, int64_t f, int32_t g) {}
