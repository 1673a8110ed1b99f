//! The path of a packet through links that are managed or impaired, or of which every change is reported.

use super::Fast;
use super::impairment::Arrivals;
use super::link::Offer;
use super::managed::AqmVerdict;
use super::record::Exit;
use super::routes::Step;
use crate::measure::outcome::IncidentKind;
use crate::network::{Delivered, Hosts};
use crate::packet::{FlowAndFlags, PackedHeader, Packet};
use crate::scenario::LinkId;

impl Fast {
    /// Takes a packet that comes out of a managed or impaired link. `delay_line` is the link's delay line.
    #[inline]
    pub(super) fn on_special_arrival(&mut self, link: u32, delay_line: u32, hosts: &mut impl Hosts) -> Delivered {
        if self.is_watched {
            self.catch_up(link as usize, hosts);
        }
        let here = &mut self.links[link as usize];
        if here.is_impaired() {
            return self.on_impaired_arrival(link, hosts);
        }
        let (packet, next) = here.arrive_managed(self.now);
        let has_verdicts = here.has_verdicts();
        self.arrivals.set(delay_line, next.map(|time| (time, link)));
        if has_verdicts {
            self.tell_verdicts(link as usize, hosts);
        }
        self.pass_on(packet, hosts)
    }

    #[inline(never)]
    fn on_impaired_arrival(&mut self, link: u32, hosts: &mut impl Hosts) -> Delivered {
        let arrivals = self.links[link as usize].arrive(self.now);
        self.schedule_arrival(link);
        self.tell_verdicts(link as usize, hosts);
        if arrivals.packet.is_none() {
            self.schedule_held(link);
        }
        self.take_in(arrivals, hosts)
    }

    /// Schedules the next arrival of a link that is managed or impaired.
    pub(super) fn schedule_arrival(&mut self, link: u32) {
        let next = self.links[link as usize].next_arrival().map(|time| (time, link));
        self.arrivals.set(self.plan.delay_line(link as LinkId), next);
    }

    /// Reports the packets that a managed queue has dropped and marked.
    #[inline(never)]
    pub(super) fn tell_verdicts(&mut self, link: LinkId, hosts: &mut impl Hosts) {
        while let Some((at, packet, choice)) = self.links.take_verdict(link) {
            match choice {
                AqmVerdict::Marked => hosts.marked(at, link, &packet),
                AqmVerdict::Dropped => hosts.dropped(at, link, packet, IncidentKind::QueueDrop),
            }
        }
    }

    pub(super) fn on_held(&mut self, link: u32, hosts: &mut impl Hosts) -> Delivered {
        let arrivals = self.links[link as usize].release_held(self.now);
        self.schedule_held(link);
        self.take_in(arrivals, hosts)
    }

    pub(super) fn schedule_held(&mut self, link: u32) {
        let held = self.links.len() as u32 + link;
        match self.links[link as usize].next_held() {
            Some(time) => self.calendar.schedule(held, time),
            None => self.calendar.cancel(held),
        }
    }

    fn take_in(&mut self, arrivals: Arrivals, hosts: &mut impl Hosts) -> Delivered {
        let Some(packet) = arrivals.packet else { return Delivered::Nothing };
        if !arrivals.twice {
            return self.pass_on(packet, hosts);
        }
        let second = hosts.duplicate(&packet);
        match (self.pass_on(second, hosts), self.pass_on(packet, hosts)) {
            (Delivered::One(second), Delivered::One(packet)) => Delivered::Two(second, packet),
            _ => Delivered::Nothing,
        }
    }

    /// Takes a packet that comes to a link that is managed, impaired or watched.
    #[inline(never)]
    pub(super) fn enter_special(
        &mut self,
        place: usize,
        step: Step,
        sequence: u64,
        flow_and_flags: FlowAndFlags,
        header: PackedHeader,
        hosts: &mut impl Hosts,
    ) {
        let packet = Packet::of_words(sequence, flow_and_flags, header);
        if !self.is_watched {
            return self.offer_special(place, step.id(), packet, hosts);
        }
        let link = self.links.exit(step.id()).link as LinkId;
        self.catch_up(link, hosts);
        match self.links.is_plain(step.id()) {
            true => self.offer(place, step, sequence, flow_and_flags, header, hosts),
            false => self.offer_special(place, step.id(), packet, hosts),
        }
        self.links.catch_up(link, self.now);
        self.tell_change(link, self.now, hosts);
    }

    /// Offers a packet to a link that is managed or impaired.
    #[inline(always)]
    fn offer_special(&mut self, place: usize, record: usize, packet: Packet, hosts: &mut impl Hosts) {
        let mut packet = self.routes.note_place(packet, place);
        let Exit { link, delay_line } = self.links.exit(record);
        let (link, component) = (link as LinkId, link);
        match self.links.offer_special(record, self.now, &mut packet, &self.labels) {
            Offer::Managed(first) => {
                if let Some(arrival) = first {
                    self.arrivals.set(delay_line, Some((arrival, component)));
                }
                if self.links.has_verdicts(record) {
                    self.tell_verdicts(link, hosts);
                }
            }
            Offer::Accepted(arrival) => {
                if self.links[link].carry(packet, arrival) {
                    self.arrivals.set(delay_line, Some((arrival, component)));
                }
            }
            Offer::Overflow => hosts.dropped(self.now, link, packet, IncidentKind::QueueDrop),
            Offer::Lost => {
                // reports first what a managed queue drops at this instant: departures precede arrivals
                self.catch_up(link, hosts);
                hosts.dropped(self.now, link, packet, IncidentKind::Loss);
            }
        }
    }
}
