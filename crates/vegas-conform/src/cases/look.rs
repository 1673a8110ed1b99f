//! What judges ask of a run.

#![allow(dead_code, reason = "the cases that follow ask this")]

use vegas_core::units::{Span, Time};

use crate::case::Miss;
use crate::observed::{Inside, Moment, Observed, State};

/// A moment with what the control tells of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) moment: Moment,
    pub(super) inside: Inside,
}

/// A stay in one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay<'a> {
    pub(super) state: State,
    /// The moment before the state was entered.
    pub(super) before: Option<Look>,
    /// The moments in it, at least one.
    pub(super) looks: &'a [Look],
    /// The first moment of the next state.
    pub(super) next: Option<Look>,
}

impl Stay<'_> {
    pub(super) fn entered(&self) -> Time {
        self.looks[0].moment.at
    }

    pub(super) fn last(&self) -> Look {
        self.looks[self.looks.len() - 1]
    }

    /// Until the next state, or until the run ended.
    pub(super) fn left(&self) -> Time {
        self.next.map_or(self.last().moment.at, |next| next.moment.at)
    }

    pub(super) fn lasted(&self) -> Span {
        self.left().since(self.entered())
    }
}

/// All moments with what is inside.
pub(super) fn looks(observed: &Observed) -> Result<Vec<Look>, Miss> {
    let looks: Vec<Look> =
        observed.moments.iter().filter_map(|&moment| Some(Look { moment, inside: moment.inside? })).collect();
    match looks.is_empty() {
        true => Err(Miss::not_applicable("it does not tell its state")),
        false => Ok(looks),
    }
}

/// The states in the order in which they were entered.
pub(super) fn stays(looks: &[Look]) -> Vec<Stay<'_>> {
    let mut stays: Vec<Stay<'_>> = Vec::new();
    let mut at = 0;
    for looks_in in looks.chunk_by(|one, next| one.inside.state == next.inside.state) {
        let end = at + looks_in.len();
        stays.push(Stay {
            state: looks_in[0].inside.state,
            before: at.checked_sub(1).map(|before| looks[before]),
            looks: looks_in,
            next: looks.get(end).copied(),
        });
        at = end;
    }
    stays
}

/// A value that a case needs to see.
pub(super) fn known(value: Option<i64>, name: &str) -> Result<i64, Miss> {
    value.ok_or_else(|| Miss::not_applicable(format!("it does not tell {name}")))
}

/// Seconds with three places.
pub(super) fn seconds(at: Time) -> String {
    format!("{:.3} s", at.as_nanos() as f64 / 1e9)
}

/// Fails unless it is so.
pub(super) fn check(is_so: bool, seen: impl FnOnce() -> String, expected: &str) -> Result<(), Miss> {
    if is_so { Ok(()) } else { Err(Miss::failed(seen(), expected)) }
}
