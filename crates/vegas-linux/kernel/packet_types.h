/* The fields of packets and sockets that the tc programs see, in the stable layout of linux/bpf.h. */
#ifndef PACKET_TYPES_H
#define PACKET_TYPES_H

#include "vegas_abi.h"

#define BPF_ANY 0
#define BPF_F_CURRENT_NETNS (-1L)
#define BPF_F_ADJ_ROOM_FIXED_GSO 1

enum { BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_LRU_HASH = 9 };
enum bpf_adj_room_mode { BPF_ADJ_ROOM_NET };
enum tcx_action { TCX_NEXT = -1, TCX_DROP = 2 };

struct bpf_sock;

struct __sk_buff {
	__u32 len, pkt_type, mark, queue_mapping;
	__u32 protocol;
	__u32 vlan[3], priority, ingress_ifindex, ifindex, tc_index, cb[5], hash, tc_classid, data[2], napi_id, family;
	__u32 addresses[10], ports[2], data_meta;
	__u64 flow_keys, tstamp;
	__u32 wire_len, gso_segs;
	struct bpf_sock *sk;
	__u32 gso_size;
};

_Static_assert(__builtin_offsetof(struct __sk_buff, sk) == 168, "linux/bpf.h");

struct bpf_sock_tuple {
	struct {
		__be32 saddr, daddr;
		__be16 sport, dport;
	} ipv4;
};

#endif
