//! The application's calls of a simulated host.

use vegas_core::units::{Span, Time};

use super::SimulatedHost;
use super::connection::{Connection, State};
use super::end;
use super::sockets::Socket;
use crate::host::Reply;
use crate::script::{Call, Expression, Returned};

/// The most bytes of one write.
const WRITE_BYTES_MAX: u64 = 1 << 30;

/// A call that waits.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    Accept(Call),
    Connect(i64),
    Read(Call),
    /// A poll, and when it ends without an event.
    Poll(Call, Time),
}

impl SimulatedHost {
    /// Carries out a call.
    pub(super) fn carry_out(&mut self, now: Time, call: &Call) -> Reply {
        self.waiting = None;
        let name = call.name.as_str();
        match name {
            "socket" => return self.open(call),
            "poll" => return self.poll(now, call, None),
            _ => {}
        }
        let Some(fd) = number(call, 0).filter(|fd| self.sockets.contains_key(fd)) else { return Reply::error("EBADF") };
        match name {
            "bind" => Reply::value(0),
            "listen" => {
                self.socket(fd).listens = true;
                self.expects_peer = true;
                Reply::value(0)
            }
            "accept" => self.accept(fd, call),
            "connect" => self.connect(now, fd),
            "read" | "recv" | "recvfrom" => self.read(fd, call),
            "write" | "send" | "sendto" | "sendmsg" => self.write(now, fd, call),
            "close" => self.close(now, fd),
            "shutdown" => self.shut_down(now, fd, call),
            "setsockopt" => self.set_option(fd, call),
            "getsockopt" => self.option(fd, call),
            "fcntl" => self.control(fd, call),
            _ => self.readable(fd),
        }
    }

    /// Tries a call that waits again.
    pub(super) fn try_again(&mut self, now: Time) -> Option<Reply> {
        let reply = match self.waiting.take()? {
            Waiting::Accept(call) => self.accept(number(&call, 0)?, &call),
            Waiting::Read(call) => self.read(number(&call, 0)?, &call),
            Waiting::Connect(fd) => self.connect(now, fd),
            Waiting::Poll(call, until) => self.poll(now, &call, Some(until)),
        };
        (reply != Reply::Waits).then_some(reply)
    }

    fn socket(&mut self, fd: i64) -> &mut Socket {
        self.sockets.entry(fd).or_default()
    }

    fn connection(&mut self, fd: i64) -> Option<&mut Connection> {
        let index = self.sockets.get(&fd)?.connection?;
        self.connections.get_mut(index)
    }

    /// Opens a socket. Its number is the script's.
    fn open(&mut self, call: &Call) -> Reply {
        let is_nonblocking = call.arguments.iter().any(|argument| has_bit(argument, "SOCK_NONBLOCK"));
        let fd = call.returns.value;
        self.sockets.insert(fd, Socket { is_nonblocking, ..Socket::default() });
        Reply::value(fd)
    }

    fn waits(&mut self, fd: i64, waiting: Waiting) -> Reply {
        if self.socket(fd).is_nonblocking {
            return Reply::error("EAGAIN");
        }
        self.waiting = Some(waiting);
        Reply::Waits
    }

    fn accept(&mut self, fd: i64, call: &Call) -> Reply {
        let ready = self.queue.iter().position(|index| self.connections[*index].is_open());
        let Some(at) = ready else { return self.waits(fd, Waiting::Accept(call.clone())) };
        let connection = Some(self.queue.remove(at));
        let options = self.socket(fd).options.clone();
        let accepted = call.returns.value;
        self.sockets.insert(accepted, Socket { connection, options, ..Socket::default() });
        Reply::value(accepted)
    }

    fn connect(&mut self, now: Time, fd: i64) -> Reply {
        let is_nonblocking = self.socket(fd).is_nonblocking;
        match self.connection(fd) {
            None => {
                let options = self.socket(fd).options.clone();
                self.connections.push(Connection::connect(now, &self.settings, &options));
                self.socket(fd).connection = Some(self.connections.len() - 1);
                if is_nonblocking {
                    return Reply::error("EINPROGRESS");
                }
            }
            Some(connection) => {
                if let Some(error) = connection.take_error() {
                    return Reply::error(error);
                }
                if connection.is_open() {
                    return Reply::value(0);
                }
                if is_nonblocking {
                    return Reply::error("EALREADY");
                }
            }
        }
        self.waits(fd, Waiting::Connect(fd))
    }

    fn read(&mut self, fd: i64, call: &Call) -> Reply {
        let reads_no_more = self.socket(fd).reads_no_more;
        let Some(connection) = self.connection(fd) else { return Reply::error("ENOTCONN") };
        if is_null(call) {
            return Reply::error("EFAULT");
        }
        if let Some(error) = connection.take_error() {
            return Reply::error(error);
        }
        let wanted = number(call, 2).unwrap_or(0).max(0) as u64;
        if connection.readable() > 0 {
            return Reply::value(connection.read(wanted) as i64);
        }
        match connection.is_at_end() || reads_no_more {
            true => Reply::value(0),
            false => self.waits(fd, Waiting::Read(call.clone())),
        }
    }

    fn write(&mut self, now: Time, fd: i64, call: &Call) -> Reply {
        let Some(connection) = self.connection(fd) else { return Reply::error("EPIPE") };
        if is_null(call) {
            return Reply::error("EFAULT");
        }
        if connection.state() == State::SynSent {
            return Reply::error("EAGAIN");
        }
        let bytes = match call.name.as_str() {
            "sendmsg" => call.arguments.get(1).map_or(0, bytes_of_message),
            _ => number(call, 2).unwrap_or(0).max(0) as u64,
        };
        let ends = call.arguments.iter().any(|argument| has_bit(argument, "MSG_EOR"));
        if bytes > WRITE_BYTES_MAX {
            return Reply::error("ENOMEM");
        }
        match connection.write(now, bytes, ends) {
            Ok(bytes) => Reply::value(bytes as i64),
            Err(error) => Reply::error(error),
        }
    }

    fn close(&mut self, now: Time, fd: i64) -> Reply {
        if let Some(connection) = self.connection(fd) {
            connection.close(now);
        }
        self.sockets.remove(&fd);
        Reply::value(0)
    }

    /// When a call that waits ends by itself.
    pub(super) fn call_due(&self) -> Option<Time> {
        match &self.waiting {
            Some(Waiting::Poll(_, until)) => Some(*until).filter(|until| *until != Time::NEVER),
            _ => None,
        }
    }

    /// Polls one socket, at most until `until`; at first for the time that is an argument, in ms.
    fn poll(&mut self, now: Time, call: &Call, until: Option<Time>) -> Reply {
        let until = until.unwrap_or_else(|| match number(call, 2).map(u64::try_from) {
            Some(Ok(millis)) => now + Span::from_millis(millis),
            _ => Time::NEVER,
        });
        let Some(Expression::List(polled)) = call.arguments.first() else { return Reply::error("EFAULT") };
        let [Expression::Fields(fields)] = &polled[..] else { return Reply::error("EINVAL") };
        let field =
            |name: &str| fields.iter().find(|(known, _)| known.as_deref() == Some(name)).map(|(_, value)| value);
        let Some(connection) = field("fd").and_then(pointed_number).and_then(|fd| self.connection(fd)) else {
            return Reply::error("EBADF");
        };
        let ready =
            [("POLLIN", connection.readable() > 0 || connection.is_at_end()), ("POLLOUT", connection.is_open())];
        let is_asked = |name: &str| field("events").is_some_and(|events| has_bit(events, name));
        let ready: Vec<Expression> = ready
            .into_iter()
            .filter(|(name, is_ready)| *is_ready && is_asked(name))
            .map(|(name, _)| Expression::Name(name.to_owned()))
            .collect();
        if ready.is_empty() {
            if now >= until {
                return Reply::value(0);
            }
            self.waiting = Some(Waiting::Poll(call.clone(), until));
            return Reply::Waits;
        }
        let events = if ready.len() == 1 { ready[0].clone() } else { Expression::Or(ready) };
        let fields = fields.iter().map(|(name, value)| match name.as_deref() {
            Some("revents") => (name.clone(), events.clone()),
            _ => (name.clone(), value.clone()),
        });
        let written = vec![(0, Expression::List(vec![Expression::Fields(fields.collect())]))];
        Reply::Done { returned: Returned { value: 1, error: None }, written }
    }

    fn shut_down(&mut self, now: Time, fd: i64, call: &Call) -> Reply {
        let how = call.arguments.get(1).map(Expression::to_string).unwrap_or_default();
        let (reads, writes) = (how != "SHUT_WR", how != "SHUT_RD");
        self.socket(fd).reads_no_more |= reads;
        let Some(connection) = self.connection(fd) else { return Reply::error("ENOTCONN") };
        if writes {
            connection.shut_down(now);
        }
        Reply::value(0)
    }

    fn set_option(&mut self, fd: i64, call: &Call) -> Reply {
        let name = call.arguments.get(2).map(Expression::to_string).unwrap_or_default();
        let value = call.arguments.get(3).and_then(pointed_number);
        let count = value.and_then(|value| u64::try_from(value).ok());
        let options = &mut self.socket(fd).options;
        match name.as_str() {
            "TCP_MAXSEG" => options.segment = count,
            "SO_RCVBUF" => options.receive_buffer = count.map(|bytes| 2 * bytes),
            "SO_SNDBUF" => options.send_buffer = count.map(|bytes| 2 * bytes),
            "TCP_NOTSENT_LOWAT" => options.low_watermark = count.unwrap_or(0),
            "TCP_CONGESTION" => match call.arguments.get(3) {
                Some(Expression::Text(name)) if end::refusal(&self.settings, name).is_none() => {
                    self.socket(fd).options.congestion_control = Some(name.clone());
                }
                _ => return Reply::error("ENOENT"),
            },
            _ => {}
        }
        Reply::value(0)
    }

    fn option(&mut self, fd: i64, call: &Call) -> Reply {
        let name = call.arguments.get(2).map(Expression::to_string).unwrap_or_default();
        let options = self.socket(fd).options.clone();
        let value = match name.as_str() {
            "TCP_MAXSEG" => match self.connection(fd) {
                Some(connection) => Some(connection.payload()),
                None => options.segment,
            },
            "SO_RCVBUF" => options.receive_buffer,
            "SO_SNDBUF" => options.send_buffer,
            "TCP_NOTSENT_LOWAT" => Some(options.low_watermark),
            "SO_ERROR" => Some(0),
            _ => None,
        };
        let written = value.map(|value| (3, Expression::List(vec![Expression::Number(value as i64)])));
        Reply::Done { returned: Returned { value: 0, error: None }, written: written.into_iter().collect() }
    }

    fn control(&mut self, fd: i64, call: &Call) -> Reply {
        const READ_AND_WRITE: i64 = 0x2;
        match call.arguments.get(1) {
            Some(Expression::Name(name)) if name == "F_SETFL" => {
                let is_nonblocking = call.arguments.iter().any(|argument| has_bit(argument, "O_NONBLOCK"));
                self.socket(fd).is_nonblocking = is_nonblocking;
                Reply::value(0)
            }
            _ => Reply::value(READ_AND_WRITE),
        }
    }

    /// Says how many bytes can be read; a FIN behind them is none (`SIOCINQ`).
    fn readable(&mut self, fd: i64) -> Reply {
        let Some(connection) = self.connection(fd) else { return Reply::error("EINVAL") };
        let bytes = Expression::Number(connection.readable() as i64);
        let written = vec![(2, Expression::List(vec![bytes]))];
        Reply::Done { returned: Returned { value: 0, error: None }, written }
    }
}

/// The number that is an argument of a call.
fn number(call: &Call, at: usize) -> Option<i64> {
    match call.arguments.get(at) {
        Some(Expression::Number(number)) => Some(*number),
        _ => None,
    }
}

/// The number to which an argument points.
fn pointed_number(argument: &Expression) -> Option<i64> {
    match argument {
        Expression::Number(number) => Some(*number),
        Expression::List(items) => items.first().and_then(pointed_number),
        _ => None,
    }
}

/// Returns whether a bit is among those of an argument.
fn has_bit(argument: &Expression, bit: &str) -> bool {
    match argument {
        Expression::Name(name) => name == bit,
        Expression::Or(items) => items.iter().any(|item| has_bit(item, bit)),
        _ => false,
    }
}

/// Returns whether a call's buffer is no memory.
fn is_null(call: &Call) -> bool {
    call.arguments.get(1).is_some_and(|argument| has_bit(argument, "NULL"))
}

/// The bytes of a message's parts.
fn bytes_of_message(message: &Expression) -> u64 {
    let Expression::Fields(fields) = message else { return 0 };
    let parts = fields.iter().find(|(name, _)| name.as_deref() == Some("msg_iov"));
    let Some((_, Expression::List(parts))) = parts else { return 0 };
    let bytes = |part: &Expression| match part {
        Expression::Fields(fields) => {
            fields.last().and_then(|(_, bytes)| pointed_number(bytes)).unwrap_or(0).max(0) as u64
        }
        _ => 0,
    };
    parts.iter().map(bytes).sum()
}
