/* The trace: records of connections, and the variables that its reader sets and reads. */
#ifndef RECORDS_H
#define RECORDS_H

#include "vegas_abi.h"
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* records are made until this time of the monotonic clock, ns */
volatile __u64 traced_until SEC(".data.traced");
/* connections that began, and records for which the trace had no room */
volatile __u64 flows_started SEC(".data.counts");
volatile __u64 records_lost SEC(".data.counts");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} trace SEC(".maps");

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

/* Returns a record with what the socket has; none while the trace is off, or if it has no room. */
static struct vegas_record *new_record(const struct tcp_sock *tp, __u64 now_ns)
{
	const struct sock_common *socket = &tp->inet_conn.icsk_inet.sk.__sk_common;
	struct vegas_record *slot;

	if (now_ns >= traced_until)
		return 0;
	slot = bpf_ringbuf_reserve(&trace, sizeof(*slot), 0);
	if (!slot) {
		__sync_fetch_and_add(&records_lost, 1);
		return 0;
	}
	slot->bytes_acked = tp->bytes_acked;
	slot->snd_cwnd = tp->snd_cwnd;
	slot->segments_sent = tp->data_segs_out;
	slot->segments_retransmitted = tp->total_retrans;
	slot->local_port = socket->skc_num;
	slot->remote_port = __builtin_bswap16(socket->skc_dport);
	slot->mss_bytes = tp->mss_cache;
	record_addresses(slot, socket);
	return slot;
}

static void submit_record(struct vegas_record *slot)
{
	/* readers poll, so no wakeup */
	bpf_ringbuf_submit(slot, BPF_RB_NO_WAKEUP);
}

#endif
