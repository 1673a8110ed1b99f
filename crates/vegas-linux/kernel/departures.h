/* What BBR asks for besides: what was lost and in flight when a segment left, and what has left. departures.rs keeps it. */
#ifndef DEPARTURES_H
#define DEPARTURES_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Each socket of an algorithm that asks has an entry. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct vegas_departures);
} departures SEC(".maps");

void vegas_departures_note(struct vegas_departures *departures, const struct vegas_departure *now);
void vegas_departures_of(const struct vegas_departures *departures, struct vegas_departure *segment, __u32 segment_bytes);
void vegas_departures_of_first(const struct vegas_departures *departures, struct vegas_departure *segment,
			       __u32 segment_bytes);

static struct vegas_departures *departures_of(struct tcp_sock *tp)
{
	return bpf_sk_storage_get(&departures, tp, 0, 0);
}

/* Finds lost and in_flight of a segment by its delivered and next. A function of its own: the verifier walks through its
 * search once for each caller and not once for each way to it. */
static __noinline int find_departure(struct vegas_departures *kept, struct vegas_departure *segment, __u32 segment_bytes)
{
	if (!kept || !segment)
		return 1;
	vegas_departures_of(kept, segment, segment_bytes);
	return 0;
}

/* tcp_packets_in_flight of the kernel */
static __u32 packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

/* Notes the counts before anything leaves. */
static void note_departures(struct tcp_sock *tp)
{
	struct vegas_departures *kept = departures_of(tp);
	struct vegas_departure now = { tp->delivered, tp->lost, packets_in_flight(tp), tp->snd_nxt };

	if (kept)
		vegas_departures_note(kept, &now);
}

/* Completes the rate sample by what there was when its newest segment left. */
static void note_rate_departure(struct vegas_news *news, struct tcp_sock *tp, const struct rate_sample *sample)
{
	struct vegas_departure segment = { sample->prior_delivered, 0, 0, sample->last_end_seq };

	if (find_departure(departures_of(tp), &segment, tp->mss_cache))
		return;
	news->rate_lost = tp->lost - segment.lost;
	news->rate_in_flight = segment.in_flight;
}

/* Tells what left since the acknowledgement before; the flight is the one that this acknowledgement met. sent_ns is
 * such that, a spacing later, the kernel's pacer lets the next segment leave. */
static void note_sent(struct vegas_event *event, __u64 spacing_ns, const struct tcp_sock *tp,
		      const struct rate_sample *sample)
{
	event->news.sent_in_flight = sample->prior_in_flight;
	event->sent_ns = tp->tcp_wstamp_ns > spacing_ns ? tp->tcp_wstamp_ns - spacing_ns : 0;
}

/* As above, of the first time that a segment left, by where it begins. */
static __noinline int find_first_departure(struct vegas_departures *kept, struct vegas_departure *segment,
					   __u32 segment_bytes)
{
	if (!kept || !segment)
		return 1;
	vegas_departures_of_first(kept, segment, segment_bytes);
	return 0;
}

/* Describes the oldest of the segments that were just found lost. The kernel retransmits them from its hint on: the hint's
 * own segment, or the one after it if the kernel has just sent that again. Without a hint the newest segment of the rate
 * sample stands for it. */
static void note_lost_segment(struct vegas_event *event, struct tcp_sock *tp)
{
	const struct sk_buff *hint = tp->retransmit_skb_hint;
	const struct tcp_skb_cb *buffer;
	struct vegas_departure segment = {};
	int missing;

	event->news.loss_in_flight = event->news.rate_in_flight;
	event->news.loss_lost = event->news.rate_lost;
	if (!hint)
		return;
	buffer = (const struct tcp_skb_cb *)hint->cb;
	if (BPF_CORE_READ(buffer, sacked) & TCPCB_SACKED_RETRANS) {
		segment.next = BPF_CORE_READ(buffer, end_seq);
		missing = find_first_departure(departures_of(tp), &segment, tp->mss_cache);
	} else {
		segment.delivered = BPF_CORE_READ(buffer, tx.delivered);
		/* a buffer may hold several segments: its first is the oldest */
		segment.next = BPF_CORE_READ(buffer, seq) + 1;
		missing = find_departure(departures_of(tp), &segment, tp->mss_cache);
	}
	if (missing)
		return;
	event->news.loss_in_flight = segment.in_flight;
	event->news.loss_lost = tp->lost - segment.lost;
	if (BPF_CORE_READ_BITFIELD_PROBED(buffer, tx.is_app_limited))
		event->flags |= FLAG_LOSS_APP_LIMITED;
}

#endif
