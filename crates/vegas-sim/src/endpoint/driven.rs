//! One end of a connection without a network: its owner brings segments and the time, and takes what the end sends. The
//! end has what the simulated hosts have of TCP, which is data and their acknowledgements; everything else that is on a
//! wire is its owner's: how connections are opened and closed, header fields, options.
//!
//! Data are bytes, counted from 0 in each direction.

use vegas_core::units::Time;

use super::flow::receiver;
use crate::packet::{Ecn, Packet, PacketKind, SackBlocks, Tick, TimeStamps};
use crate::scenario::{FlowSpec, HostKind};
pub use crate::tcp::accurate::{
    AccurateOption, Ace, Delivery, EcnEnd, EcnFailures, EcnField, EcnMode, EcnRules, EcnSegment, EcnVersion,
    OptionSeen, OptionUse, Room,
};
use crate::tcp::{AckTiming, Outbox, Receiver, Sender};
pub use crate::tcp::{RecoveryState, SenderState};

/// One end of a connection.
#[derive(Debug)]
pub struct DrivenEnd {
    sender: Sender,
    receiver: Receiver,
    out: Outbox,
    uses_ecn: bool,
}

/// A segment that an end sends with data, or to open the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSegment {
    /// Whether it opens the connection; it then has no data.
    pub opens: bool,
    /// The first byte.
    pub from: u64,
    /// One past the last byte.
    pub to: u64,
    /// Whether a queue may mark it (ECT(0)).
    pub ecn_capable: bool,
    /// Whether it says that the window is reduced (CWR).
    pub reduced: bool,
}

/// An acknowledgement that arrives, or that an end sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next byte expected.
    pub next: u64,
    /// The blocks `[from, to)` that were received beyond it; an end takes in three of them.
    pub blocks: Vec<(u64, u64)>,
    /// Whether it echoes a mark (ECE).
    pub echoes: bool,
    /// The time stamp that it echoes. An end that sends an acknowledgement leaves it to its owner.
    pub stamp: Option<u32>,
}

/// Data that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivingData {
    /// The first byte.
    pub from: u64,
    /// One past the last byte.
    pub to: u64,
    /// Whether a queue has marked them (CE).
    pub marked: bool,
    /// Whether they say that the peer's window is reduced (CWR).
    pub reduced: bool,
}

/// The value of a time stamp (RFC 7323) that leaves now.
pub fn time_stamp(now: Time) -> u32 {
    Tick::at(now).in_header()
}

fn echoing(echo: Option<u32>) -> TimeStamps {
    TimeStamps { echo: echo.map_or(Tick::NONE, Tick::of_header), ..TimeStamps::NONE }
}

impl DrivenEnd {
    /// Creates an end that sends by the rules of a flow, and receives by those of its hosts.
    pub fn new(spec: &FlowSpec, seed: u64) -> Self {
        let sack = match spec.host.kind {
            HostKind::Linux => spec.host.options.sack,
            HostKind::Bsd => spec.composition.detection.recovery == vegas_core::Recovery::Sack,
        };
        let mut sender = Sender::new(0, spec, || seed);
        sender.make_stream();
        DrivenEnd { sender, receiver: receiver(spec, sack, false), out: Outbox::default(), uses_ecn: spec.ecn }
    }

    /// Sets how often the segment that opens the connection is repeated before each further timeout doubles
    /// (Linux: `tcp_syn_linear_timeouts`).
    pub fn set_linear_syns(&mut self, count: u32) {
        self.sender.set_linear_syns(count);
    }

    /// Opens the connection: the end sends its first segment, and repeats it by its timer.
    pub fn open(&mut self, now: Time) {
        self.sender.start(now, &mut self.out);
    }

    /// Takes in that the peer has answered, after which data may leave. Its answer may echo a time stamp.
    pub fn on_open(&mut self, now: Time, echo: Option<u32>) {
        self.sender.on_syn_ack(now, echoing(echo), &mut self.out);
    }

    /// Sets the payload of a full segment, bytes, before anything is written.
    pub fn set_payload(&mut self, payload: u64) {
        self.sender.set_payload(payload);
    }

    /// Writes `bytes`; they fill up a short segment that waits, if they `join` it.
    pub fn write(&mut self, now: Time, bytes: u64, joins: bool) {
        if bytes > 0 {
            self.sender.append(now, bytes, joins, &mut self.out);
        }
    }

    /// Writes a last byte that stands for the end of the data; it leaves though the congestion window may be full.
    pub fn write_end(&mut self, now: Time, joins: bool) {
        self.sender.append_end(now, joins, &mut self.out);
    }

    /// Takes in an acknowledgement. The peer offers `window` bytes beyond it.
    pub fn on_ack(&mut self, now: Time, ack: &Acknowledgement, window: u64) {
        self.sender.set_receive_window(ack.next, window);
        let mut sack = SackBlocks { time_stamps: echoing(ack.stamp), ..SackBlocks::NONE };
        for (place, block) in sack.blocks.iter_mut().zip(&ack.blocks) {
            *place = *block;
            sack.count += 1;
        }
        let packet = Packet::new(PacketKind::Ack, 0, ack.next, self.sender.layout().ack_wire(false));
        self.sender.on_ack(now, packet.with_ecn(Ecn::ECHO.when(ack.echoes)), &sack, &mut self.out);
    }

    /// Returns the number of segments that an acknowledgement would report as received for the first time, and their
    /// payload, bytes.
    pub fn delivered_by(&self, ack: &Acknowledgement) -> (u32, u32) {
        self.sender.delivered_by(ack.next, &ack.blocks)
    }

    /// Takes in that the peer now offers `window` bytes beyond what it has acknowledged.
    pub fn on_window(&mut self, now: Time, window: u64) {
        self.sender.set_receive_window(self.sender.acked_bytes(), window);
        self.sender.resume(now, &mut self.out);
    }

    /// Takes in data; returns whether they are acknowledged at once. Else [`DrivenEnd::ack_due`] has the time.
    pub fn on_data(&mut self, now: Time, data: ArrivingData) -> bool {
        if self.uses_ecn {
            let ecn = Ecn::MARKED.when(data.marked).and(Ecn::REDUCED.when(data.reduced));
            self.receiver.note_ecn(data.to, ecn, 1);
        }
        self.receiver.on_data(now, (data.from, data.to), data.to - data.from, false) == AckTiming::Now
    }

    /// When a delayed acknowledgement is due.
    pub fn ack_due(&self) -> Option<Time> {
        self.receiver.ack_due()
    }

    /// Takes in that the acknowledgement was delayed for as long as it may be.
    pub fn on_ack_timer(&mut self, now: Time) {
        self.receiver.on_ack_timer(now);
    }

    /// Returns the acknowledgement of everything that has arrived, which is being sent.
    pub fn acknowledge(&mut self) -> Acknowledgement {
        self.receiver.acknowledged();
        Acknowledgement {
            next: self.receiver.next_expected(),
            blocks: self.receiver.sack_blocks().iter().collect(),
            echoes: self.uses_ecn && self.receiver.ack_ecn() == Ecn::ECHO,
            stamp: None,
        }
    }

    /// The number of bytes that have arrived in order.
    pub fn received(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// The number of bytes that the peer has acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.sender.acked_bytes()
    }

    /// When the sender's next timer runs out.
    pub fn timer(&self) -> Option<Time> {
        let timer = Some(self.sender.timer()).filter(|due| *due != Time::NEVER);
        [timer, self.sender.pacing_due()].into_iter().flatten().min()
    }

    /// Handles the sender's timers that have run out.
    pub fn on_timer(&mut self, now: Time) {
        if self.sender.timer() <= now {
            self.sender.on_timer(now, &mut self.out);
        }
        self.sender.on_pacing_timer(now, &mut self.out);
    }

    /// Takes the segments that the end sends now.
    pub fn take_sent(&mut self) -> Vec<SentSegment> {
        let layout = self.sender.layout().clone();
        self.out.incidents.clear();
        let sent = |packet: Packet| {
            let opens = packet.kind() == PacketKind::Syn;
            SentSegment {
                opens,
                from: packet.number(),
                to: if opens { packet.number() } else { packet.number() + layout.payload_of(&packet) },
                ecn_capable: packet.ecn().is_capable(),
                reduced: !opens && packet.ecn().has(Ecn::REDUCED),
            }
        };
        // the owner ends the handshake
        let ends = |packet: &Packet| packet.kind() == PacketKind::HandshakeAck;
        self.out.packets.drain(..).filter(|packet| !ends(packet)).map(sent).collect()
    }

    /// The sender's state.
    pub fn state(&self) -> SenderState {
        self.sender.state()
    }
}
