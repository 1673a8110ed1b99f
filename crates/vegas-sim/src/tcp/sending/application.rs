//! The application at a sender: it writes whole segments at times that it chooses. If its next write waits for the
//! delivery of the last one, it also acts when everything that it wrote is acknowledged.

use std::sync::Arc;

use vegas_core::units::{Bytes, Rate, Span, Time};

use super::media::Media;
use crate::scenario::{Activity, ApplicationPhase, Epoch, FlowSpec, Video};
use crate::tcp::layout::Layout;

/// A number of segments above that of any flow.
pub(in crate::tcp) const ENDLESS: u64 = u64::MAX;

/// The source of a sender's data, if not all data are there at the start.
#[derive(Clone, Debug)]
pub(in crate::tcp) enum Application {
    /// One segment at each of these times, ascending.
    Scripted(Box<[Time]>),
    /// The phases of a scenario.
    Phased(Phased),
    /// The epochs of a connection trace.
    Replay(Replay),
    /// Frames, which do not end with segments.
    Media(Media),
}

/// The result of an application's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Segments that it has given in all; [`u64::MAX`] for bulk data.
    pub given: u64,
    /// It waits for all that it has given to be acknowledged.
    pub awaits: bool,
}

impl Application {
    /// Creates the application of a scenario's flow that begins at `start`; `None` if the flow sends bulk data
    /// throughout.
    pub(in crate::tcp) fn of(spec: &FlowSpec, payload: Bytes) -> Option<Self> {
        match Media::of(spec) {
            Some(media) => Some(Application::Media(media)),
            None => Phased::of(&spec.application, payload, spec.start).map(Application::Phased),
        }
    }

    /// When the application next acts by itself, after it has given `given` segments.
    pub(in crate::tcp) fn next(&self, given: u64) -> Option<Time> {
        match self {
            Application::Scripted(times) => times.get(given as usize).copied(),
            Application::Phased(phased) => phased.next(),
            Application::Replay(replay) => replay.due,
            Application::Media(media) => media.next(),
        }
    }

    /// Acts if an action is due at `now`; before, `given` segments were given, of which `sent` have left.
    pub(in crate::tcp) fn act(&mut self, now: Time, given: u64, sent: u64, layout: &mut Arc<Layout>) -> Supply {
        match self {
            Application::Scripted(times) => {
                let due = times.partition_point(|time| *time <= now) as u64;
                Supply { given: given.max(due), awaits: false }
            }
            Application::Phased(phased) => phased.act(now, given, sent),
            Application::Replay(replay) => replay.act(now, given),
            Application::Media(media) => {
                let layout = Arc::make_mut(layout);
                let waiting = media.act(now, layout.first_byte(sent));
                Supply { given: layout.rewrite_after(sent, waiting), awaits: false }
            }
        }
    }

    /// Handles the acknowledgement of everything that the application gave.
    pub(in crate::tcp) fn on_delivered(&mut self, now: Time) {
        match self {
            Application::Scripted(_) | Application::Media(_) => {}
            Application::Phased(phased) => phased.on_delivered(now),
            Application::Replay(replay) => replay.on_delivered(now),
        }
    }

    /// Returns the memory in use beyond `size_of::<Self>()`, bytes.
    pub(in crate::tcp) fn memory_bytes(&self) -> usize {
        match self {
            Application::Scripted(times) => size_of_val(&times[..]),
            Application::Phased(phased) => phased.memory_bytes(),
            // the trace is the scenario's
            Application::Replay(_) => 0,
            Application::Media(media) => media.memory_bytes(),
        }
    }
}

/// The epochs of a connection trace: each is written after its wait, which begins when the one before is acknowledged.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Replay {
    epochs: Arc<[Epoch]>,
    /// The payload of a full segment.
    payload: Bytes,
    /// The index of the epoch that is written next.
    at: usize,
    /// When it is written; `None` while the application waits for an acknowledgement, and after the last epoch.
    due: Option<Time>,
}

impl Replay {
    /// Creates the application of a connection that begins at `start`.
    pub(in crate::tcp) fn new(start: Time, payload: Bytes, epochs: &Arc<[Epoch]>) -> Self {
        let mut replay = Replay { epochs: Arc::clone(epochs), payload, at: 0, due: None };
        replay.on_delivered(start);
        replay
    }

    fn act(&mut self, now: Time, given: u64) -> Supply {
        if self.due.is_none_or(|due| due > now) {
            return Supply { given, awaits: self.due.is_none() };
        }
        let segments = self.epochs[self.at].size.get().div_ceil(self.payload.get());
        self.at += 1;
        self.due = None;
        Supply { given: given + segments, awaits: true }
    }

    fn on_delivered(&mut self, now: Time) {
        self.due = self.epochs.get(self.at).map(|epoch| now + epoch.wait);
    }

    /// The sum of the waits of the epochs that were written.
    pub(in crate::tcp) fn waited(&self) -> Span {
        self.epochs[..self.at].iter().fold(Span::ZERO, |sum, epoch| sum + epoch.wait)
    }
}

/// An application with the phases of a scenario.
#[derive(Clone, Debug)]
pub struct Phased {
    phases: Vec<ApplicationPhase>,
    /// The payload of a segment.
    payload: Bytes,
    /// The index of the current phase.
    at: usize,
    begun: Time,
    /// When the application next writes in this phase; `None` while it waits for acknowledgements or has nothing to
    /// write.
    due: Option<Time>,
    /// The segments given since `since`, when the phase or the current sending period began.
    written: u64,
    since: Time,
    player: Player,
}

/// The player of a video: its choice of rate, its request, and its buffer.
#[derive(Clone, Debug, Default)]
struct Player {
    /// The index of the current rate in the ladder.
    step: usize,
    requested: Time,
    bytes: u64,
    /// The playing time in the buffer at `known`.
    level: Span,
    known: Time,
}

impl Phased {
    /// That of a scenario's flow which begins at `start`, with `payload` in a segment; none for bulk data throughout,
    /// and for [`Media`].
    pub fn of(phases: &[ApplicationPhase], payload: Bytes, start: Time) -> Option<Self> {
        let is_media = phases.iter().any(|phase| matches!(phase.activity, Activity::Media(_)));
        (!phases.is_empty() && !is_media).then(|| Phased::new(phases, payload, start))
    }

    /// Begins with the first of `phases`, of which there is one at least, at `now`.
    fn new(phases: &[ApplicationPhase], payload: Bytes, now: Time) -> Self {
        Phased {
            phases: phases.to_vec(),
            payload,
            at: 0,
            begun: now,
            due: Some(now),
            written: 0,
            since: now,
            player: Player::default(),
        }
    }

    /// What it holds beside itself, bytes.
    pub fn memory_bytes(&self) -> usize {
        self.phases.capacity() * size_of::<ApplicationPhase>()
    }

    /// None after the last phase, too.
    fn end_of_phase(&self) -> Option<Time> {
        let length = self.phases.get(self.at)?.length;
        length.map(|length| self.begun + length)
    }

    /// When it acts next by itself.
    pub fn next(&self) -> Option<Time> {
        [self.due, self.end_of_phase()].into_iter().flatten().min()
    }

    /// Acts at `now`, if it is time: `given` segments before, of which `sent` have left.
    pub fn act(&mut self, now: Time, given: u64, sent: u64) -> Supply {
        let mut given = given;
        while let Some(end) = self.end_of_phase().filter(|end| *end <= now) {
            given = given.min(sent);
            self.begin_next_phase(end);
        }
        let Some(phase) = self.phases.get(self.at).filter(|_| self.due.is_some_and(|due| due <= now)) else {
            return Supply { given, awaits: false };
        };
        match phase.activity.clone() {
            Activity::Idle => self.silent(given),
            Activity::Bulk => self.silent(ENDLESS),
            Activity::Rate(rate) => self.write_at(rate, None, now, given),
            Activity::OnOff { rate, on, off } => self.write_at(rate, Some((on, off)), now, given),
            Activity::Requests { size, .. } => self.write_response(size.get(), given),
            Activity::Video(video) => {
                self.player.requested = now;
                self.player.bytes = bytes_of(video.ladder[self.player.step], video.segment);
                self.write_response(self.player.bytes, given)
            }
            Activity::Media(_) => unreachable!("media has no phases"),
        }
    }

    /// Begins the next phase; after the last phase the application is silent.
    fn begin_next_phase(&mut self, now: Time) {
        self.at += 1;
        self.player = Player::default();
        self.written = 0;
        (self.begun, self.since) = (now, now);
        self.due = self.phases.get(self.at).map(|_| now);
    }

    fn silent(&mut self, given: u64) -> Supply {
        self.due = None;
        Supply { given, awaits: false }
    }

    /// Writes the segments due by `now` at this rate. The nth is due n segment times after the beginning, so that
    /// rounding errors do not add up.
    fn write_at(&mut self, rate: Rate, periods: Option<(Span, Span)>, now: Time, given: u64) -> Supply {
        let mut given = given;
        while let Some(due) = self.due.filter(|due| *due <= now) {
            given += 1;
            self.written += 1;
            let next = self.since + rate.time_for(Bytes::new(self.payload.get().saturating_mul(self.written)));
            self.due = Some(next.max(due));
            if let Some((on, off)) = periods
                && next >= self.since + on
            {
                self.since = self.since + on + off;
                self.written = 0;
                self.due = Some(self.since);
            }
        }
        Supply { given, awaits: false }
    }

    fn write_response(&mut self, bytes: u64, given: u64) -> Supply {
        self.due = None;
        Supply { given: given + bytes.div_ceil(self.payload.get()), awaits: true }
    }

    /// All that it gave is acknowledged.
    pub fn on_delivered(&mut self, now: Time) {
        match self.phases.get(self.at).map(|phase| &phase.activity) {
            Some(Activity::Requests { think, .. }) => self.due = Some(now + *think),
            Some(Activity::Video(video)) => self.due = Some(self.player.on_segment(video, now)),
            Some(Activity::Bulk | Activity::Idle | Activity::Rate(_) | Activity::OnOff { .. } | Activity::Media(_))
            | None => {}
        }
    }
}

impl Player {
    /// Takes in a segment of video that has arrived at `now`; returns when the player requests the next one.
    fn on_segment(&mut self, video: &Video, now: Time) -> Time {
        let took = now.since(self.requested);
        // four fifths of the throughput, as bytes per segment of video
        let affordable = |rate: &Rate| {
            u128::from(bytes_of(*rate, video.segment)) * u128::from(took.as_nanos()) * 5
                <= u128::from(self.bytes) * u128::from(video.segment.as_nanos()) * 4
        };
        self.step = video.ladder.iter().rposition(affordable).unwrap_or(0);
        let played = now.since(self.known);
        let left = self.level.as_nanos().saturating_sub(played.as_nanos());
        self.level = Span::from_nanos(left) + video.segment;
        self.known = now;
        let full = (self.level + video.segment).as_nanos().saturating_sub(video.buffer.as_nanos());
        now + Span::from_nanos(full)
    }
}

/// The payload of a segment of video of this length at this rate, bytes; 1 at least.
fn bytes_of(rate: Rate, length: Span) -> u64 {
    const BIT_NANOS_PER_BYTE: u128 = 8_000_000_000;
    let bytes = u128::from(rate.as_bits_per_second()) * u128::from(length.as_nanos()) / BIT_NANOS_PER_BYTE;
    (bytes as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: Bytes = Bytes::new(1_000);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn phase(activity: Activity, length_ms: Option<u64>) -> ApplicationPhase {
        ApplicationPhase { activity, length: length_ms.map(Span::from_millis) }
    }

    fn application(phases: &[ApplicationPhase]) -> Phased {
        Phased::new(phases, PAYLOAD, Time::ZERO)
    }

    /// Returns when the application acts by itself until `end`, in ms, and how many segments it has then given; all
    /// leave at once.
    fn writes(application: &mut Phased, end: Time) -> Vec<(u64, u64)> {
        let (mut given, mut seen) = (0, Vec::new());
        while let Some(now) = application.next().filter(|time| *time <= end) {
            let supply = application.act(now, given, given);
            if supply.given != given {
                given = supply.given;
                seen.push((now.as_nanos() / 1_000_000, given));
            }
        }
        seen
    }

    #[test]
    fn a_rate_gives_a_segment_each_time_that_one_takes() {
        let mut rate = application(&[phase(Activity::Rate(Rate::from_bits_per_second(800_000)), None)]);
        assert_eq!(writes(&mut rate, ms(35)), [(0, 1), (10, 2), (20, 3), (30, 4)]);
    }

    #[test]
    fn no_rounding_adds_up_at_a_rate() {
        let mut rate = application(&[phase(Activity::Rate(Rate::from_bits_per_second(3_000_000)), None)]);
        assert_eq!(writes(&mut rate, ms(8_000)).last(), Some(&(8_000, 3_001)));
    }

    #[test]
    fn silence_lies_between_periods_of_sending() {
        let rate = Rate::from_bits_per_second(800_000);
        let (on, off) = (Span::from_millis(20), Span::from_millis(100));
        let mut on_off = application(&[phase(Activity::OnOff { rate, on, off }, None)]);
        assert_eq!(writes(&mut on_off, ms(250)), [(0, 1), (10, 2), (120, 3), (130, 4), (240, 5), (250, 6)]);
    }

    #[test]
    fn what_has_not_left_at_the_end_of_a_phase_is_withdrawn() {
        let mut phases = application(&[phase(Activity::Bulk, Some(50)), phase(Activity::Idle, None)]);
        assert_eq!(phases.act(ms(0), 0, 0), Supply { given: ENDLESS, awaits: false });
        assert_eq!(phases.next(), Some(ms(50)));
        assert_eq!(phases.act(ms(50), ENDLESS, 17), Supply { given: 17, awaits: false });
        assert_eq!(phases.next(), None);
    }

    #[test]
    fn the_next_response_waits_for_the_last_ones_acknowledgement() {
        let (size, think) = (Bytes::new(2_500), Span::from_millis(30));
        let mut requests = application(&[phase(Activity::Requests { size, think }, None)]);
        assert_eq!(requests.act(ms(0), 0, 0), Supply { given: 3, awaits: true });
        assert_eq!(requests.next(), None);
        requests.on_delivered(ms(100));
        assert_eq!(requests.next(), Some(ms(130)));
        assert_eq!(requests.act(ms(130), 3, 3), Supply { given: 6, awaits: true });
    }

    #[test]
    fn a_last_phase_with_an_end_is_followed_by_silence() {
        let mut bulk = application(&[phase(Activity::Bulk, Some(50))]);
        bulk.act(ms(0), 0, 0);
        assert_eq!(bulk.act(ms(50), ENDLESS, 9).given, 9);
        assert_eq!(bulk.next(), None);
    }

    /// Segments of 1 s at 0.8, 1.6 and 3.2 Mb/s, each delivered at 2 Mb/s: four fifths of the throughput allow the
    /// second rate.
    #[test]
    fn video_takes_the_highest_rate_that_the_throughput_allows() {
        let ladder = [800_000, 1_600_000, 3_200_000].map(Rate::from_bits_per_second).to_vec();
        let video = Video { ladder, segment: Span::from_secs(1), buffer: Span::from_secs(3) };
        let mut video = application(&[phase(Activity::Video(video), None)]);
        assert_eq!(video.act(ms(0), 0, 0), Supply { given: 100, awaits: true });
        video.on_delivered(ms(400));
        assert_eq!(video.next(), Some(ms(400)), "1 s of 3 s is held");
        assert_eq!(video.act(ms(400), 100, 100), Supply { given: 300, awaits: true });
        video.on_delivered(ms(1_200));
        // 1 s less 0.8 s, plus 1 s: there is room
        assert_eq!(video.next(), Some(ms(1_200)));
        video.act(ms(1_200), 300, 300);
        video.on_delivered(ms(1_300));
        // 1.2 s less 0.1 s, plus 1 s: 2.1 s, and room in 0.1 s
        assert_eq!(video.next(), Some(ms(1_400)));
    }
}
