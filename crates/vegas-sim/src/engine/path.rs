//! A packet's way from one host to the other: which link it is offered to, how far it goes ahead of time, and by which
//! event it comes out.

use vegas_core::units::Time;

use super::Simulation;
use crate::hop::Exit;
use crate::impairment::Arrivals;
use crate::lanes::{AT_END, Entered, OnItsWay};
use crate::link::Offer;
use crate::managed::Choice;
use crate::outcome::{Incident, IncidentKind};
use crate::packet::{Packet, PacketKind, Small, Whose};
use crate::recorder::seconds;
use crate::routes::{First, Step};
use crate::scenario::LinkId;

impl Simulation {
    /// The first packet of a lane comes out of its link.
    #[inline]
    pub(super) fn on_lane_arrival(&mut self, lane: u32) {
        let ((packet, place), next) = self.lanes.take_first(lane);
        if let Some(next) = next {
            // it is fetched by now, but what it refers to may be far away
            self.sacks.prefetch(next.packet.sack());
        }
        self.queue.set_lane(lane, next.map(|next| (next.arrival, next.component)));
        self.leave_lane(packet, place);
    }

    /// A packet goes on that has been on a lane, or apart from them.
    #[inline(always)]
    fn leave_lane(&mut self, packet: Packet, place: u32) {
        match place {
            AT_END => self.take_in_segment(packet),
            place => self.go_on(place as usize, &packet),
        }
    }

    /// A packet comes out of a plain link that has overtaken on its lane.
    #[inline(never)]
    pub(super) fn on_arrival(&mut self, link: u32) {
        let ((packet, place), next) = self.apart.take_first(link as LinkId, self.now);
        if let Some(next) = next {
            self.queue.schedule(self.components.arrival(link), next);
        }
        if self.recorder.every_change() {
            self.catch_up(link as usize);
        }
        self.leave_lane(packet, place);
    }

    /// A packet comes out of a link that is managed or impaired, which has this lane.
    #[inline(never)]
    pub(super) fn on_special_arrival(&mut self, link: u32, lane: u32) {
        if self.recorder.every_change() {
            self.catch_up(link as usize);
        }
        let here = &mut self.links[link as usize];
        if here.is_impaired() {
            return self.on_impaired_arrival(link);
        }
        let (packet, next) = here.arrive_managed(self.now);
        self.queue.set_lane(lane, next.map(|time| (time, self.components.arrival(link))));
        self.report_chosen(link as usize);
        self.go_on(self.routes.place(&packet) + 1, &packet);
    }

    #[inline(never)]
    fn on_impaired_arrival(&mut self, link: u32) {
        let arrivals = self.links[link as usize].arrive(self.now);
        self.schedule_arrival(link);
        self.report_chosen(link as usize);
        if arrivals.packet.is_none() {
            self.schedule_held(link);
        }
        self.take_in(arrivals);
    }

    /// Of a link that is managed or impaired.
    pub(super) fn schedule_arrival(&mut self, link: u32) {
        let next = self.links[link as usize].next_arrival().map(|time| (time, self.components.arrival(link)));
        self.queue.set_lane(self.plan.lane(link as LinkId), next);
    }

    /// Notes what a managed queue has dropped and marked, if it has.
    #[inline]
    pub(super) fn report_chosen(&mut self, link: LinkId) {
        if self.links[link].has_chosen() {
            self.write_down_chosen(link);
        }
    }

    #[inline(never)]
    pub(super) fn write_down_chosen(&mut self, link: LinkId) {
        while let Some((at, packet, choice)) = self.links.take_chosen(link) {
            match choice {
                Choice::Marked => self.note_incident(at, link, &packet, IncidentKind::Mark),
                Choice::Dropped => self.drop_packet(at, link, packet, IncidentKind::QueueDrop),
            }
        }
    }

    pub(super) fn on_held(&mut self, link: u32) {
        let arrivals = self.links[link as usize].release_held(self.now);
        self.schedule_held(link);
        self.take_in(arrivals);
    }

    pub(super) fn schedule_held(&mut self, link: u32) {
        match self.links[link as usize].next_held() {
            Some(time) => self.queue.schedule(self.components.held(link), time),
            None => self.queue.cancel(self.components.held(link)),
        }
    }

    fn take_in(&mut self, arrivals: Arrivals) {
        let Some(packet) = arrivals.packet else { return };
        if arrivals.twice {
            if let Some(flow) = self.opened(&packet) {
                flow.on_their_way += 1;
            }
            self.duplicate_foreign(&packet);
            let sack = self.sacks.duplicate(packet.sack());
            self.pass_on(packet.with_sack(sack));
        }
        self.pass_on(packet);
    }

    /// A packet has come to the end of a link.
    fn pass_on(&mut self, packet: Packet) {
        self.go_on(self.routes.place(&packet) + 1, &packet);
    }

    /// A packet goes on at a place of its route: to the next link, or the endpoint.
    #[inline(always)]
    fn go_on(&mut self, place: usize, packet: &Packet) {
        let step = self.routes.step(place);
        match (step.is_end(), step.is_special()) {
            (true, false) => self.take_in_segment(*packet),
            (true, true) => self.deliver_special(packet),
            (false, _) => self.enter(place, step, *packet),
        }
    }

    /// A packet leaves its host.
    #[inline(never)]
    pub(super) fn launch(&mut self, packet: Packet) {
        self.count_leaving(&packet);
        let First { place, step } = self.routes.first(&packet);
        self.enter(place, step, packet);
    }

    /// The same of a flow's segment, as a part of the caller.
    #[inline(always)]
    pub(super) fn launch_here(&mut self, packet: Packet) {
        let First { place, step } = self.routes.first_there(packet.flow());
        self.enter(place, step, packet);
    }

    /// A packet comes to a link, or to a chain.
    #[inline(always)]
    fn enter(&mut self, place: usize, step: Step, packet: Packet) {
        let (sequence, whose, small) = packet.words();
        match step.is_special() {
            true => self.enter_special(place, step, sequence, whose, small),
            false => self.offer(place, step, sequence, whose, small),
        }
    }

    /// A packet comes to a link that is managed, impaired or watched.
    #[inline(never)]
    fn enter_special(&mut self, place: usize, step: Step, sequence: u64, whose: Whose, small: Small) {
        let packet = Packet::of_words(sequence, whose, small);
        let is_watched = self.recorder.every_change();
        if is_watched {
            self.catch_up(self.links.exit(step.id()).link as LinkId);
        }
        if is_watched && self.links.is_plain(step.id()) {
            self.offer(place, step, sequence, whose, small);
        } else {
            self.offer_special(place, step.id(), packet);
        }
        if is_watched {
            self.note_change(self.links.exit(step.id()).link as LinkId);
        }
    }

    /// A row, after what has just happened.
    #[cold]
    fn note_change(&mut self, link: LinkId) {
        self.links.catch_up(link, self.now);
        self.recorder.link_row(self.now, link, &mut self.links);
    }

    /// A packet comes to a link that is managed or impaired.
    #[inline(always)]
    fn offer_special(&mut self, place: usize, hop: u32, packet: Packet) {
        let mut packet = self.routes.note_place(packet, place);
        let Exit { link, lane } = self.links.exit(hop);
        let (link, component) = (link as LinkId, self.components.arrival(link));
        let is_data = packet.kind() == PacketKind::Data;
        match self.links.offer_special(hop, self.now, &mut packet, is_data) {
            Offer::Managed(first) => {
                if let Some(arrival) = first {
                    self.queue.begin_lane(lane, arrival, component);
                }
                self.report_chosen(link);
            }
            Offer::Accepted(arrival) => {
                if self.links[link].carry(packet, arrival) {
                    self.queue.begin_lane(lane, arrival, component);
                }
            }
            Offer::Overflow => self.drop_packet(self.now, link, packet, IncidentKind::QueueDrop),
            Offer::Lost => self.drop_packet(self.now, link, packet, IncidentKind::Loss),
        }
    }

    /// A packet comes to a plain link, or to a chain, and goes on from there as far as is known ahead of time.
    #[inline(never)]
    fn offer(&mut self, mut place: usize, mut step: Step, sequence: u64, whose: Whose, small: Small) {
        let mut packet = Packet::of_words(sequence, whose, small);
        let mut at = self.now;
        loop {
            let arrival = match self.links.usual_wait(step.id(), at, packet.wire()) {
                Some(waits) => self.links.accept(step.id(), at, waits),
                None => match self.links.offer_unusual(step.id(), at, &mut packet, self.end) {
                    Some(arrival) => arrival,
                    None => return self.drop_at(at, step, packet),
                },
            };
            place += 1;
            let mut next = self.routes.step(place);
            if !next.is_ahead() || arrival > self.end {
                return self.carry(step.id(), place, next, packet, arrival);
            }
            if next.is_end() {
                let answer = self.answer_ahead(arrival, &packet);
                let first = self.routes.first_back(answer.flow());
                (place, packet, next) = (first.place, answer, first.step);
            }
            (step, at) = (next, arrival);
        }
    }

    /// A plain link has no room for a packet.
    #[cold]
    fn drop_at(&mut self, at: Time, step: Step, packet: Packet) {
        let link = self.links.exit(step.id()).link as LinkId;
        self.drop_packet(at, link, packet, IncidentKind::QueueDrop);
    }

    /// Carries a packet that a link has accepted, or a chain, to its arrival, by an event; it goes on at `place`, where the next
    /// step is.
    #[inline]
    fn carry(&mut self, hop: u32, place: usize, next: Step, packet: Packet, arrival: Time) {
        let Exit { link, lane } = self.links.exit(hop);
        let component = self.components.arrival(link);
        let goes_on = if next == Step::END { AT_END } else { place as u32 };
        match self.lanes.enter(lane, OnItsWay { packet, arrival, component, place: goes_on }) {
            Entered::First(lane) => self.queue.begin_lane(lane, arrival, component),
            Entered::Behind => {}
            Entered::Not => {
                let (sequence, whose, small) = packet.words();
                self.carry_beside(hop, goes_on, sequence, whose, small, arrival);
            }
        }
    }

    /// The same of a packet that would overtake on its lane.
    #[inline(never)]
    fn carry_beside(&mut self, hop: u32, place: u32, sequence: u64, whose: Whose, small: Small, arrival: Time) {
        let Exit { link, lane } = self.links.exit(hop);
        let component = self.components.arrival(link);
        let carried = OnItsWay { packet: Packet::of_words(sequence, whose, small), arrival, component, place };
        match self.lanes.enter_beside(lane, &carried) {
            Entered::First(lane) => self.queue.begin_lane(lane, arrival, component),
            Entered::Behind => {}
            Entered::Not => {
                if self.apart.carry(link as LinkId, carried.packet, arrival, place) {
                    self.queue.schedule(component, arrival);
                }
            }
        }
    }

    /// The answer of a receiver to a packet that arrives at `at`, which is now or later, as it leaves its host then.
    #[inline]
    fn answer_ahead(&mut self, at: Time, packet: &Packet) -> Packet {
        let flow = &mut self.flows[packet.flow() as usize];
        if packet.kind() != PacketKind::Data {
            return flow.answer_syn(packet.flow());
        }
        self.outcome.delivered_packets += 1;
        flow.note_received(at);
        flow.receive(at, packet);
        flow.acknowledge(packet.flow(), &mut self.sacks)
    }

    #[inline(never)]
    fn drop_packet(&mut self, at: Time, link: LinkId, packet: Packet, kind: IncidentKind) {
        self.sacks.release(packet.sack());
        self.discard_foreign(&packet);
        if !self.is_of_flow(&packet) {
            self.lose_traffic(&packet);
        }
        self.note_incident(at, link, &packet, kind);
    }

    /// Of flows only; what happens to traffic is counted.
    fn note_incident(&mut self, at: Time, link: LinkId, packet: &Packet, kind: IncidentKind) {
        if self.is_of_flow(packet) {
            let (time_s, link) = (seconds(at), Some(link as u32));
            let incident = Incident { time_s, kind, flow: packet.flow(), link, sequence: packet.sequence };
            self.outcome.incidents.push(incident);
        }
    }
}
