//! Tracks which flows of a run have yet to complete, from the kernel's reports.

use vegas_sim::scenario::Scenario;

use crate::kernel::reading::Reading;
use crate::kernel::records::Record;
use crate::network::addresses;

/// The flows of a run that ends when all have completed.
#[derive(Debug)]
pub(crate) struct Completion {
    /// What is missing, by flow; `None` for a completed flow.
    left: Vec<Option<Left>>,
}

/// A flow that has not completed.
#[derive(Debug)]
struct Left {
    size: u64,
    reading: Reading,
}

impl Completion {
    /// Returns the flows to wait for; `None` if the scenario goes on to its end.
    pub(crate) fn awaited(scenario: &Scenario) -> Option<Self> {
        let left = |size: u64| Left { size, reading: Reading::default() };
        let flows = || scenario.flows.iter().map(|flow| flow.size.map(|size| left(size.get()))).collect();
        scenario.until_complete.then(|| Completion { left: flows() })
    }

    /// Takes in the kernel's next record.
    pub(crate) fn note(&mut self, record: &Record) {
        let flow = addresses::flow_of_port(record.local_port).and_then(|flow| self.left.get_mut(flow));
        let Some(slot) = flow else { return };
        if let Some(left) = slot {
            left.reading.note(record);
            if left.reading.acked_bytes() >= left.size {
                *slot = None;
            }
        }
    }

    /// Returns whether all flows have completed.
    pub(crate) fn is_reached(&self) -> bool {
        self.left.iter().all(Option::is_none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{EVENT_ACK, EVENT_START, Event};

    const TWO: &str = r#"
        name = "two"
        duration = "1s"
        until_complete = true
        topology.kind = "dumbbell"
        topology.access = { rate = "1gbit", delay = "1ms" }
        topology.bottleneck = { rate = "1gbit", delay = "1ms", queue = "9p" }
        flow = [{ algorithm = "vegas", size = "3kb" }, { algorithm = "vegas", size = "5kb" }]
    "#;

    fn record(kind: u32, flow: usize, bytes_acked: u64) -> Record {
        let event = Event { kind, ..Event::default() };
        Record { local_port: u32::from(addresses::sender(flow).port()), bytes_acked, event, ..Record::default() }
    }

    #[test]
    fn it_is_reached_when_the_last_byte_of_the_last_flow_is_acknowledged() {
        let scenario = Scenario::from_toml(TWO, "two.toml", &[]).expect("a scenario");
        let mut completion = Completion::awaited(&scenario).expect("it is asked for");
        let told = [(EVENT_START, 0, 1), (EVENT_START, 1, 1), (EVENT_ACK, 0, 3001), (EVENT_ACK, 1, 5000)];
        for (kind, flow, bytes_acked) in told {
            completion.note(&record(kind, flow, bytes_acked));
            assert!(!completion.is_reached(), "{flow} {bytes_acked}");
        }
        completion.note(&record(EVENT_ACK, 1, 5001));
        assert!(completion.is_reached());
        let endless = [("until_complete".to_owned(), "false".to_owned())];
        assert!(Completion::awaited(&Scenario::from_toml(TWO, "two.toml", &endless).expect("a scenario")).is_none());
    }
}
