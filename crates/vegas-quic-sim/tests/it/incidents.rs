//! The incidents of QUIC packets have the packets' numbers.

use std::collections::BTreeSet;

use vegas_sim::outcome::{Incident, IncidentKind, Outcome};

use crate::support::{dumbbell, run};

/// A link that will change is offered its packets when they arrive, any other link when they leave the previous link.
#[test]
fn rows_do_not_depend_on_what_is_done_ahead_of_time() {
    let flows = "flow = [{ algorithm = \"reno\", transport = \"quic\" }]";
    let text = dumbbell("20mbit", "20ms", "", flows);
    let same = "change = [{ at = \"29.999999999s\", link = \"r1->r2\", rate = \"20mbit\" }]";
    let (ahead, in_time) = (run(&text), run(&format!("{same}\n{text}")));
    assert!(ahead.events < in_time.events, "{} {}", ahead.events, in_time.events);
    assert!(ahead.incidents.len() > 20);
    assert_eq!(ahead.incidents, in_time.incidents);
}

/// Without duplication a packet is lost once: no number occurs twice for one end, and each number is of a packet that
/// was sent.
#[test]
fn a_number_is_one_packet_of_the_end_that_sent_it() {
    let flows = "flow = [{ algorithm = \"reno\", transport = \"quic\" }]";
    let outcome = run(&dumbbell("10mbit", "20ms", "loss = \"2%\"", flows));
    let (forward, backward) = (numbers(&outcome, true), numbers(&outcome, false));
    assert!(forward.len() > 100 && backward.is_empty(), "{forward:?} {backward:?}");
    let distinct: BTreeSet<u64> = forward.iter().copied().collect();
    assert_eq!(distinct.len(), forward.len());
    let sent = outcome.flows[0].segments_sent;
    assert!(*distinct.last().unwrap() < sent, "{distinct:?} of {sent}");
    assert!(forward.is_sorted(), "lost as they come to the link, which is in order");
}

/// The numbers of the packets that were lost on the data's path, or on the way back.
fn numbers(outcome: &Outcome, forward: bool) -> Vec<u64> {
    let is_loss = |incident: &&Incident| matches!(incident.kind, IncidentKind::Loss | IncidentKind::QueueDrop);
    let of_way = |incident: &&Incident| (incident.link == Some(0)) == forward;
    outcome.incidents.iter().filter(is_loss).filter(of_way).map(|incident| incident.sequence).collect()
}
