/* Connections that the kernel's own congestion controls run: a record after each acknowledgement, as vegas.bpf.c makes
 * them of the core's. It only reads. */
#include "vegas_abi.h"
#include "kernel_types.h"
#include "records.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define FLOWS 256
#define FIRST_PORT 10000
#define RECEIVER_PORT 5001

/* which flows are observed, by what keeps their base RTT and the end of their slow start */
enum observed { NOT_OBSERVED, BY_TCP, BY_VEGAS, BY_BBR };
const volatile __u8 observed[FLOWS] SEC(".rodata.observed");

/* what a record of a connection needs beside the socket */
struct seen {
	long rtt_us;
	__u32 delivered_ce;
	__u8 state;
	bool has_begun;
};
struct seen seen[FLOWS] SEC(".data.seen");

/* Returns the number of the flow that this socket sends; FLOWS for any other socket. */
static __u32 flow_of(const struct sock *sk)
{
	__u32 flow = sk->__sk_common.skc_num - FIRST_PORT;

	if (sk->__sk_common.skc_dport != __builtin_bswap16(RECEIVER_PORT) || flow >= FLOWS || !observed[flow])
		return FLOWS;
	return flow;
}

static __u64 base_rtt_ns(const struct tcp_sock *tp, enum observed by)
{
	__u32 least_us = tp->rtt_min.s[0].v;

	if (by == BY_VEGAS && bpf_core_type_exists(struct vegas)) {
		const struct vegas *vegas = (const struct vegas *)tp->inet_conn.icsk_ca_priv;

		least_us = BPF_CORE_READ(vegas, baseRTT);
		least_us -= least_us < 0x7fffffff;
	}
	return least_us < 0x7fffffff ? least_us * NANOS_PER_MICROSECOND : 0;
}

/* In these states the window follows what arrives, and not the congestion control (tcp_in_cwnd_reduction). */
static bool is_reducing(__u8 state)
{
	return state == TCP_CA_Recovery || state == TCP_CA_CWR;
}

static bool is_in_slow_start(const struct tcp_sock *tp, enum observed by, __u8 state)
{
	if (by == BY_BBR && bpf_core_type_exists(struct bbr)) {
		const struct bbr *bbr = (const struct bbr *)tp->inet_conn.icsk_ca_priv;

		return !BPF_CORE_READ_BITFIELD_PROBED(bbr, full_bw_reached);
	}
	/* a reduction may take the window below the threshold */
	return tp->snd_cwnd < tp->snd_ssthresh && !is_reducing(state);
}

static void observe(struct sock *sk, __u32 flow, enum vegas_kind kind)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	__u64 now_ns = bpf_ktime_get_ns();
	struct seen *its = &seen[flow & (FLOWS - 1)];
	enum observed by = observed[flow & (FLOWS - 1)];
	struct vegas_record *slot = tp ? new_record(tp, now_ns) : 0;
	__u8 state;

	if (!slot)
		return;
	state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	slot->flow = flow + 1;
	__builtin_memset(&slot->event, 0, sizeof(slot->event));
	slot->event.now_ns = now_ns;
	slot->event.kind = kind;
	slot->event.in_flight = tp->packets_out;
	slot->event.rtt_ns = its->rtt_us > 0 ? its->rtt_us * NANOS_PER_MICROSECOND : 0;
	slot->event.flags = is_reducing(state) ? FLAG_RECOVERY : 0;
	slot->decision.window_raw = (__u64)tp->snd_cwnd << WINDOW_BITS;
	slot->decision.base_rtt_ns = base_rtt_ns(tp, by);
	slot->decision.spacing_ns = 0;
	slot->decision.ssthresh = tp->snd_ssthresh < TCP_INFINITE_SSTHRESH ? tp->snd_ssthresh : NONE_U32;
	slot->decision.diff = NONE_DIFF;
	slot->decision.slow_start = is_in_slow_start(tp, by, state);
	slot->decision.quantum = 0;
	submit_record(slot);
	its->rtt_us = 0;
}

/* The connection is there: its window is the first one. */
SEC("fexit/tcp_init_congestion_control")
int BPF_PROG(on_start, struct sock *sk)
{
	__u32 flow = flow_of(sk);

	if (flow >= FLOWS || seen[flow].has_begun)
		return 0;
	seen[flow].has_begun = true;
	__sync_fetch_and_add(&flows_started, 1);
	observe(sk, flow, EVENT_START);
	return 0;
}

/* The RTT of the newest segment of the acknowledgement that tcp_ack reads. */
SEC("fentry/tcp_rate_gen")
int BPF_PROG(on_sample, struct sock *sk, __u32 delivered, __u32 lost, bool is_sack_reneg, struct rate_sample *sample)
{
	__u32 flow = flow_of(sk);

	if (flow < FLOWS)
		seen[flow].rtt_us = sample->rtt_us;
	return 0;
}

/* Returns the kind of event of an acknowledgement that leaves the connection in this state. */
static enum vegas_kind kind_of(const struct seen *its, const struct tcp_sock *tp, __u8 state)
{
	bool marked = tp->delivered_ce != its->delivered_ce;

	if (state == its->state || !is_reducing(state))
		return EVENT_ACK;
	return state == TCP_CA_CWR && marked ? EVENT_ECN : EVENT_DUPLICATE_ACKS;
}

SEC("fexit/tcp_ack")
int BPF_PROG(on_ack, struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	__u32 flow = flow_of(sk);
	__u8 state;

	if (!tp || flow >= FLOWS || !seen[flow].has_begun)
		return 0;
	state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	observe(sk, flow, kind_of(&seen[flow], tp, state));
	seen[flow].state = state;
	seen[flow].delivered_ce = tp->delivered_ce;
	return 0;
}

SEC("fexit/tcp_enter_loss")
int BPF_PROG(on_timeout, struct sock *sk)
{
	__u32 flow = flow_of(sk);

	if (flow >= FLOWS)
		return 0;
	observe(sk, flow, EVENT_TIMEOUT);
	seen[flow].state = TCP_CA_Loss;
	return 0;
}

char _license[] SEC("license") = "Dual MIT/GPL";
