/* What is kept of a connection, the steps of the core on it, and the records of them. */
#ifndef FLOW_H
#define FLOW_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* --- the variables that the loader sets and reads --- */

/* the numbers of the algorithm, fixed when it is loaded */
const volatile struct vegas_config config SEC(".rodata.config");

/* calls of the core are traced until this time of the monotonic clock, ns */
volatile __u64 traced_until SEC(".data.traced");
/* connections that took the algorithm, and records for which the trace had no room */
volatile __u64 flows_started SEC(".data.counts");
volatile __u64 records_lost SEC(".data.counts");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} trace SEC(".maps");

/* --- the storage of a socket --- */

struct flow {
	struct vegas_kept kept;
	struct vegas_event event;
	struct vegas_decision decision;
	__u64 number;
	/* segments acknowledged in order since the start; bytes and marks counted up to the newest
	 * acknowledgement */
	__u64 acked_total;
	__u64 bytes_acked;
	__u32 delivered_ce;
	/* segments delivered, found lost and sent, up to the newest acknowledgement; those delivered before the start */
	__u32 delivered, lost, sent, delivered_first;
	/* the core has not had the event of the current acknowledgement yet */
	__u32 pending;
	/* the kernel has asked for a threshold and has not yet said for which event */
	__u32 asked;
	/* the window answers a loss or a mark; the core gets an event when that is over */
	__u32 repairs;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct flow);
} flows SEC(".maps");

/* --- the core --- */

/* Each algorithm's step is a function of its own that all callers share, so that the proof runs what connections
 * run. */
#define STEP(number) \
	__u32 vegas_core_step_##number(const struct vegas_config *config, struct vegas_kept *kept, \
				       const struct vegas_event *event, struct vegas_decision *decision); \
	static __noinline int core_step_##number(struct vegas_kept *kept, const struct vegas_event *event, \
						 struct vegas_decision *decision) \
	{ \
		const struct vegas_config *loaded = (const struct vegas_config *)&config; \
\
		/* the loader writes it: the compiler must not take the zeros for its contents */ \
		asm volatile("" : "+r"(loaded)); \
		return vegas_core_step_##number(loaded, kept, event, decision); \
	}
EACH_STEP(STEP)

/* Calls the step of the configured algorithm. The verifier knows the configuration, and removes the other calls. */
static int core_step(struct vegas_kept *kept, const struct vegas_event *event, struct vegas_decision *decision)
{
#define CASE(number) \
	case number: \
		return core_step_##number(kept, event, decision);
	switch (config.standalone) {
		EACH_STEP(CASE)
	}
	return 1;
}

static void map_ipv4(__u32 *address, __u32 ipv4)
{
	address[0] = 0;
	address[1] = 0;
	address[2] = __builtin_bswap32(0xffff);
	address[3] = ipv4;
}

static void copy_ipv6(__u32 *address, const struct in6_addr *from)
{
	int word;

	for (word = 0; word < 4; word++)
		address[word] = from->in6_u.u6_addr32[word];
}

static void record_addresses(struct vegas_record *slot, const struct sock_common *socket)
{
	if (bpf_core_field_exists(socket->skc_v6_daddr) && socket->skc_family == AF_INET6) {
		copy_ipv6(slot->local_address, &socket->skc_v6_rcv_saddr);
		copy_ipv6(slot->remote_address, &socket->skc_v6_daddr);
	} else {
		map_ipv4(slot->local_address, socket->skc_rcv_saddr);
		map_ipv4(slot->remote_address, socket->skc_daddr);
	}
}

static void record(const struct flow *flow, const struct tcp_sock *tp)
{
	const struct sock_common *socket = &tp->inet_conn.icsk_inet.sk.__sk_common;
	struct vegas_record *slot;

	if (flow->event.now_ns >= traced_until)
		return;
	slot = bpf_ringbuf_reserve(&trace, sizeof(*slot), 0);
	if (!slot) {
		__sync_fetch_and_add(&records_lost, 1);
		return;
	}
	slot->flow = flow->number;
	slot->event = flow->event;
	slot->decision = flow->decision;
	slot->bytes_acked = tp->bytes_acked;
	slot->snd_cwnd = tp->snd_cwnd;
	slot->segments_sent = tp->data_segs_out;
	slot->segments_retransmitted = tp->total_retrans;
	slot->local_port = socket->skc_num;
	slot->remote_port = __builtin_bswap16(socket->skc_dport);
	slot->mss_bytes = tp->mss_cache;
	record_addresses(slot, socket);
	/* readers poll, so no wakeup */
	bpf_ringbuf_submit(slot, BPF_RB_NO_WAKEUP);
}

static __u32 whole_segments(const struct flow *flow)
{
	return flow->decision.window_raw >> 28;
}

static __u32 threshold(const struct flow *flow)
{
	__u32 ssthresh = flow->decision.ssthresh;

	return ssthresh < TCP_INFINITE_SSTHRESH ? ssthresh : TCP_INFINITE_SSTHRESH;
}

static void set_window(const struct flow *flow, struct tcp_sock *tp)
{
	__u32 window = whole_segments(flow);

	if (window > tp->snd_cwnd_clamp)
		window = tp->snd_cwnd_clamp;
	tp->snd_cwnd = window ? window : 1;
}

static void step(struct flow *flow, __u32 kind)
{
	flow->event.now_ns = bpf_ktime_get_ns();
	flow->event.kind = kind;
	core_step(&flow->kept, &flow->event, &flow->decision);
}

static struct flow *flow_of(struct sock *sk)
{
	return bpf_sk_storage_get(&flows, (struct tcp_sock *)sk, 0, 0);
}

#endif
