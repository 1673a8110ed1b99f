/* The routers' feedback, which the tc programs hand to the congestion control of the socket. */
#ifndef FEEDBACK_H
#define FEEDBACK_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>

/* a power of two: the acknowledgements that can wait while an application holds the socket */
#define FEEDBACK_SLOTS 16

/* The feedback of the newest acknowledgements. It is written without the socket's lock: a slot that is
 * overwritten while it is read gives the times of a newer acknowledgement. */
struct feedback {
	/* acknowledgements written so far: the newest is in slot (count - 1) % FEEDBACK_SLOTS */
	__u32 count;
	struct {
		__u32 acknowledgement, forward_us, backward_us;
	} slots[FEEDBACK_SLOTS];
};

/* Each socket that asks routers has an entry; packets of such a socket carry the option. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct feedback);
} feedback SEC(".maps");

#endif
