//! The common part of flows and sources of traffic: two hosts and a path between them.

use crate::scenario::document::scalar::Name;
use crate::scenario::document::{Direction, Link, Numbered, Traffic};
use crate::scenario::read::field::Field;

/// The description of a path in the file.
pub(super) struct Route<'a> {
    /// The key of the description in the file.
    pub(super) key: String,
    /// The names of sender and receiver, if the topology creates hosts.
    pub(super) hosts: [String; 2],
    pub(super) access: Option<&'a Link>,
    pub(super) direction: Option<Direction>,
    pub(super) from: Option<&'a Field<Name>>,
    pub(super) to: Option<&'a Field<Name>>,
    /// The key of `via` in the file.
    pub(super) key_via: String,
    pub(super) via: Option<&'a [Field<Name>]>,
    pub(super) enter: Option<&'a Field<Name>>,
    pub(super) leave: Option<&'a Field<Name>>,
}

impl<'a> Route<'a> {
    pub(super) fn of_flow(id: usize, numbered: Numbered<'a>) -> Self {
        let Numbered { table, flow } = numbered;
        Route {
            key: format!("flow.{table}"),
            hosts: [format!("s{id}"), format!("d{id}")],
            access: flow.access.as_deref(),
            direction: None,
            from: flow.from.as_ref(),
            to: flow.to.as_ref(),
            key_via: format!("flow.{table}.via"),
            via: flow.via.as_deref(),
            enter: flow.enter.as_ref(),
            leave: flow.leave.as_ref(),
        }
    }

    pub(super) fn of_traffic(id: usize, traffic: &'a Traffic) -> Self {
        Route {
            key: format!("traffic.{id}"),
            hosts: [format!("ts{id}"), format!("td{id}")],
            access: traffic.access.as_deref(),
            direction: traffic.direction.map(|direction| direction.0),
            from: traffic.from.as_ref(),
            to: traffic.to.as_ref(),
            key_via: format!("traffic.{id}.via"),
            via: traffic.via.as_deref(),
            enter: traffic.enter.as_ref(),
            leave: traffic.leave.as_ref(),
        }
    }

    pub(super) fn is_backward(&self) -> bool {
        self.direction == Some(Direction::Backward)
    }
}
