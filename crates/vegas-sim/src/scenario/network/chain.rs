//! Routers in a row with a pair of hosts for every flow: the dumbbell, and the parking lot.

use std::sync::Arc;

use crate::scenario::document::scalar::Name;
use crate::scenario::document::{Link, Topology};
use crate::scenario::model::trace::Folder;
use crate::scenario::model::{LinkId, LinkKind, NodeId, QueueLimit};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::{Field, Table};

use crate::util::watch::Watch;

use super::link;
use super::product;
use super::route::Route;
use super::{Network, opposite};

/// Two routers; every flow crosses the link between them.
pub(super) fn dumbbell(
    topology: &Topology,
    routes: &[Route<'_>],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<Network> {
    let bottleneck = topology.bottleneck.as_deref().ok_or_else(|| Problem::missing("topology.bottleneck"))?;
    let product = topology.access.as_deref().map_or(product::NONE, |access| product::of_dumbbell(bottleneck, access));
    let hops = [link::of_chain("topology.bottleneck", bottleneck, None, product, folder)?];
    chain(&hops, topology, routes, folder, watch)
}

/// Any number of routers; each flow may enter and leave at any of them.
pub(super) fn parking_lot(
    topology: &Topology,
    routes: &[Route<'_>],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<Network> {
    chain(&hops(topology, folder)?, topology, routes, folder, watch)
}

fn hops(topology: &Topology, folder: &dyn Folder) -> Checked<Vec<[Arc<LinkKind>; 2]>> {
    let hops = topology.hops.map(|hops| hops.0.0 as usize);
    match (&topology.bottleneck, &topology.bottlenecks) {
        (Some(_), Some(_)) => {
            let message = "stands beside topology.bottleneck; give one of the two";
            Err(Problem::new("topology.bottlenecks", message))
        }
        (Some(bottleneck), None) => {
            let hops = hops.ok_or_else(|| Problem::missing("topology.hops"))?;
            Ok(vec![link::of_chain("topology.bottleneck", bottleneck, None, product::NONE, folder)?; hops])
        }
        (None, Some(bottlenecks)) => one_by_one(bottlenecks, hops, folder),
        (None, None) => Err(Problem::missing("topology.bottleneck")),
    }
}

fn one_by_one(
    bottlenecks: &[Table<Link>],
    hops: Option<usize>,
    folder: &dyn Folder,
) -> Checked<Vec<[Arc<LinkKind>; 2]>> {
    let count = bottlenecks.len();
    if count == 0 {
        return Err(Problem::new("topology.bottlenecks", "is empty; give at least one link"));
    }
    if hops.is_some_and(|hops| hops != count) {
        return Err(Problem::new(
            "topology.hops",
            format!("there are {count} bottlenecks; write {count} or leave it out"),
        ));
    }
    let link = |(id, link): (usize, &Table<Link>)| {
        link::of_chain(&format!("topology.bottlenecks.{id}"), link, None, product::NONE, folder)
    };
    bottlenecks.iter().enumerate().map(link).collect()
}

fn chain(
    hops: &[[Arc<LinkKind>; 2]],
    topology: &Topology,
    routes: &[Route<'_>],
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<Network> {
    let access = topology.access.as_deref().ok_or_else(|| Problem::missing("topology.access"))?;
    let access = access_link("topology.access", access, folder)?;
    watch.check_memory((routes.len() * (hops.len() + 2) * size_of::<[LinkId; 2]>()) as u64)?;
    let mut network = Network::default();
    let routers: Vec<NodeId> = (1..=hops.len() + 1).map(|number| network.add_node(format!("r{number}"))).collect();
    let row: Vec<LinkId> =
        hops.iter().zip(routers.windows(2)).map(|(link, ends)| network.connect(ends[0], ends[1], link)).collect();
    for route in routes {
        watch.step()?;
        let own = route.access.map(|own| access_link(&child(&route.key, "access"), own, folder)).transpose()?;
        let access = own.as_ref().unwrap_or(&access);
        let (enter, leave) = ends(route, routers.len())?;
        let [sender, receiver] = &route.hosts;
        let up = {
            let sender = network.add_node(sender);
            network.connect(sender, routers[enter], access)
        };
        let down = {
            let receiver = network.add_node(receiver);
            network.connect(routers[leave], receiver, access)
        };
        let between = along(&row, enter, leave);
        let mut path = Vec::with_capacity(between.len() + 2);
        path.push(up);
        path.extend(between);
        path.push(down);
        network.paths.push(path);
    }
    Ok(network)
}

/// A host's link. Its interface makes the sender wait instead of dropping, unless the file sets a queue.
fn access_link(key: &str, access: &Link, folder: &dyn Folder) -> Checked<[Arc<LinkKind>; 2]> {
    link::of_chain(key, access, Some(QueueLimit::Unlimited), product::NONE, folder)
}

/// Returns the links of the row from one router to another, in either direction.
fn along(row: &[LinkId], enter: usize, leave: usize) -> Vec<LinkId> {
    match enter < leave {
        true => row[enter..leave].to_vec(),
        false => row[leave..enter].iter().rev().map(|link| opposite(*link)).collect(),
    }
}

/// Returns the indices of the routers at which a flow enters and leaves the row.
fn ends(route: &Route<'_>, routers: usize) -> Checked<(usize, usize)> {
    let key_leave = child(&route.key, "leave");
    let enter = router(&child(&route.key, "enter"), route.enter, routers)?.unwrap_or(0);
    let leave = router(&key_leave, route.leave, routers)?.unwrap_or(routers - 1);
    if enter == leave {
        let message = format!("r{} is also where the flow enters; name another of r1 to r{routers}", leave + 1);
        return Err(Problem::new(key_leave, message));
    }
    Ok(if route.is_backward() { (leave, enter) } else { (enter, leave) })
}

fn router(key: &str, name: Option<&Field<Name>>, routers: usize) -> Checked<Option<usize>> {
    let Some(Field(Name(name))) = name else { return Ok(None) };
    match (0..routers).find(|index| *name == format!("r{}", index + 1)) {
        Some(index) => Ok(Some(index)),
        None => Err(Problem::new(key, format!("\"{name}\" is no router; expected one of r1 to r{routers}"))),
    }
}
