//! A sender's start and end, and its application.

use std::sync::Arc;

use vegas_core::ticks::Clock;
use vegas_core::units::{Bytes, Segments, Time};
use vegas_core::{BaseRtt, registry};

use super::stats::SenderStats;
use super::{Rules, Sender, UNLIMITED};
use crate::packet::{Packet, PacketKind, TimeStamps};
use crate::scenario::{Epoch, FlowSpec, Handshake, HostKind};
use crate::tcp::Outbox;
use crate::tcp::control::Congestion;
use crate::tcp::ecn::EcnSender;
use crate::tcp::layout::Layout;
use crate::tcp::pacing::Pacer;
use crate::tcp::recovery::Recovery;
use crate::tcp::recovery::linux::after_idleness;
use crate::tcp::recovery::scoreboard::Scoreboard;
use crate::tcp::rtt::Rtt;
use crate::tcp::sending::application::{Application, Replay};
use crate::tcp::sending::media::Media;
use crate::tcp::sending::pushes::Pushes;
use crate::tcp::sending::{ENDLESS, SendQueue};
use crate::tcp::timer::RetransmissionTimer;

impl Sender {
    /// Creates a sender; `seed` is called if the control may draw random numbers.
    pub(crate) fn new(flow: u32, spec: &FlowSpec, seed: impl FnOnce() -> u64) -> Self {
        let (mut congestion, needs) = Congestion::new(spec, seed);
        let detection = &spec.composition.detection;
        let layout = Arc::new(Layout::new(spec));
        congestion.on_segment_size(layout.full_payload());
        let total = layout.segments().unwrap_or(ENDLESS);
        let payload = layout.full_payload();
        let application = Application::of(spec, payload);
        let hears_echoes = spec.own.is_none() && registry::kernels_own(&spec.algorithm).is_some();
        let rules = Rules {
            burst: spec.composition.limits.burst.unwrap_or(UNLIMITED),
            receive_window: first_window(spec, payload),
            initial_window: spec.parameters.initial_window,
            by_pipe: detection.recovery == vegas_core::Recovery::Sack,
            is_plain: spec.host.kind == HostKind::Bsd
                && !spec.ecn
                && !layout.asks_routers()
                && !congestion.measures()
                && !needs.window_limited,
            asks_what_limits: needs.window_limited || spec.host.kind == HostKind::Linux,
            linear_syns: 0,
            layout,
            host: Arc::new(spec.host.clone()),
        };
        let mut board = Scoreboard::new(spec.host.dupack_threshold);
        if needs.each_loss {
            board.keep_lost();
        }
        Sender {
            flow,
            congestion,
            rules,
            board,
            recovery: Recovery::new(&spec.host, detection, Clock::new(spec.parameters.ticks_per_second)),
            rtt: Rtt::new(&spec.host, detection, spec.composition.base_rtt == BaseRtt::Handshake, hears_echoes),
            timer: RetransmissionTimer::new(),
            pacer: Pacer::new(),
            queue: SendQueue::new(total, application, pushes(spec, payload)),
            ecn: EcnSender::new(spec, &needs),
            started: false,
            established: spec.host.handshake == Handshake::None,
            acked_part: 0,
            stats: SenderStats::new(),
        }
    }

    /// Shares with another flow's sender the settings that never change, as far as they are equal.
    pub(crate) fn share_with(&mut self, other: &Sender) {
        share(&mut self.rules.host, &other.rules.host);
        share(&mut self.rules.layout, &other.rules.layout);
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let pieces = [self.board.memory_bytes(), self.recovery.memory_bytes(), self.queue.memory_bytes()];
        self.congestion.memory_bytes() + pieces.iter().sum::<usize>()
    }

    /// Sets, before the start, the application's writes: segments that end at the bytes `ends`, each written at its
    /// time. Both are ascending and of equal length.
    pub(crate) fn set_writes(&mut self, times: Vec<Time>, ends: Vec<u64>) {
        let befores = [0].into_iter().chain(ends.iter().copied());
        Arc::make_mut(&mut self.rules.layout).set_writes(ends.iter().zip(befores).map(|(end, before)| end - before));
        self.queue =
            SendQueue::new(ends.len() as u64, Some(Application::Scripted(times.into())), self.queue.pushes.take());
    }

    /// Sets, before the start at `start`, the epochs that the application writes, of which there is one at least.
    pub(crate) fn set_epochs(&mut self, start: Time, epochs: &Arc<[Epoch]>) {
        let layout = Arc::make_mut(&mut self.rules.layout);
        layout.set_writes(epochs.iter().map(|epoch| epoch.size.get()));
        let replay = Replay::new(start, layout.full_payload(), epochs);
        self.queue = SendQueue::new(
            layout.segments().unwrap_or(ENDLESS),
            Some(Application::Replay(replay)),
            self.queue.pushes.take(),
        );
    }

    /// The application, if it sends media.
    pub(crate) fn media_mut(&mut self) -> Option<&mut Media> {
        self.queue.media_mut()
    }

    /// Begins the flow.
    pub(crate) fn start(&mut self, now: Time, out: &mut Outbox) {
        self.started = true;
        self.congestion.begin(now);
        match self.rules.host.handshake {
            Handshake::None => self.send_first(now, out),
            Handshake::Full => self.send_syn(now, out),
        }
    }

    /// Takes in which ECN the SYN's acknowledgement agrees to, before anything else of it.
    pub(crate) fn agree_on_ecn(&mut self, answer: &Packet) {
        if !self.established {
            self.ecn.on_syn_ack(answer.ecn(), self.stats.timeouts);
        }
    }

    /// Handles the SYN's acknowledgement, which is acknowledged; behind that data may leave. On a BSD host it gives no
    /// round-trip sample, unless the base RTT is to be the handshake's, too: its packets are short, and a base RTT from
    /// them is below that of any data segment. The acknowledgement of another SYN comes after the handshake, and times
    /// nothing.
    pub(crate) fn on_syn_ack(&mut self, now: Time, stamps: TimeStamps, out: &mut Outbox) {
        if self.established {
            return;
        }
        self.note_time_stamps(stamps);
        let ack = Packet::new(PacketKind::HandshakeAck, self.flow, 0, self.rules.layout.plain_wire);
        out.packets.push(self.stamped(now, ack));
        self.established = true;
        // without its timer, once the application has stopped, the SYN may have left any time ago
        let age = stamps.echo.age(now).filter(|_| self.timer.due() != Time::NEVER);
        self.timer.stop();
        if let Some(rtt) = self.rtt.on_handshake(now, age) {
            self.congestion.on_handshake(now, rtt);
            self.take_in_rtt(rtt);
        }
        self.send_first(now, out);
        self.arm_probe(now);
    }

    /// Sends the first data. The application has given what it can while the first window left.
    fn send_first(&mut self, now: Time, out: &mut Outbox) {
        self.queue.give(self.usable_window(), 0);
        self.send(now, UNLIMITED, out);
    }

    /// Lets the application write what is due, or withdraw what has not left.
    pub(crate) fn write(&mut self, now: Time, out: &mut Outbox) {
        let (edge, sent) = (self.offered_edge(), (self.board.una(), self.board.max()));
        let Some(grown) = self.queue.act(now, sent, &mut self.rules.layout) else { return };
        self.keep_within(edge);
        if !self.established {
            return;
        }
        if grown && self.board.outstanding() == 0 && self.board.max() > 0 {
            self.restart(now);
        }
        self.send(now, UNLIMITED, out);
        self.arm_probe(now);
    }

    /// The application sends again after everything was acknowledged. After more than a retransmission timeout of
    /// silence the window is the initial one again, or on Linux gets there by a half for each timeout.
    pub(super) fn restart(&mut self, now: Time) {
        let idle = self.pacer.since_last(now);
        self.congestion.on_restart(now, self.board.next(), idle);
        let timeout = self.rtt.timeout();
        if !self.restarts_slowly() || idle <= timeout {
            return;
        }
        let initial = self.rules.initial_window;
        let most = match self.recovery {
            Recovery::Bsd(_) => initial,
            Recovery::Linux(_) => after_idleness(self.congestion.output().window.floor(), initial, idle, timeout),
        };
        self.congestion.on_unused(now, most);
        self.note_window(now);
    }

    /// Returns whether the host takes back a window that is not used. The kernel leaves that to a control that decides
    /// on recovery (`cong_control`).
    pub(super) fn restarts_slowly(&self) -> bool {
        self.rules.host.slow_start_after_idle && !self.congestion.owns_recovery()
    }

    /// Ends the application's data; segments that were sent are still repaired.
    pub(crate) fn stop(&mut self, now: Time) {
        let sent = self.board.max();
        self.queue.end(sent, self.rules.layout.first_byte(sent));
        self.note_completion(now);
    }
}

/// The flags PSH of a sender to a peer that tunes its window, which begins with that of a SYN, of 16 bits.
fn pushes(spec: &FlowSpec, payload: Bytes) -> Option<Box<Pushes>> {
    let window = spec.host.receive_window;
    let first = window.first(payload).get().min(u16::MAX.into());
    window.shift().map(|shift| Box::new(Pushes::new(payload, shift, first)))
}

/// The segments that may leave before the first acknowledgement of data.
fn first_window(spec: &FlowSpec, payload: Bytes) -> Segments {
    let segments = spec.host.receive_window.first(payload).get() / payload.get();
    Segments(u32::try_from(segments).unwrap_or(u32::MAX))
}

fn share<T: PartialEq>(mine: &mut Arc<T>, other: &Arc<T>) {
    if **mine == **other {
        *mine = Arc::clone(other);
    }
}
