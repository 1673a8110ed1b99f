/* RoVegas's IPv4 option at a host's device, as sender and as receiver: puts it into what leaves, with an echo of what
 * came, and hands what comes with acknowledgements to the socket's congestion control. How packets are read and headers
 * written is Rust (aqt.rs of the core), linked in as LLVM IR by build.rs.
 *
 * Whatever happens, a packet goes on: without the option if need be. */
#include "feedback.h"
#include "packet_types.h"

/* bytes before the IPv4 header: 14 on Ethernet, 0 on a TUN device; set by the loader */
const volatile __u32 link_header_bytes SEC(".rodata.device");

/* Counts of option.rs. They are a struct because a struct keeps the order of its members; variables of a section
 * do not. */
volatile struct {
	__u64 inserted, heard, without_room, malformed;
} counts SEC(".data.counts");

#define LONGER_BYTES 28
#define OPTION_BYTES (LONGER_BYTES - 20)
#define IPV4 __builtin_bswap16(0x0800)

struct scratch {
	struct option_head head;
	struct option_reading reading;
	__u8 longer[LONGER_BYTES];
};

/* too large for the stack, which also holds what is inlined */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

/* The two ends of a connection, as received packets name them. */
struct connection {
	__u32 addresses[2], ports[2];
};

/* The AQT that the newest data packet of a connection carried, in us. Old connections make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct connection);
	__type(value, __u32);
} heard SEC(".maps");

void vegas_option_read(const struct option_head *head, struct option_reading *reading);
__u32 vegas_option_insert(const struct option_head *head, __u32 echo_us, __u8 *longer);

/* Not inlined: all callers share this function, so that the proof runs what the programs run. */
static __noinline int option_read(const struct option_head *head, struct option_reading *reading)
{
	if (!head || !reading)
		return 0;
	vegas_option_read(head, reading);
	return reading->flags & READ_SEGMENT;
}

static void count(volatile __u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* Reads the beginning of the packet; returns NULL if it is no IPv4 packet. */
static struct scratch *read(struct __sk_buff *skb)
{
	__u32 only = 0, length = skb->len - link_header_bytes;
	struct scratch *packet = bpf_map_lookup_elem(&scratch, &only);

	if (!packet || skb->protocol != IPV4 || skb->len <= link_header_bytes)
		return 0;
	packet->head.packet_bytes = length;
	/* the verifier must see the bounds of the very value that the helper gets */
	asm volatile("" : "+r"(length));
	if (length > HEAD_BYTES)
		length = HEAD_BYTES;
	if (!length || bpf_skb_load_bytes(skb, link_header_bytes, packet->head.bytes, length))
		return 0;
	option_read(&packet->head, &packet->reading);
	if (packet->reading.flags & READ_MALFORMED)
		count(&counts.malformed);
	return packet->reading.flags & READ_SEGMENT ? packet : 0;
}

/* --- received packets --- */

/* As a receiver: stores the time that acknowledgements echo from now on. A data packet without the option clears
 * it, so that no acknowledgement echoes an older packet. */
static void remember(const struct option_reading *reading)
{
	struct connection connection = { { reading->addresses[0], reading->addresses[1] },
					 { reading->ports[0], reading->ports[1] } };

	if (!(reading->flags & READ_STAMPS)) {
		bpf_map_delete_elem(&heard, &connection);
		return;
	}
	bpf_map_update_elem(&heard, &connection, &reading->aqt_us, BPF_ANY);
	count(&counts.heard);
}

/* As a sender: hands the times of this acknowledgement to the congestion control of its socket. */
static void tell(struct __sk_buff *skb, const struct option_reading *reading)
{
	struct bpf_sock_tuple ends = {};
	struct feedback *told;
	struct bpf_sock *sk;
	__u32 slot;

	ends.ipv4.saddr = reading->addresses[0];
	ends.ipv4.daddr = reading->addresses[1];
	ends.ipv4.sport = __builtin_bswap16(reading->ports[0]);
	ends.ipv4.dport = __builtin_bswap16(reading->ports[1]);
	sk = bpf_sk_lookup_tcp(skb, &ends, sizeof(ends.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return;
	told = bpf_sk_storage_get(&feedback, sk, 0, 0);
	if (told) {
		slot = told->count % FEEDBACK_SLOTS;
		told->slots[slot].acknowledgement = reading->acknowledgement;
		told->slots[slot].forward_us = reading->echo_us;
		told->slots[slot].backward_us = reading->aqt_us;
		told->count++;
		count(&counts.heard);
	}
	bpf_sk_release(sk);
}

SEC("tcx/ingress")
int option_in(struct __sk_buff *skb)
{
	const struct scratch *packet = read(skb);

	if (!packet)
		return TCX_NEXT;
	if (packet->reading.flags & READ_PAYLOAD)
		remember(&packet->reading);
	if (packet->reading.flags & READ_ACKNOWLEDGEMENT && packet->reading.flags & READ_STAMPS)
		tell(skb, &packet->reading);
	return TCX_NEXT;
}

/* --- sent packets --- */

static bool asks_routers(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;

	if (!sk)
		return false;
	sk = bpf_sk_fullsock(sk);
	return sk && bpf_sk_storage_get(&feedback, sk, 0, 0);
}

/* Returns whether each packet of a GSO segment still fits into the MTU with the option; for a single packet
 * bpf_skb_adjust_room checks that. */
static bool has_room(struct __sk_buff *skb, const struct option_reading *reading)
{
	__u32 mtu = 0;

	if (!skb->gso_size)
		return true;
	bpf_check_mtu(skb, 0, &mtu, 0, 0);
	return reading->header_bytes + OPTION_BYTES + skb->gso_size <= mtu;
}

SEC("tcx/egress")
int option_out(struct __sk_buff *skb)
{
	struct scratch *packet = read(skb);
	const struct option_reading *reading;
	struct connection back;
	__u32 *echo_us;

	if (!packet)
		return TCX_NEXT;
	reading = &packet->reading;
	back = (struct connection){ { reading->addresses[1], reading->addresses[0] },
				    { reading->ports[1], reading->ports[0] } };
	echo_us = bpf_map_lookup_elem(&heard, &back);
	if (!echo_us && !asks_routers(skb))
		return TCX_NEXT;
	if (vegas_option_insert(&packet->head, echo_us ? *echo_us : 0, packet->longer))
		return TCX_NEXT;
	if (!has_room(skb, reading) ||
	    bpf_skb_adjust_room(skb, OPTION_BYTES, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_FIXED_GSO)) {
		count(&counts.without_room);
		return TCX_NEXT;
	}
	if (bpf_skb_store_bytes(skb, link_header_bytes, packet->longer, LONGER_BYTES, 0))
		return TCX_DROP;
	count(&counts.inserted);
	return TCX_NEXT;
}

/* --- the proof that these programs read packets as the core does: packets in, readings out --- */

struct reading_proof {
	struct option_proof_step steps[PROOF_STEPS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct reading_proof);
} readings SEC(".maps");

static int prove_reading(__u32 index, void *unused)
{
	__u32 only = 0;
	struct reading_proof *proof = bpf_map_lookup_elem(&readings, &only);

	if (!proof || index >= PROOF_STEPS)
		return 1;
	option_read((const struct option_head *)&proof->steps[index].head, &proof->steps[index].reading);
	return 0;
}

SEC("syscall")
int option_prove(void *unused)
{
	return bpf_loop(PROOF_STEPS, prove_reading, 0, 0);
}

char _license[] SEC("license") = "Dual MIT/GPL";
