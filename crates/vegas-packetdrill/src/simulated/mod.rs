//! The simulator's hosts under test. The simulator has data and acknowledgements; `connection` frames them, `sockets`
//! has the application's calls, `settings` what scripts set, and `lacks` what none of these models.

mod calls;
mod connection;
mod end;
mod lacks;
mod settings;
mod sockets;
mod state;

use std::collections::BTreeMap;

use vegas_core::units::Time;
pub use vegas_sim::scenario::HostKind;

use crate::host::{Host, Reply};
use crate::script::{Action, Call};
use crate::segment::{Flags, Segment};
use crate::shell::Setting;
use calls::Waiting;
use connection::{Connection, State};
use settings::Settings;
use sockets::Socket;

/// A host of the simulator, with the settings of Linux and its sockets. A script has one connection at a time under
/// test: the newest one.
#[derive(Debug, Default)]
pub struct SimulatedHost {
    settings: Settings,
    sockets: BTreeMap<i64, Socket>,
    connections: Vec<Connection>,
    /// Connections that were not accepted yet, by index.
    queue: Vec<usize>,
    waiting: Option<Waiting>,
    /// Whether a socket listens for which no peer has come yet.
    expects_peer: bool,
}

impl SimulatedHost {
    /// Creates a host of a kind, with the defaults of Linux for what scripts set.
    pub fn new(kind: HostKind) -> Self {
        SimulatedHost { settings: Settings { kind, ..Settings::default() }, ..SimulatedHost::default() }
    }

    fn newest(&self) -> Option<&Connection> {
        self.connections.last()
    }

    /// The socket that listens.
    fn listener(&self) -> Option<&Socket> {
        self.sockets.values().find(|socket| socket.listens)
    }
}

impl Host for SimulatedHost {
    fn lacks(&self, action: &Action) -> Option<String> {
        lacks::of_action(action)
    }

    fn knows(&self, name: &str) -> bool {
        state::knows(name)
    }

    fn lacks_setting(&self, setting: &Setting) -> Option<String> {
        match setting {
            Setting::Sysctl(name, value) if name == "net.ipv4.tcp_congestion_control" => {
                end::refusal(&self.settings, value)
            }
            _ => self.settings.lacks(setting),
        }
    }

    fn set(&mut self, setting: &Setting) {
        self.settings.set(setting);
        self.connections.iter_mut().for_each(|connection| connection.ecn.set_option_use(self.settings.ecn.option));
    }

    fn call(&mut self, now: Time, call: &Call) -> Reply {
        self.carry_out(now, call)
    }

    fn resume(&mut self, now: Time) -> Option<Reply> {
        self.try_again(now)
    }

    fn receive(&mut self, now: Time, segment: &Segment) {
        let is_new = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let expects_peer = self.expects_peer || self.newest().is_none_or(|newest| newest.state() == State::Closed);
        if let (true, true, Some(listener)) = (is_new, expects_peer, self.listener()) {
            let options = listener.options.clone();
            self.expects_peer = false;
            let connection = Connection::accept(now, &self.settings, &options, segment);
            self.queue.push(self.connections.len());
            self.connections.push(connection);
        } else if let Some(connection) = self.connections.last_mut() {
            connection.receive(now, segment);
        }
    }

    fn timer(&self) -> Option<Time> {
        [self.newest().and_then(Connection::timer), self.call_due()].into_iter().flatten().min()
    }

    fn on_timer(&mut self, now: Time) {
        if let Some(connection) = self.connections.last_mut() {
            connection.on_timer(now);
        }
    }

    fn transmit(&mut self, _now: Time) -> Option<Segment> {
        self.connections.last_mut().and_then(Connection::transmit)
    }

    fn value(&self, now: Time, name: &str) -> Option<i64> {
        state::value(self.newest(), now, name)
    }
}
