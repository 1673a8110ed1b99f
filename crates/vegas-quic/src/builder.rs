//! The builder of controllers: it chooses an algorithm and sets its numbers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quinn_proto::{AckFrequencyConfig, TransportConfig};
use vegas_core::units::{Segments, Span};
use vegas_core::{
    Algorithm, Composition, Host, HostCapabilities, Parameters, Refusal, SlowStart, Standalone, registry,
};

use crate::VegasFactory;
use crate::path::Choice;

/// An algorithm for quinn with its numbers; the crate's documentation has an example.
///
/// Named constructors and [`VegasQuic::preset`] take the registry's presets, without the mechanisms that QUIC replaces:
/// C and D (QUIC has its own loss recovery), H (quinn has its own pacer), and I (RFC 9002, section 7.8 has the rule
/// that replaces it). They begin with ten packets, as section 7.2 of that RFC recommends. [`VegasQuic::new`] takes any
/// composition unchanged, and [`VegasQuic::build`] refuses what quinn cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VegasQuic {
    composition: Composition,
    standalone: Option<Standalone>,
    parameters: Parameters,
    host_noise: Duration,
}

/// The delay that a user-space QUIC host adds to round-trip times, by batches of packets and by wake-ups. It is a third
/// of a packet's transmission time at 20 Mb/s; on loopback nothing else delays a packet.
const HOST_NOISE: Duration = Duration::from_micros(200);

/// No preset has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPreset(String);

impl fmt::Display for UnknownPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = VegasQuic::presets().collect();
        write!(f, "no algorithm for QUIC is called {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownPreset {}

impl VegasQuic {
    /// A builder for any composition and its numbers.
    pub fn new(composition: Composition, parameters: Parameters) -> Self {
        VegasQuic { composition, standalone: None, parameters, host_noise: HOST_NOISE }
    }

    /// A standalone algorithm replaces the parts, except a slow start other than Reno's ([`Composition::opening_by`]);
    /// with none the parts stay.
    pub fn standalone(mut self, standalone: Option<Standalone>) -> Self {
        self.standalone = standalone;
        self
    }

    /// A preset of the registry by its name. One that only another host can carry, as `rovegas`, is found here and
    /// refused by [`VegasQuic::build`], which says why.
    pub fn preset(name: &str) -> Result<Self, UnknownPreset> {
        let preset = registry::preset(name).ok_or_else(|| UnknownPreset(name.to_owned()))?;
        let parts = VegasQuic::new(preset.composition.left_to_quic(), preset.parameters.left_to_quic());
        Ok(parts.standalone(preset.standalone))
    }

    /// The names of the presets that quinn can carry.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        carried_by(Host::Quinn)
    }

    /// The corrected Vegas (Brakmo and Peterson 1995; "TCP Vegas Revisited").
    pub fn vegas() -> Self {
        known("vegas")
    }

    /// Gallop-Vegas: Vegas with a slow start that grows its increment by one a round.
    pub fn gallop() -> Self {
        known("gallop")
    }

    /// Dynamic Vegas: steps in proportion to what the backlog is off. Its slow start jumps to half of
    /// [`VegasQuic::ssthresh`], which is 64 segments unless it is set.
    pub fn dynamic() -> Self {
        known("dynamic")
    }

    /// Reno's slow start and additive increase.
    pub fn reno() -> Self {
        known("reno")
    }

    /// CUBIC (RFC 9438) with HyStart++ (RFC 9406).
    pub fn cubic() -> Self {
        known("cubic")
    }

    /// Backlog below which the window grows in congestion avoidance, in segments; 0 to beta.
    pub fn alpha(mut self, segments: u32) -> Self {
        self.parameters.alpha = Segments(segments);
        self
    }

    /// Backlog above which the window shrinks in congestion avoidance, in segments; alpha or more.
    pub fn beta(mut self, segments: u32) -> Self {
        self.parameters.beta = Segments(segments);
        self
    }

    /// Backlog above which slow start ends, in segments.
    pub fn gamma(mut self, segments: u32) -> Self {
        self.parameters.gamma = Segments(segments);
        self
    }

    /// Window at the start, in segments; 10 unless set, as RFC 9002 recommends (section 7.2). A window of 1 is taken
    /// for 2, QUIC's least.
    pub fn initial_window(mut self, segments: u32) -> Self {
        self.parameters.initial_window = Segments(segments);
        self
    }

    /// Window after persistent congestion, in segments, unless it was smaller; 2 unless set (RFC 9002, section 7.6.2).
    pub fn restart_window(mut self, segments: u32) -> Self {
        self.parameters.restart_window = Segments(segments);
        self
    }

    /// Slow-start threshold before the first loss, in segments; 2 or more.
    pub fn ssthresh(mut self, segments: u32) -> Self {
        self.parameters.ssthresh = Some(Segments(segments));
        self
    }

    /// The largest window, in segments; 2 to 16,777,216.
    pub fn max_window(mut self, segments: u32) -> Self {
        self.parameters.max_window = Segments(segments);
        self
    }

    /// The excess over the path's least round-trip time that does not count as queueing, because hosts delay packets
    /// too; 200 us unless set. Vegas counts queues in packets: where the transmission of a packet takes less than this,
    /// a host's batches would count as backlog.
    pub fn host_noise(mut self, noise: Duration) -> Self {
        self.host_noise = noise;
        self
    }

    /// Builds the factory for `TransportConfig::congestion_controller_factory`. The error names the part or number that
    /// cannot run, and the host if the host is the reason.
    pub fn build(self) -> Result<Arc<VegasFactory>, Refusal> {
        let (choice, host_noise) = self.check(&HostCapabilities::QUIC)?;
        Ok(Arc::new(VegasFactory { choice, host_noise, observer: None }))
    }

    /// The algorithm and the host noise, if `host` can run them.
    pub(crate) fn check(self, host: &HostCapabilities) -> Result<(Choice, Span), Refusal> {
        let VegasQuic { composition, standalone, mut parameters, host_noise } = self;
        composition.check(&parameters)?;
        composition.check_host(host)?;
        if let Some(which) = standalone {
            which.check_host(host)?;
            check_slow_start(which, composition.slow_start)?;
        }
        let least = |window: Segments| window.max(Segments(2)).min(parameters.max_window);
        parameters.initial_window = least(parameters.initial_window);
        parameters.restart_window = least(parameters.restart_window);
        let host_noise = Span::from_nanos(u64::try_from(host_noise.as_nanos()).unwrap_or(u64::MAX));
        let algorithm = Algorithm::new(composition, parameters)?.growing_by_segments();
        Ok((Choice { algorithm, standalone }, host_noise))
    }

    /// Puts the factory into `transport` and asks the peer to acknowledge every packet at once, by the ACK frequency
    /// extension, where the peer has it (quinn has). The crate's documentation says what that is for.
    pub fn install(self, transport: &mut TransportConfig) -> Result<(), Refusal> {
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold(0u32.into());
        transport.congestion_controller_factory(self.build()?).ack_frequency_config(Some(acks));
        Ok(())
    }
}

/// Every standalone preset names Reno's slow start, which stands for the algorithm's own.
fn check_slow_start(which: Standalone, slow_start: SlowStart) -> Result<(), Refusal> {
    let taken = if slow_start == SlowStart::Reno { Ok(()) } else { which.takes(slow_start) };
    taken.map_err(|reason| Refusal::new("slow_start", reason, None))
}

/// The names of the presets that a host can carry.
pub(crate) fn carried_by(host: Host) -> impl Iterator<Item = &'static str> {
    let carried = move |preset: &&registry::Preset| host.carries(preset).is_ok();
    registry::PRESETS.iter().filter(carried).map(|preset| preset.name)
}

fn known(name: &str) -> VegasQuic {
    VegasQuic::preset(name).expect("the registry has it")
}
