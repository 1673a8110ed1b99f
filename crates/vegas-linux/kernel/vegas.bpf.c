/* The glue between Linux's TCP and the core: turns the kernel's calls into the core's events, and the core's window
 * into snd_cwnd. It decides nothing. The core itself is Rust (object.rs), linked in as LLVM IR by build.rs.
 *
 * Linux finds and repairs losses itself (RACK, TLP, PRR, F-RTO); the core is asked how far to cut, and steers the window
 * outside of fast recovery. Names of the kernel's callbacks: include/net/tcp.h, struct tcp_congestion_ops. */
#include "vegas_abi.h"
#include "kernel_types.h"
#include "flow.h"
#include "feedback.h"
#include "departures.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* --- the kernel's callbacks --- */

static void begin(struct sock *sk, __u32 pacing)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = bpf_sk_storage_get(&flows, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);

	/* a default algorithm that paces leaves its pacing status on new sockets */
	sk->sk_pacing_status = pacing;
	if (!flow)
		return;
	if (config.needs & NEEDS_ROUTERS)
		bpf_sk_storage_get(&feedback, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
	__builtin_memset(flow, 0, sizeof(*flow));
	flow->number = __sync_fetch_and_add(&flows_started, 1) + 1;
	flow->bytes_acked = tp->bytes_acked;
	flow->delivered_ce = tp->delivered_ce;
	flow->delivered = tp->delivered;
	flow->delivered_first = tp->delivered;
	flow->lost = tp->lost;
	flow->sent = tp->data_segs_out;
	flow->event.next = tp->packets_out;
	if (config.needs & NEEDS_DEPARTURES) {
		bpf_sk_storage_get(&departures, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
		note_departures(tp);
	}
	/* the handshake's, in eighths of a microsecond */
	flow->event.rtt_ns = (tp->srtt_us >> 3) * NANOS_PER_MICROSECOND;
	flow->event.seed = bpf_get_prandom_u32();
	flow->event.news.segment_bytes = tp->mss_cache;
	step(flow, EVENT_START);
	set_window(flow, tp);
	tp->snd_ssthresh = threshold(flow);
	record(flow, tp);
}

SEC("struct_ops")
void BPF_PROG(vegas_init, struct sock *sk)
{
	begin(sk, SK_PACING_NONE);
}

/* Returns the RTT sample, ns, or 0. In a recovery one of whole milliseconds may be a time stamp's, by which the kernel
 * times what it has retransmitted, and which would set a base RTT up to a millisecond too short. A segment that is not
 * full takes less time on the wire, and would set one that no full segment can reach. */
static __u64 sample_ns(const struct flow *flow, const struct tcp_sock *tp, const struct ack_sample *sample)
{
	__u64 bytes = tp->bytes_acked - flow->bytes_acked;

	if (sample->rtt_us <= 0)
		return 0;
	if (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state) != TCP_CA_Open && sample->rtt_us % 1000 == 0)
		return 0;
	if (bytes < (__u64)sample->pkts_acked * tp->mss_cache)
		return 0;
	return (__u64)sample->rtt_us * 1000;
}

/* tcp_is_cwnd_limited of the kernel, which BPF may not call */
static bool is_cwnd_limited(const struct tcp_sock *tp)
{
	/* CO-RE reads the bit: its place depends on the running kernel */
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	/* BBR has no threshold, and asks for the bit alone */
	if (config.needs & NEEDS_DEPARTURES)
		return false;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* Reads the routers' times of the current acknowledgement, if the tc programs are at the device and found the
 * option. */
static __u32 read_routers(struct vegas_event *event, struct tcp_sock *tp)
{
	const struct feedback *told = (config.needs & NEEDS_ROUTERS) ? bpf_sk_storage_get(&feedback, tp, 0, 0) : 0;
	__u32 age, slot;

	event->forward_ns = 0;
	event->backward_ns = 0;
	if (!told)
		return 0;
	for (age = 1; age <= FEEDBACK_SLOTS && age <= told->count; age++) {
		slot = (told->count - age) % FEEDBACK_SLOTS;
		if (told->slots[slot].acknowledgement != tp->snd_una)
			continue;
		event->forward_ns = told->slots[slot].forward_us * NANOS_PER_MICROSECOND;
		event->backward_ns = told->slots[slot].backward_us * NANOS_PER_MICROSECOND;
		return FLAG_FEEDBACK;
	}
	return 0;
}

/* Tells what was found lost since the event before. */
static void note_lost(struct flow *flow, struct tcp_sock *tp)
{
	struct vegas_news *news = &flow->event.news;

	news->lost = tp->lost - flow->lost;
	flow->lost = tp->lost;
	if (!(config.needs & NEEDS_DEPARTURES))
		return;
	news->loss_in_flight = 0;
	if (news->lost)
		note_lost_segment(&flow->event, tp);
}

/* Gives the core the event of the current acknowledgement; returns whether one was pending. */
static bool tell_ack(struct flow *flow, struct tcp_sock *tp, __u32 flags)
{
	if (!flow->pending)
		return false;
	flow->pending = 0;
	flow->event.flags = flags | read_routers(&flow->event, tp);
	flow->event.flags |= is_cwnd_limited(tp) ? FLAG_WINDOW_LIMITED : 0;
	flow->event.ce_marked = tp->delivered_ce - flow->delivered_ce;
	flow->delivered_ce = tp->delivered_ce;
	if (config.standalone)
		note_lost(flow, tp);
	step(flow, EVENT_ACK);
	return true;
}

/* Sets the count that standalone algorithms read. As in the simulator, the acknowledged segments are those newly
 * delivered: segments that a selective acknowledgement reported before are not counted again. */
static void note_news(struct flow *flow, const struct tcp_sock *tp)
{
	struct vegas_event *event = &flow->event;

	event->news.delivered = tp->delivered - flow->delivered;
	flow->delivered = tp->delivered;
	if (event->acked)
		event->acked = event->news.delivered ? event->news.delivered : 1;
}

/* Returns whether the kernel sets the window: proportional rate reduction (RFC 6937) lowers it then. */
static bool repairs(const struct tcp_sock *tp)
{
	__u8 state = BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);

	return state == TCP_CA_Recovery || state == TCP_CA_CWR;
}

/* The kernel calls this first for each acknowledgement. Outside of recovery it then calls vegas_cong_avoid; for
 * an algorithm with a pacing rate or rate samples it calls vegas_cong_control each time. Acknowledgements that
 * reach neither become events here, for algorithms that need every acknowledgement. */
SEC("struct_ops")
void BPF_PROG(vegas_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	struct vegas_event *event;
	bool is_repairing;

	if (!flow)
		return;
	event = &flow->event;
	event->rtt_ns = sample_ns(flow, tp, sample);
	flow->bytes_acked = tp->bytes_acked;
	flow->acked_total += sample->pkts_acked;
	event->acked = sample->pkts_acked;
	/* packets_out is SND.NXT - SND.UNA in segments, after this acknowledgement */
	event->in_flight = tp->packets_out + sample->pkts_acked;
	event->newest = flow->acked_total - 1;
	event->next = flow->acked_total + tp->packets_out;
	flow->pending = sample->pkts_acked || config.needs & NEEDS_EVERY_ACK;
	if (!config.standalone)
		return;
	note_news(flow, tp);
	if (!(config.needs & NEEDS_EVERY_ACK) || config.needs & NEEDS_CONTROL)
		return;
	/* recovery lasts until high_seq is acknowledged; the kernel calls cong_avoid for the acknowledgement that
	 * ends it */
	is_repairing = repairs(tp) && (__s32)(tp->snd_una - tp->high_seq) < 0;
	if (is_repairing || !sample->pkts_acked) {
		tell_ack(flow, tp, is_repairing ? FLAG_RECOVERY : 0);
		record(flow, tp);
	}
}

/* The kernel takes back a window that is not used (tcp_cwnd_restart, tcp_cwnd_application_limited), but from no
 * algorithm with cong_control. Compositions have no stack left for that event, nor for that of a restart. */
static void tell_unused(struct flow *flow, const struct tcp_sock *tp)
{
	__u32 acked = flow->event.acked;

	if (!config.standalone || config.needs & NEEDS_CONTROL)
		return;
	if (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state) != TCP_CA_Open)
		return;
	if (tp->snd_cwnd >= whole_segments(flow))
		return;
	flow->event.acked = tp->snd_cwnd;
	step(flow, EVENT_UNUSED);
	flow->event.acked = acked;
}

SEC("struct_ops")
void BPF_PROG(vegas_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);

	if (!flow)
		return;
	tell_unused(flow, tp);
	if (!tell_ack(flow, tp, 0))
		return;
	set_window(flow, tp);
	tp->snd_ssthresh = threshold(flow);
	record(flow, tp);
}

/* --- with a pacing rate: the kernel calls cong_control for every acknowledgement, and leaves recovery to the
 * algorithm --- */

/* Sets sk_pacing_rate (bytes of payload a second) from the core's spacing of full segments. */
static void set_pace(const struct flow *flow, struct sock *sk)
{
	const struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u64 spacing_ns = flow->decision.spacing_ns;

	sk->sk_pacing_rate = spacing_ns ? tp->mss_cache * NANOS_PER_SECOND / spacing_ns : UNPACED;
}

SEC("struct_ops")
void BPF_PROG(vegas_init_paced, struct sock *sk)
{
	begin(sk, SK_PACING_NEEDED);
	sk->sk_pacing_rate = UNPACED;
}

/* Copies the kernel's sample of the delivery rate. Without an account of departures, the segments in flight when the newest
 * acknowledged segment left are those delivered from then on, itself included, and the lost ones those that this
 * acknowledgement shows. */
static void note_rate(struct flow *flow, struct tcp_sock *tp, const struct rate_sample *sample)
{
	bool is_valid = sample->delivered > 0 && sample->interval_us > 0;
	struct vegas_event *event = &flow->event;
	struct vegas_news *news = &event->news;

	news->interval_ns = is_valid ? (__u64)sample->interval_us * NANOS_PER_MICROSECOND : 0;
	news->rate_delivered = sample->delivered;
	news->rate_lost = sample->losses;
	news->rate_in_flight = sample->delivered;
	news->prior_delivered = sample->prior_delivered - flow->delivered_first;
	news->total = tp->delivered - flow->delivered_first;
	if (!(config.needs & NEEDS_DEPARTURES))
		return;
	note_rate_departure(news, tp, sample);
	news->sent = tp->data_segs_out - flow->sent;
	flow->sent = tp->data_segs_out;
	note_sent(event, flow->decision.spacing_ns, tp, sample);
}

/* In recovery the core sets the window after the cut, and the kernel keeps its estimate of the segments in flight
 * below that window (as in RFC 6675). */
SEC("struct_ops")
void BPF_PROG(vegas_cong_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	bool is_repairing = repairs(tp);
	__u32 flags = is_repairing ? FLAG_RECOVERY : 0;

	if (!flow)
		return;
	if (config.standalone) {
		note_rate(flow, tp, sample);
		flags |= sample->is_app_limited ? FLAG_APP_LIMITED : 0;
	}
	if ((!is_repairing || config.needs & NEEDS_EVERY_ACK) && tell_ack(flow, tp, flags)) {
		tp->snd_ssthresh = threshold(flow);
		set_pace(flow, sk);
		record(flow, tp);
	}
	set_window(flow, tp);
	if (config.needs & NEEDS_DEPARTURES)
		note_departures(tp);
}

/* --- losses --- */

/* The kernel asks for a threshold here, and then reports the event with vegas_set_state. There the core gets the
 * event, and its answer replaces the value returned here. */
SEC("struct_ops")
__u32 BPF_PROG(vegas_ssthresh, struct sock *sk)
{
	struct flow *flow = flow_of(sk);

	if (!flow)
		return 2;
	flow->asked = 1;
	return whole_segments(flow);
}

/* Gives an algorithm that needs every acknowledgement the events before a change of state: the end of a recovery,
 * and the acknowledgement that reveals a loss, unless that comes to cong_control with its rate sample. */
static void tell_before(struct flow *flow, struct tcp_sock *tp, __u8 state)
{
	/* a timeout does not end the recovery */
	if (flow->repairs && state != TCP_CA_Loss && (flow->asked || state <= TCP_CA_Disorder)) {
		flow->repairs = 0;
		step(flow, EVENT_RECOVERED);
		set_window(flow, tp);
		tp->snd_ssthresh = threshold(flow);
		record(flow, tp);
	}
	if (flow->asked && !(config.needs & NEEDS_CONTROL) && tell_ack(flow, tp, FLAG_RECOVERY))
		record(flow, tp);
}

SEC("struct_ops")
void BPF_PROG(vegas_set_state, struct sock *sk, __u8 state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	__u32 in_flight;
	bool marked, holds;

	if (!flow)
		return;
	if (config.needs & NEEDS_EVERY_ACK)
		tell_before(flow, tp, state);
	/* a timeout in a recovery asks for no threshold, and still begins with the restart window (tcp_enter_loss) */
	holds = !flow->asked && flow->repairs && state == TCP_CA_Loss;
	if (!flow->asked && !holds)
		return;
	flow->asked = 0;
	flow->repairs = state != TCP_CA_Loss;
	/* the kernel asks once per window of data, so the lost segment was sent after the previous cut */
	flow->event.sent_ns = bpf_ktime_get_ns();
	/* the acknowledgement may be reported after the loss */
	in_flight = flow->event.in_flight;
	flow->event.in_flight = tp->packets_out;
	flow->event.next = flow->acked_total + tp->packets_out;
	flow->event.flags = holds ? FLAG_THRESHOLD_HOLDS : 0;
	if (config.standalone)
		note_lost(flow, tp);
	if (state == TCP_CA_Loss) {
		step(flow, EVENT_TIMEOUT);
		set_window(flow, tp);
		tp->snd_ssthresh = threshold(flow);
	} else {
		/* The state CWR follows a mark, with its echo already counted; it also follows a loss that a
		 * probe has repaired (RFC 8985, section 7.4) and a full queue of the host's own.
		 * Proportional rate reduction (RFC 6937) takes snd_cwnd to snd_ssthresh by the end of recovery. */
		marked = tp->delivered_ce != flow->delivered_ce;
		step(flow, state == TCP_CA_CWR && marked ? EVENT_ECN : EVENT_DUPLICATE_ACKS);
		tp->snd_ssthresh = whole_segments(flow);
	}
	record(flow, tp);
	flow->event.in_flight = in_flight;
	if (config.needs & NEEDS_DEPARTURES)
		note_departures(tp);
}

/* The kernel found that nothing had been lost: undoes the cut. */
SEC("struct_ops")
__u32 BPF_PROG(vegas_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	__u32 window;

	if (!flow)
		return tp->snd_cwnd;
	flow->repairs = 0;
	step(flow, EVENT_UNDO);
	record(flow, tp);
	window = whole_segments(flow);
	return window > tp->snd_cwnd ? window : tp->snd_cwnd;
}

/* The kernel reports the restart after an idle time; it also reports one where a timeout has left nothing in
 * flight. */
SEC("struct_ops")
void BPF_PROG(vegas_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow;

	if (!config.standalone || event != CA_EVENT_TX_START || tp->packets_out)
		return;
	flow = flow_of(sk);
	if (!flow || !flow->acked_total)
		return;
	flow->event.sent_ns = flow->event.now_ns;
	flow->event.next = flow->acked_total;
	step(flow, EVENT_RESTART);
	tell_unused(flow, tp);
	record(flow, tp);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops vegas_window = {
	.init = (void *)vegas_init,
	.pkts_acked = (void *)vegas_pkts_acked,
	.cong_avoid = (void *)vegas_cong_avoid,
	.ssthresh = (void *)vegas_ssthresh,
	.set_state = (void *)vegas_set_state,
	.cwnd_event = (void *)vegas_cwnd_event,
	.undo_cwnd = (void *)vegas_undo_cwnd,
	/* any program may select the algorithm, not only root's */
	.flags = TCP_CONG_NON_RESTRICTED,
	/* the loader overwrites the name */
	.name = "vegas",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops vegas_paced = {
	.init = (void *)vegas_init_paced,
	.pkts_acked = (void *)vegas_pkts_acked,
	.cong_control = (void *)vegas_cong_control,
	.ssthresh = (void *)vegas_ssthresh,
	.set_state = (void *)vegas_set_state,
	.cwnd_event = (void *)vegas_cwnd_event,
	.undo_cwnd = (void *)vegas_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "vegas",
};

/* --- the proof that object and core decide alike: steps in, decisions out --- */

struct proof {
	struct vegas_proof_step steps[PROOF_STEPS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct proof);
} proof_steps SEC(".maps");

struct vegas_kept proof_kept SEC(".data.proof");

static int prove_step(__u32 index, void *unused)
{
	__u32 only = 0;
	struct proof *proof = bpf_map_lookup_elem(&proof_steps, &only);

	if (!proof || index >= PROOF_STEPS)
		return 1;
	core_step(&proof_kept, &proof->steps[index].event, &proof->steps[index].decision);
	return 0;
}

SEC("syscall")
int vegas_prove(void *unused)
{
	return bpf_loop(PROOF_STEPS, prove_step, 0, 0);
}

char _license[] SEC("license") = "Dual MIT/GPL";
