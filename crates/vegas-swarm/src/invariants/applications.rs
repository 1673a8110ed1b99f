//! Invariants of what applications write, by the packets that leave and by the frames of media.

use vegas_core::units::Time;
use vegas_sim::outcome::{CapturePoint, CapturedPacket, FrameState, MediaFrame};
use vegas_sim::scenario::{Activity, FlowSpec, Video};

use super::capture::captured;
use super::{ensure, nanos};
use crate::run::Case;

/// Checks that no byte leaves before its application has written it, in flows with an application of one phase.
pub(super) fn written_before_sent(case: &Case<'_>) -> Result<(), String> {
    for (flow, spec, packets) in captured(case) {
        let [phase] = &spec.application[..] else { continue };
        let Some(rule) = Writes::of(&phase.activity, spec) else { continue };
        let (mut newest, mut acknowledged) = (0, Acknowledged::default());
        for packet in packets {
            match packet.point {
                CapturePoint::SenderIn => acknowledged.add(packet),
                CapturePoint::SenderOut if packet.sequence >= newest && packet.payload > 0 => {
                    newest = packet.sequence + u64::from(packet.payload);
                    let due_ns = rule.due_ns(packet.sequence, spec.start, &acknowledged);
                    ensure(packet.at.as_nanos() >= due_ns, || {
                        let [sent, byte] = [packet.at.as_nanos(), packet.sequence];
                        format!(
                            "flow {flow}: byte {byte} leaves at {sent} ns, its application writes it at {due_ns} ns"
                        )
                    })?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The acknowledgements that arrived: the next byte expected, whenever it grew, with the time, ns.
#[derive(Default)]
struct Acknowledged(Vec<(u64, u64)>);

impl Acknowledged {
    fn add(&mut self, packet: &CapturedPacket) {
        if self.0.last().is_none_or(|(newest, _)| *newest < packet.acknowledgement) {
            self.0.push((packet.acknowledgement, packet.at.as_nanos()));
        }
    }

    /// When everything before this byte was acknowledged, ns; the end of time if it is not.
    fn at_ns(&self, byte: u64) -> u64 {
        self.0.get(self.0.partition_point(|(newest, _)| *newest < byte)).map_or(u64::MAX, |(_, at)| *at)
    }
}

/// When an application writes; all sizes are of whole segments, bytes.
enum Writes<'a> {
    /// At a rate in bit/s, a segment at a time: for `on` of each `period`, ns.
    AtRate { segment: u64, rate: u64, on: u64, period: u64 },
    /// A response that begins `think`, ns, after the one before is acknowledged.
    Responses { size: u64, think: u64 },
    /// Video, with the most bytes that a segment of it has.
    Video { most: u64, video: &'a Video },
}

impl<'a> Writes<'a> {
    /// Returns the rule of an activity; none if it may write at any time.
    fn of(activity: &'a Activity, spec: &FlowSpec) -> Option<Self> {
        let segment = spec.packet.get() - spec.header.get();
        match activity {
            Activity::Bulk | Activity::Idle | Activity::Media(_) => None,
            Activity::Rate(rate) => {
                Some(Writes::AtRate { segment, rate: rate.as_bits_per_second(), on: u64::MAX, period: u64::MAX })
            }
            Activity::OnOff { rate, on, off } => {
                let (on, off) = (on.as_nanos(), off.as_nanos());
                Some(Writes::AtRate { segment, rate: rate.as_bits_per_second(), on, period: on + off })
            }
            Activity::Requests { size, think } => {
                let size = size.get().div_ceil(segment) * segment;
                Some(Writes::Responses { size, think: think.as_nanos() })
            }
            Activity::Video(video) => {
                let highest = video.ladder.last()?.as_bits_per_second();
                let bytes = u128::from(highest) * u128::from(video.segment.as_nanos()) / 8_000_000_000;
                let bytes = u64::try_from(bytes).unwrap_or(u64::MAX / 2).max(1);
                Some(Writes::Video { most: bytes.div_ceil(segment) * segment, video })
            }
        }
    }

    /// Returns the earliest time at which the byte can have been written, ns.
    fn due_ns(&self, byte: u64, start: Time, acknowledged: &Acknowledged) -> u64 {
        let start = start.as_nanos();
        match self {
            Writes::AtRate { segment, rate, on, period } => {
                let time_ns = |bytes: u64| (u128::from(bytes) * 8_000_000_000 / u128::from(*rate)) as u64;
                let in_period = (u128::from(*on) * u128::from(*rate)).div_ceil(u128::from(*segment) * 8_000_000_000);
                let in_period = u64::try_from(in_period.max(1)).unwrap_or(u64::MAX);
                let (periods, rest) = (byte / segment / in_period, byte / segment % in_period);
                start + periods * period + time_ns(rest * segment)
            }
            Writes::Responses { size, think } => match byte / size {
                0 => start,
                before => acknowledged.at_ns(before * size).saturating_add(*think),
            },
            // the player has asked for this many segments before, of which its buffer holds what it has not played
            Writes::Video { most, video } => {
                let asked = (byte / most).saturating_mul(video.segment.as_nanos());
                start + (asked + video.segment.as_nanos()).saturating_sub(video.buffer.as_nanos())
            }
        }
    }
}

/// Checks that of two frames that were delivered the more important one came first, unless it was made later; and the
/// older one of two of one layer.
pub(super) fn layers_in_order(case: &Case<'_>) -> Result<(), String> {
    for frames in case.outcome.media.chunk_by(|one, next| one.flow == next.flow) {
        let mut frames: Vec<&MediaFrame> = frames.iter().filter(|frame| frame.state == FrameState::Delivered).collect();
        frames.sort_by_key(|frame| (nanos(frame.time_s), frame.layer));
        let layers = frames.iter().map(|frame| frame.layer as usize + 1).max().unwrap_or(0);
        let mut last = vec![0; layers];
        for frame in frames {
            let delivered = nanos(frame.time_s) + nanos(frame.delay_ms.unwrap_or(0.0) / 1e3);
            let before = last[..=frame.layer as usize].iter().max().copied().unwrap_or(0);
            ensure(delivered + 1 >= before, || {
                let MediaFrame { flow, layer, time_s, .. } = frame;
                format!("flow {flow}: the frame of layer {layer} made at {time_s} s comes before one that goes first")
            })?;
            last[frame.layer as usize] = delivered;
        }
    }
    Ok(())
}
