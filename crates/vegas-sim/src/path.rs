//! A flow's way through the network in one direction, and the ways that it took before.

use crate::scenario::LinkId;

/// The routes of a flow, one behind the other, with an end mark after each: a packet's hop is a place in this list, so
/// that packets of an old route find their way to its end.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    links: Vec<LinkId>,
    /// Where the present route begins.
    first: u16,
}

const END: LinkId = LinkId::MAX;

impl Path {
    pub(crate) fn new(route: &[LinkId]) -> Self {
        let mut path = Path { links: Vec::new(), first: 0 };
        path.append(route);
        path
    }

    /// Takes another route for the packets that leave from now on.
    pub(crate) fn append(&mut self, route: &[LinkId]) {
        self.first = u16::try_from(self.links.len()).expect("validation bounds the routes");
        self.links.extend_from_slice(route);
        self.links.push(END);
    }

    /// The present route's first link, and its place.
    pub(crate) fn first(&self) -> (u16, LinkId) {
        (self.first, self.links[usize::from(self.first)])
    }

    /// The link at a place; none at the end of a route.
    pub(crate) fn link(&self, hop: u16) -> Option<LinkId> {
        let link = self.links[usize::from(hop)];
        (link != END).then_some(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_routes_lead_to_their_end() {
        let mut path = Path::new(&[7, 3]);
        assert_eq!((path.first(), path.link(1), path.link(2)), ((0, 7), Some(3), None));
        path.append(&[7, 4, 5]);
        assert_eq!(path.first(), (3, 7));
        assert_eq!([1, 2, 3, 4, 5, 6].map(|hop| path.link(hop)), [Some(3), None, Some(7), Some(4), Some(5), None]);
    }
}
