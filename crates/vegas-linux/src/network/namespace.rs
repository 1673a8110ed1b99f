//! Network namespaces without a name: they vanish with the process, however it ends, and two runs never share one.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::thread;

use netlink_packet_route::link::LinkAttribute;
use netlink_packet_route::route::RouteMetric;
use nix::sched::{CloneFlags, setns, unshare};
use vegas_core::units::Segments;
use vegas_sim::scenario::{FlowSpec, TcpOptions};

use crate::Error;
use crate::network::addresses::Prefix;
use crate::network::netlink::{self, WHOLE};
use crate::sys;

/// A network namespace with one TUN device, `path`.
pub(crate) struct Namespace {
    handle: File,
}

/// The name of the device in each namespace.
pub(crate) const DEVICE: &str = "path";
const OWN: &str = "/proc/thread-self/ns/net";

/// Settings that make the kernel's TCP measurable and stop it from learning from earlier connections (docs/linux.md).
const SETTINGS: [(&str, &str); 6] = [
    ("tcp_no_metrics_save", "1"),
    ("tcp_slow_start_after_idle", "0"),
    ("tcp_congestion_control", "reno"),
    // the routes of flows with ECN turn it on
    ("tcp_ecn", "0"),
    ("tcp_wmem", LARGE_BUFFERS),
    ("tcp_mtu_probing", "0"),
];

/// The least, default and greatest buffer, bytes, that never limit a window.
const LARGE_BUFFERS: &str = "4096 16777216 67108864";
/// Those of receivers by default (Documentation/networking/ip-sysctl.rst).
const TUNED_BUFFERS: &str = "4096 131072 6291456";

/// A packet at a time: a burst of several would look like a queue; routes bound the size of packets.
const PACKETS_ONE_BY_ONE: [LinkAttribute; 3] =
    [LinkAttribute::TxQueueLen(10_000), LinkAttribute::GsoMaxSegs(1), LinkAttribute::Mtu(65_535)];
/// The bit of RTAX_LOCK for RTAX_MTU.
const LOCKED_MTU: u32 = 1 << 2;
/// RTAX_FEATURE_ECN.
const FEATURE_ECN: u32 = 1;

impl Namespace {
    /// Creates a namespace with its device; returns both the namespace and the device's other end. Packets for `far` go
    /// into the device. Receivers tune their windows with `tuned_window`.
    pub(crate) fn new(far: Prefix, options: TcpOptions, tuned_window: bool) -> Result<(Self, File), Error> {
        in_thread(|| {
            let failed = |what, error| Error::new(format!("a network namespace: {what}"), error);
            unshare(CloneFlags::CLONE_NEWNET).map_err(|error| failed("unshare", error.into()))?;
            let handle = File::open(OWN).map_err(|error| failed(OWN, error))?;
            without_ipv6()?;
            let tun = sys::tun(DEVICE).map_err(|error| failed("/dev/net/tun", error))?;
            let on = |is_on: bool| if is_on { "1" } else { "0" };
            let of_hosts = [
                ("tcp_timestamps", on(options.timestamps)),
                ("tcp_sack", on(options.sack)),
                ("tcp_rmem", if tuned_window { TUNED_BUFFERS } else { LARGE_BUFFERS }),
            ];
            for (name, value) in SETTINGS.into_iter().chain(of_hosts) {
                let path = format!("/proc/sys/net/ipv4/{name}");
                fs::write(&path, value).map_err(|error| Error::new(&path, error))?;
            }
            netlink::set_up("lo", &[]).map_err(|error| failed("lo", error))?;
            netlink::set_up(DEVICE, &PACKETS_ONE_BY_ONE).map_err(|error| failed(DEVICE, error))?;
            netlink::add_route(DEVICE, far, None, Vec::new()).map_err(|error| failed("a route", error))?;
            Ok((Namespace { handle }, tun))
        })
    }

    /// Adds an address, and a route from it to the other end of a flow. Connections begin with `first_window`, if it is
    /// given.
    pub(crate) fn connect(
        &self,
        near: Ipv4Addr,
        far: Ipv4Addr,
        spec: &FlowSpec,
        first_window: Option<Segments>,
    ) -> Result<(), Error> {
        let mut metrics = vec![RouteMetric::Mtu(spec.packet.get() as u32), RouteMetric::Lock(LOCKED_MTU)];
        if spec.host.delayed_ack.is_none() {
            metrics.push(RouteMetric::QuickAck(1));
        }
        if spec.ecn {
            metrics.push(RouteMetric::Features(FEATURE_ECN));
        }
        metrics.extend(first_window.map(|Segments(segments)| RouteMetric::InitCwnd(segments)));
        self.within(|| {
            let added = netlink::add_address(DEVICE, near)
                .and_then(|()| netlink::add_route(DEVICE, (far, WHOLE), Some(near), metrics));
            added.map_err(|error| Error::new(format!("a route from {near} to {far}"), error))
        })
    }

    /// Runs `work` in a thread that is in the namespace; threads that `work` starts are in it too.
    pub(crate) fn within<T: Send>(&self, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        in_thread(|| {
            self.enter()?;
            work()
        })
    }

    /// Moves this thread into the namespace.
    pub(crate) fn enter(&self) -> Result<(), Error> {
        setns(&self.handle, CloneFlags::CLONE_NEWNET).map_err(|error| Error::new("entering a network namespace", error))
    }
}

/// Turns off IPv6, since its own packets (neighbours, multicast listeners) would go into the device. A kernel without
/// IPv6 has no such file.
fn without_ipv6() -> Result<(), Error> {
    const SETTING: &str = "/proc/sys/net/ipv6/conf/all/disable_ipv6";
    match fs::write(SETTING, "1") {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::new(SETTING, error)),
        _ => Ok(()),
    }
}

fn in_thread<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|_| Err(Error("a thread died".into())))
}
