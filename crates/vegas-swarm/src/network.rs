//! A network of the swarm: a number, and all that follows from it.

use serde_json::Value;

use crate::draw::Draw;
use crate::examine::{NO_PANIC, Verdict, examine};
use crate::relations::{ALL, Relation};
use crate::{generate, shrink};

/// How many smaller documents are tried for one that fails.
const SHRINKING_ASKS: usize = 600;
/// Events of a file that is checked with everything: what some seconds allow.
const FILE_EVENTS: u64 = 1_000_000;

/// One of a swarm's networks.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// The swarm's seed.
    pub seed: u64,
    /// Its number in the swarm.
    pub number: u64,
}

impl Network {
    /// Its scenario's document.
    pub fn document(self) -> Value {
        generate::document(&mut self.draw())
    }

    /// Its verdict; a document that fails is made small.
    pub fn examine(self, source: &str) -> Verdict {
        let mut draw = self.draw();
        let document = generate::document(&mut draw);
        let events = events(&mut draw);
        let relations = relations(&mut draw);
        examined(&document, source, events, &relations)
    }

    /// Its verdict by the invariants and these relations alone.
    pub fn examine_by(self, source: &str, relations: &[&Relation]) -> Verdict {
        let mut draw = self.draw();
        let document = generate::document(&mut draw);
        examined(&document, source, events(&mut draw), relations)
    }

    fn draw(self) -> Draw {
        Draw::of_network(self.seed, self.number)
    }
}

/// A document's verdict; one that fails is made small.
fn examined(document: &Value, source: &str, events: u64, relations: &[&Relation]) -> Verdict {
    let mut verdict = examine(document, source, events, relations);
    let Verdict::Failed(document, failure) = verdict.clone() else { return verdict };
    // a relation that held need not be run again, unless one of them may have panicked
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

/// A file's verdict by every invariant and relation.
pub fn examine_file(document: &Value, source: &str) -> Verdict {
    examine(document, source, FILE_EVENTS, &ALL.iter().collect::<Vec<_>>())
}

/// Bounds a run: mostly a few thousand events, tens of thousands at times.
fn events(draw: &mut Draw) -> u64 {
    draw.log_between(500, 20_000)
}

/// The relations of a network: a few at random, for each costs a run.
fn relations(draw: &mut Draw) -> Vec<&'static Relation> {
    ALL.iter().filter(|relation| draw.percent(relation.percent)).collect()
}
