/* What is kept of a connection, the steps of the core on it, and the records of them. */
#ifndef FLOW_H
#define FLOW_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include "records.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* --- the variables that the loader sets and reads --- */

/* the numbers of the algorithm, fixed when it is loaded */
const volatile struct vegas_config config SEC(".rodata.config");

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

static void record(const struct flow *flow, const struct tcp_sock *tp)
{
	struct vegas_record *slot = new_record(tp, flow->event.now_ns);

	if (!slot)
		return;
	slot->flow = flow->number;
	slot->event = flow->event;
	slot->decision = flow->decision;
	submit_record(slot);
}

static __u32 whole_segments(const struct flow *flow)
{
	return flow->decision.window_raw >> WINDOW_BITS;
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
