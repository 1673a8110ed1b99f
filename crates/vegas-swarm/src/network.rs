//! A network of the swarm: its number, and what follows from it.

use serde_json::Value;

use crate::document::shrink;
use crate::draw::Draw;
use crate::examine::{NO_PANIC, Verdict, examine};
use crate::generate;
use crate::relations::{ALL, Relation};

/// The greatest number of smaller documents that are tried for one that fails.
const SHRINKING_ASKS: usize = 600;
/// The greatest number of events of a file that is checked with everything, which takes some seconds.
const FILE_EVENTS: u64 = 1_000_000;

/// One network of a swarm.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// The swarm's seed.
    pub seed: u64,
    /// The network's number in the swarm.
    pub number: u64,
}

impl Network {
    /// Returns the document of the network's scenario.
    pub fn document(self) -> Value {
        generate::document(&mut self.draw())
    }

    /// Returns the network's verdict; a document that fails is shrunk.
    pub fn examine(self, source: &str) -> Verdict {
        let mut draw = self.draw();
        let document = generate::document(&mut draw);
        let events = events(&mut draw);
        let relations = relations(&mut draw);
        examined(&document, source, events, &relations)
    }

    /// Returns the network's verdict by the invariants and these relations alone.
    pub fn examine_by(self, source: &str, relations: &[&Relation]) -> Verdict {
        let mut draw = self.draw();
        let document = generate::document(&mut draw);
        examined(&document, source, events(&mut draw), relations)
    }

    /// Returns the document of a network for a judge from outside, and makes it smaller while `fails` holds.
    pub fn judge(self, mut fails: impl FnMut(&Value) -> bool) -> Value {
        let document = generate::judged::document(&mut self.draw());
        if !fails(&document) {
            return document;
        }
        shrink::shrunk(&document, SHRINKING_ASKS, fails)
    }

    fn draw(self) -> Draw {
        Draw::of_network(self.seed, self.number)
    }
}

/// Returns a document's verdict; a document that fails is shrunk.
fn examined(document: &Value, source: &str, events: u64, relations: &[&Relation]) -> Verdict {
    let mut verdict = examine(document, source, events, relations);
    let Verdict::Failed(document, failure) = verdict.clone() else { return verdict };
    // A relation that held is not run again, except after a panic, which any relation may have caused.
    let suspect = |relation: &&Relation| failure.check == NO_PANIC || relation.name == failure.check;
    let suspects: Vec<&Relation> = relations.iter().copied().filter(suspect).collect();
    shrink::shrunk(&document, SHRINKING_ASKS, |smaller| {
        let smaller = examine(smaller, source, events, &suspects);
        let fails = smaller.failure().is_some_and(|other| other.is_like(&failure));
        if fails {
            verdict = smaller;
        }
        fails
    });
    verdict
}

/// Returns the verdict of a file by every invariant and relation.
pub fn examine_file(document: &Value, source: &str) -> Verdict {
    examine(document, source, FILE_EVENTS, &ALL.iter().collect::<Vec<_>>())
}

/// Returns the greatest number of events of a run: mostly a few thousand, at times tens of thousands.
fn events(draw: &mut Draw) -> u64 {
    draw.log_between(500, 20_000)
}

/// Returns the relations that are checked of a network: a few at random, as each costs a run.
fn relations(draw: &mut Draw) -> Vec<&'static Relation> {
    ALL.iter().filter(|relation| draw.percent(relation.percent)).collect()
}
