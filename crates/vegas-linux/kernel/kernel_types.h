/* The parts of the kernel's types that the glue reads or writes. Offsets come from the running kernel (CO-RE). */
#ifndef KERNEL_TYPES_H
#define KERNEL_TYPES_H

typedef _Bool bool;
#define true 1
#define false 0

#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE 1024
#define BPF_RB_NO_WAKEUP 1
#define BPF_SK_STORAGE_GET_F_CREATE 1
#define NANOS_PER_SECOND 1000000000ull
#define NANOS_PER_MICROSECOND 1000ull
/* SK_PACING_NONE */
#define UNPACED (~0ul)
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define AF_INET6 10

enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_SK_STORAGE = 24, BPF_MAP_TYPE_RINGBUF = 27 };
enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum tcp_ca_event { CA_EVENT_TX_START };
enum tcp_cb { TCPCB_SACKED_RETRANS = 2 };
enum sk_pacing { SK_PACING_NONE = 0, SK_PACING_NEEDED = 1 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__u32 skc_daddr, skc_rcv_saddr;
	__u16 skc_dport, skc_num, skc_family;
	/* absent in a kernel without IPv6 */
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
	__u64 icsk_ca_priv[13];
};

struct minmax_sample {
	__u32 t, v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 bytes_acked, tcp_wstamp_ns;
	__u32 snd_una, snd_cwnd, snd_cwnd_clamp, snd_ssthresh, packets_out, max_packets_out, mss_cache, delivered_ce;
	__u32 delivered, lost, high_seq, snd_nxt, srtt_us, sacked_out, lost_out, retrans_out;
	__u32 data_segs_out, total_retrans;
	__u8 is_cwnd_limited : 1;
	/* round trips, us */
	struct minmax rtt_min;
	/* the oldest buffer to retransmit */
	struct sk_buff *retransmit_skb_hint;
};

struct sk_buff {
	char cb[48];
};

/* what TCP keeps in a buffer's cb */
struct tcp_skb_cb {
	__u32 seq, end_seq;
	__u8 sacked;
	union {
		struct {
			__u32 is_app_limited : 1;
			__u32 delivered;
		} tx;
	};
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
};

struct rate_sample {
	__u32 prior_delivered, prior_in_flight, last_end_seq;
	__s32 delivered;
	long interval_us, rtt_us;
	int losses;
	bool is_app_limited;
};

/* what the kernel's own congestion controls keep in icsk_ca_priv */
struct vegas {
	/* us, and one more */
	__u32 baseRTT;
};

struct bbr {
	__u32 full_bw_reached : 1;
};

#pragma clang attribute pop

/* the name comes first: the loader writes it over the map's first bytes */
struct tcp_congestion_ops {
	char name[16];
	void (*init)(struct sock *sk);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample);
	__u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, __u8 state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 flags;
};

#endif
