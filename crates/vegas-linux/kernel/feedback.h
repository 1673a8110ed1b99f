/* What the routers said, on its way from the tc programs to the congestion control of the socket. */
#ifndef FEEDBACK_H
#define FEEDBACK_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>

/* a power of two: acknowledgements that wait while an application holds the socket */
#define FEEDBACK_SLOTS 16

/* Of the newest acknowledgements. Written without the socket's lock: what is overwritten while it is read gives the
 * times of a newer acknowledgement. */
struct feedback {
	/* acknowledgements ever: the newest is in slot (count - 1) % FEEDBACK_SLOTS */
	__u32 count;
	struct {
		__u32 acknowledgement, forward_us, backward_us;
	} slots[FEEDBACK_SLOTS];
};

/* The sockets that ask routers have one; their packets carry the option. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct feedback);
} feedback SEC(".maps");

#endif
