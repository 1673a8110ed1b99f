/* The data that the glue and the core exchange. The types are those of abi.rs, which describes them. */
#ifndef VEGAS_ABI_H
#define VEGAS_ABI_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32, __wsum;

#define NONE_U32 0xffffffffu
#define NONE_DIFF (-0x7fffffff - 1)
/* a window's bits below a segment */
#define WINDOW_BITS 28

struct vegas_config {
	__u32 standalone, signal, slow_start, avoidance, cut, once_per_window, ends_at_next_ack, keep_up;
	__u32 alpha, beta, gamma, initial_window, restart_window, ssthresh, max_window, needs;
};

enum vegas_needs { NEEDS_ROUTERS = 1, NEEDS_EVERY_ACK = 2, NEEDS_CONTROL = 4, NEEDS_DEPARTURES = 8 };

enum vegas_kind {
	EVENT_START, EVENT_ACK, EVENT_DUPLICATE_ACKS, EVENT_TIMEOUT, EVENT_ECN, EVENT_UNDO, EVENT_RECOVERED, EVENT_RESTART,
	EVENT_UNUSED
};

enum vegas_flag {
	FLAG_WINDOW_LIMITED = 1, FLAG_RETRANSMISSION = 2, FLAG_FEEDBACK = 4, FLAG_RECOVERY = 8, FLAG_APP_LIMITED = 16,
	FLAG_LOSS_APP_LIMITED = 32, FLAG_THRESHOLD_HOLDS = 64
};

struct vegas_news {
	__u64 interval_ns;
	__u32 delivered, lost, rate_delivered, rate_lost, rate_in_flight, prior_delivered, total;
	__u32 sent, sent_in_flight, loss_in_flight, loss_lost, segment_bytes;
};

struct vegas_event {
	__u64 now_ns, rtt_ns, newest, next, sent_ns, forward_ns, backward_ns;
	__u32 acked, in_flight, ce_marked, kind, flags, seed;
	struct vegas_news news;
};

struct vegas_decision {
	__u64 window_raw, base_rtt_ns, spacing_ns;
	__u32 ssthresh;
	__s32 diff;
	__u32 slow_start, quantum;
};

/* the core's state and the state before the newest cut, opaque to the glue: 320 bytes at most */
struct vegas_kept {
	__u64 state[40], before[40];
};

/* EACH_STEP(DO): the steps of object.rs by their numbers, 0 of compositions, the last of the algorithm from outside, the
 * others of standalone ones */
#include <steps.h>

/* One traced call of the core. */
struct vegas_record {
	/* the number of the socket in its installation, from 1 */
	__u64 flow;
	struct vegas_event event;
	struct vegas_decision decision;
	__u64 bytes_acked;
	__u32 snd_cwnd, mss_bytes, segments_sent, segments_retransmitted, local_port, remote_port;
	/* IPv6 addresses as on the wire; an IPv4 address is mapped into one */
	__u32 local_address[4], remote_address[4];
};

/* the sizes that plain.rs checks too */
_Static_assert(sizeof(struct vegas_config) == 64, "Config");
_Static_assert(sizeof(struct vegas_event) == 136, "Event");
_Static_assert(sizeof(struct vegas_decision) == 40, "Decision");
_Static_assert(sizeof(struct vegas_record) == 248, "Record");

/* departures.rs */
#define DEPARTURES 512

struct vegas_departure {
	__u32 delivered, lost, in_flight, next;
};

struct vegas_departures {
	__u32 count;
	struct vegas_departure entries[DEPARTURES];
};

/* One step of the proof that object and core decide alike: event in, decision out. */
struct vegas_proof_step {
	struct vegas_event event;
	struct vegas_decision decision;
};

#define PROOF_STEPS 4096

/* --- RoVegas's option --- */

#define HEAD_BYTES 80

/* Head in the core's aqt.rs */
struct option_head {
	__u8 bytes[HEAD_BYTES];
	__u32 packet_bytes;
};

enum option_flag {
	READ_SEGMENT = 1, READ_PAYLOAD = 2, READ_ACKNOWLEDGEMENT = 4, READ_STAMPS = 8, READ_MALFORMED = 16
};

/* Reading in abi.rs */
struct option_reading {
	__u32 addresses[2], ports[2];
	__u32 acknowledgement, header_bytes, aqt_us, echo_us, flags;
};

/* One step of the proof that the programs read packets as the core does. */
struct option_proof_step {
	struct option_head head;
	struct option_reading reading;
};

#endif
