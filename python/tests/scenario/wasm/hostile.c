/* Does harm at its first acknowledgement; the initial window says which.
 *
 *   clang --target=wasm32 -O1 -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 -o hostile.wasm hostile.c
 */
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

static int64_t outputs[5] = {(int64_t)10 << 28, 0, -1, -1, INT64_MIN};
static int32_t harm;

EXPORT("start") void *start(int32_t initial_window, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g,
                            int64_t h) {
    harm = initial_window;
    return harm == 5 ? (void *)0x7fffffff : outputs;
}

static int deeper(volatile int *above) {
    volatile int here = *above + 1;
    return deeper(&here) + here;
}

EXPORT("on_ack") void on_ack(int64_t a, int64_t b, int32_t c, int32_t d, int64_t e, int64_t f, int32_t g, int32_t h) {
    volatile int64_t spins = 1;
    if (harm == 2)
        while (spins)
            ;
    if (harm == 3 && __builtin_wasm_memory_grow(0, 4096) == (__SIZE_TYPE__)-1)
        __builtin_trap();
    if (harm == 4)
        *(volatile int64_t *)0x7fffff00 = 1;
    if (harm == 6)
        outputs[0] = -1;
    if (harm == 7) { /* the bits of a number that is none, which processors choose */
        volatile float nothing = 0;
        union {
            float number;
            uint32_t bits;
        } quotient = {nothing / nothing};
        outputs[4] = (int32_t)quotient.bits;
    }
    if (harm == 8) {
        volatile int depth = 0;
        outputs[4] = deeper(&depth);
    }
}

EXPORT("on_loss") void on_loss(int64_t a, int32_t b, int64_t c, int32_t d, int32_t e, int64_t f, int32_t g) {}
