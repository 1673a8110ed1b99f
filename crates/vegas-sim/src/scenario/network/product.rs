//! The bandwidth-delay product of a dumbbell, in which the queue of its bottleneck may be given.

use vegas_core::units::{Bytes, Span};

use crate::scenario::document::{Link, LinkDelay, LinkRate};

/// A bandwidth-delay product; for a link that has none the reason, as the middle of a line.
pub(super) type Product = Result<Bytes, &'static str>;

/// Of a link that is not the only one which flows share.
pub(super) const NONE: Product = Err("which only the bottleneck of a dumbbell has");

/// Returns rate times base RTT of the path over the bottleneck and the topology's access links: the propagation delays
/// of all links, both ways.
pub(super) fn of_dumbbell(bottleneck: &Link, access: &Link) -> Product {
    let rate = match &bottleneck.rate.0 {
        LinkRate::Constant(rate) => rate.as_bits_per_second(),
        LinkRate::Trace(_) => return Err("which a link with a trace of rates does not have"),
    };
    let nanos = u128::from(both_ways(bottleneck)?.as_nanos()) + 2 * u128::from(both_ways(access)?.as_nanos());
    let bytes = u128::from(rate) * nanos / 8_000_000_000;
    Ok(Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX)))
}

/// Returns the link's propagation delay forward and backward.
fn both_ways(link: &Link) -> Result<Span, &'static str> {
    let backward = link.backward.as_ref().and_then(|backward| backward.delay.as_ref());
    Ok(constant(&link.delay.0)? + constant(&backward.unwrap_or(&link.delay).0)?)
}

fn constant(delay: &LinkDelay) -> Result<Span, &'static str> {
    match delay {
        LinkDelay::Constant(delay) => Ok(*delay),
        LinkDelay::Trace(_) => Err("which a path with a trace of delays does not have"),
    }
}
