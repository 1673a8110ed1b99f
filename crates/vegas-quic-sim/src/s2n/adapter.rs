//! A controller of quinn's interface that hands on to one of s2n-quic's.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use num_rational::Ratio;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::inet::SocketAddress;
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::path;
use s2n_quic_core::random;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::{CongestionController, Endpoint, PathInfo, Publisher};
use s2n_quic_core::recovery::{K_GRANULARITY, RttEstimator};
use s2n_quic_core::time::{Clock as _, NoopClock, Timestamp};
use vegas_core::units::{Span, Time};

use super::outstanding::{Outstanding, Packet};
use crate::Clock;
use crate::external::Factory;
use crate::steering::{Steering, Told};

/// Headers of UDP and IPv4, bytes.
const HEADERS: u16 = 28;

/// Makes the controllers of one flow, and what they tell the host.
pub(super) fn factory<E: Endpoint>(endpoint: E, seed: [u8; 32], clock: Clock) -> (Factory, Arc<Steering>) {
    let steering = Arc::new(Steering::default());
    let making = Making { endpoint: Mutex::new(endpoint), seed, clock, steering: Arc::clone(&steering) };
    (Arc::new(making), steering)
}

struct Making<E> {
    endpoint: Mutex<E>,
    seed: [u8; 32],
    clock: Clock,
    steering: Arc<Steering>,
}

impl<E: Endpoint> ControllerFactory for Making<E> {
    fn build(self: Arc<Self>, _now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let address = SocketAddress::default();
        let config = path::Config::builder()
            .with_max_mtu(current_mtu + HEADERS)
            .and_then(|builder| builder.with_initial_mtu(current_mtu + HEADERS))
            .and_then(|builder| builder.with_base_mtu(current_mtu + HEADERS))
            .and_then(path::mtu::Builder::build)
            .expect("a size that quinn takes");
        let mut endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = endpoint.new_congestion_controller(PathInfo::new(&config, &address));
        let within = Within {
            sent: Outstanding::new(),
            acked: Acked { bytes: 0, newest: None },
            largest_acked: None,
            rtt: RttEstimator::default(),
            draws: Draws(ChaCha8Rng::from_seed(self.seed)),
            inner,
        };
        let adapter = Adapter {
            within: Mutex::new(within),
            told: Told::default(),
            window: 0,
            mtu: current_mtu,
            clock: self.clock,
            steering: Arc::clone(&self.steering),
        };
        Box::new(adapter.settled())
    }
}

/// One path's controller. quinn shares controllers between threads, which s2n-quic's need not allow: hence the lock.
struct Adapter<C: CongestionController> {
    within: Mutex<Within<C>>,
    told: Told,
    /// Bytes.
    window: u64,
    mtu: u16,
    clock: Clock,
    steering: Arc<Steering>,
}

#[derive(Clone)]
struct Within<C: CongestionController> {
    inner: C,
    sent: Outstanding<C::PacketInfo>,
    acked: Acked<C::PacketInfo>,
    /// The place of the newest packet acknowledged so far.
    largest_acked: Option<u64>,
    rtt: RttEstimator,
    draws: Draws,
}

/// Of the acknowledgement that quinn is reporting.
#[derive(Clone, Copy)]
struct Acked<I> {
    bytes: u64,
    newest: Option<Packet<I>>,
}

impl<C: CongestionController> Adapter<C> {
    /// Tells the host what the controller decides now.
    fn settle(&mut self) {
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.window = within.inner.congestion_window().into();
        let mut steer = self.steering.lock();
        steer.may_leave = !within.inner.is_congestion_limited() || within.inner.requires_fast_retransmission();
        // s2n-quic takes a departure time for reached when it is nearer than its timers' grain
        let due = |at: Timestamp| at.saturating_duration_since(NoopClock.get_time());
        steer.earliest = within.inner.earliest_departure_time().map(|at| Time::from_nanos(nanos(due(at))));
        steer.early = Span::from_nanos(nanos(K_GRANULARITY));
        steer.told = self.told;
    }

    fn settled(mut self) -> Self {
        self.settle();
        self
    }
}

/// Simulated time; s2n-quic counts microseconds.
fn timestamp(clock: Clock, instant: Instant) -> Timestamp {
    NoopClock.get_time() + Duration::from_nanos(clock.time(instant).as_nanos())
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl<C: CongestionController> Within<C> {
    /// No controller gets a report of more bytes than it counts as in flight.
    fn counted(&self, bytes: u64) -> u32 {
        self.inner.bytes_in_flight().min(u32::try_from(bytes).unwrap_or(u32::MAX))
    }

    /// What quinn no longer counts as in flight, and has not acknowledged.
    fn discard(&mut self, in_flight: u64, told: &mut Told) {
        let excess = self.sent.bytes().saturating_sub(in_flight);
        if excess > 0 {
            let bytes = self.sent.discard(excess);
            let bytes = self.counted(bytes) as usize;
            self.inner.on_packet_discarded(bytes, told);
        }
    }

    fn lose(
        &mut self,
        packet: Packet<C::PacketInfo>,
        (persistent, new_burst): (bool, bool),
        now: Timestamp,
        told: &mut Told,
    ) {
        let bytes = self.counted(packet.bytes);
        if bytes > 0 {
            self.inner.on_packet_lost(bytes, packet.info, persistent, new_burst, &mut self.draws, now, told);
        }
    }
}

impl<C: CongestionController> Controller for Adapter<C> {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let at = timestamp(self.clock, now);
        let has_more = self.steering.lock().has_more;
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        let after = u64::from(within.inner.bytes_in_flight()) + bytes + u64::from(self.mtu);
        let app_limited = !has_more && after <= u64::from(within.inner.congestion_window());
        let info = within.inner.on_packet_sent(at, bytes as usize, Some(app_limited), &within.rtt, &mut self.told);
        within.sent.send(now, bytes, info);
        self.settle();
    }

    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        _app_limited: bool,
        _rtt: &quinn_proto::RttEstimator,
    ) {
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(packet) = within.sent.acknowledge(sent, bytes) else { return };
        within.acked.bytes += packet.bytes;
        let is_newer = within.acked.newest.is_none_or(|newest| newest.index < packet.index);
        within.acked.newest = if is_newer { Some(packet) } else { within.acked.newest };
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        let at = timestamp(self.clock, now);
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Acked { bytes, newest } = std::mem::replace(&mut within.acked, Acked { bytes: 0, newest: None });
        if let Some(packet) = newest {
            let sent = timestamp(self.clock, packet.sent);
            if within.largest_acked < Some(packet.index) {
                within.largest_acked = Some(packet.index);
                let sample = at.saturating_duration_since(sent);
                within.rtt.update_rtt(Duration::ZERO, sample, at, true, PacketNumberSpace::ApplicationData);
                within.inner.on_rtt_update(sent, at, &within.rtt, &mut self.told);
            }
            let bytes = within.counted(bytes) as usize;
            within.inner.on_ack(sent, bytes, packet.info, &within.rtt, &mut within.draws, at, &mut self.told);
        }
        within.discard(in_flight, &mut self.told);
        self.settle();
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let at = timestamp(self.clock, now);
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        if lost_bytes == 0 {
            within.inner.on_explicit_congestion(1, at, &mut self.told);
            return self.settle();
        }
        let lost = within.sent.take_until(sent);
        let mut excess = lost.iter().map(|packet| packet.bytes).sum::<u64>().saturating_sub(lost_bytes);
        let mut before: Option<u64> = None;
        for packet in lost {
            let new_burst = before.is_none_or(|before| before + 1 != packet.index);
            match packet.bytes <= excess {
                // it held acknowledgements alone, of which quinn counts no byte
                true => {
                    excess -= packet.bytes;
                    let bytes = within.counted(packet.bytes) as usize;
                    within.inner.on_packet_discarded(bytes, &mut self.told);
                }
                false => {
                    within.lose(packet, (is_persistent_congestion, new_burst), at, &mut self.told);
                    before = Some(packet.index);
                }
            }
        }
        self.settle();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
        let within = self.within.get_mut().unwrap_or_else(PoisonError::into_inner);
        within.inner.on_mtu_update(new_mtu, &mut self.told);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window;
        metrics.pacing_rate = self.told.pace_bytes_per_second.map(|bytes| bytes.saturating_mul(8));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let within = self.within.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::new(Adapter { within: Mutex::new(within), steering: Arc::clone(&self.steering), ..*self })
    }

    fn initial_window(&self) -> u64 {
        self.window
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Numbers that a controller draws, of the run's seed.
#[derive(Clone)]
struct Draws(ChaCha8Rng);

impl random::Generator for Draws {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        self.0.fill_bytes(dest);
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        self.0.fill_bytes(dest);
    }
}

impl Publisher for Told {
    fn on_slow_start_exited(&mut self, _cause: SlowStartExitCause, _congestion_window: u32) {}

    fn on_delivery_rate_sampled(&mut self, _rate_sample: RateSample) {}

    fn on_pacing_rate_updated(&mut self, pacing_rate: Bandwidth, _burst_size: u32, pacing_gain: Ratio<u64>) {
        self.pace_bytes_per_second = Some(pacing_rate.as_bytes_per_second());
        self.pacing_gain_256ths = Some(256 * pacing_gain.numer() / pacing_gain.denom());
    }

    /// By the names that the BBR draft gives them.
    fn on_bbr_state_changed(&mut self, state: BbrState) {
        self.state = Some(match state {
            BbrState::Startup => "STARTUP",
            BbrState::Drain => "DRAIN",
            BbrState::ProbeBwDown => "PROBE_DOWN",
            BbrState::ProbeBwCruise => "PROBE_CRUISE",
            BbrState::ProbeBwRefill => "PROBE_REFILL",
            BbrState::ProbeBwUp => "PROBE_UP",
            BbrState::ProbeRtt => "PROBE_RTT",
        });
    }
}
