//! The flows' ends: real sockets in the two namespaces of a run.

use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::socket::{MsgFlags, recv, setsockopt, sockopt};
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use vegas_core::units::{Bytes, Time};
use vegas_sim::scenario::{UNSENT, WRITE_SEGMENTS};

use crate::Error;
use crate::clock::{Clock, pause};
use crate::network::addresses;
use crate::sys;

/// The sender of a flow, as the scenario describes it.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(crate) flow: usize,
    pub(crate) kernel_name: String,
    pub(crate) start: Time,
    /// The time at which the application stops writing data.
    pub(crate) stop: Time,
    pub(crate) size: Option<Bytes>,
    /// The payload of a full segment, bytes.
    pub(crate) payload: usize,
}

/// The interval between checks of the stop flag: long enough to cost nothing, short enough to stop soon.
const NAP_MS: u16 = 20;
const NAP: Duration = Duration::from_millis(NAP_MS as u64);
/// The size of send buffers: larger than any window here. It is forced, since the machine's own limit is lower.
const BUFFER_BYTES: usize = 32 << 20;
/// The largest size of a receive buffer (`__sock_set_rcvbuf`): with less the window stops growing within a run, and
/// the kernel then acknowledges every second segment only.
const RECEIVE_BUFFER_BYTES: usize = i32::MAX as usize / 2;

/// Opens a socket that listens for the flow's sender.
pub(crate) fn listen(flow: usize, tuned_window: bool) -> Result<TcpListener, Error> {
    let failed = |error: std::io::Error| Error::new(format!("the receiver of flow {flow}"), error);
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).map_err(failed)?;
    if !tuned_window {
        setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER_BYTES).map_err(|error| failed(error.into()))?;
        // reads come at intervals, and without this the kernel would leave acknowledgements to them as soon as its
        // window has grown to the buffer (__tcp_ack_snd_check)
        sys::receive_low_water(socket.as_fd(), RECEIVE_BUFFER_BYTES as i32 / 2).map_err(failed)?;
    }
    socket.bind(&SocketAddr::from(addresses::receiver(flow)).into()).map_err(failed)?;
    socket.listen(1).map_err(failed)?;
    socket.set_nonblocking(true).map_err(failed)?;
    Ok(socket.into())
}

/// When a receiver reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// At intervals: a reader that wakes for every packet would delay acknowledgements.
    AtIntervals,
    /// As data come. Unread data fill a buffer that the kernel tunes, and then it acknowledges nothing until they are
    /// read (__tcp_ack_snd_check): by intervals, some 16 segments at once.
    AsTheyCome,
}

/// Accepts the connection and reads it to its end; returns how many bytes came, in order.
pub(crate) fn receive(listener: &TcpListener, reads: Reads, stop: &AtomicBool) -> Result<u64, Error> {
    let failed = |error| Error::new("a receiver", error);
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                close_at_once(&stream).map_err(failed)?;
                return drain(&stream, reads, stop).map_err(failed);
            }
            Err(error) if is_wait(&error) => pause(Duration::from_millis(1)),
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(0)
}

/// Discards received data. What has come by the stop counts.
fn drain(stream: &TcpStream, reads: Reads, stop: &AtomicBool) -> std::io::Result<u64> {
    let mut room = vec![0; 1 << 20];
    let mut received = 0;
    loop {
        let stopped = stop.load(Ordering::Relaxed);
        // MSG_TRUNC discards the data without copying it
        match recv(stream.as_raw_fd(), &mut room, MsgFlags::MSG_TRUNC | MsgFlags::MSG_DONTWAIT) {
            Ok(0) => return Ok(received),
            Err(Errno::EAGAIN) if stopped => return Ok(received),
            Err(Errno::EAGAIN | Errno::EINTR) if reads == Reads::AtIntervals => pause(NAP),
            Err(Errno::EAGAIN | Errno::EINTR) => wait_for_data(stream),
            result => received += result? as u64,
        }
    }
}

/// Waits for data, at most for a nap: without an answer, the socket is read.
fn wait_for_data(stream: &TcpStream) {
    let _ = poll(&mut [PollFd::new(stream.as_fd(), PollFlags::POLLIN)], NAP_MS);
}

/// Connects at the flow's start and writes data until the flow's stop, its size or the end of the run. The connection
/// stays open until then: a kernel acknowledges a FIN that comes with data late (`tcp_fin`), and the receiver would
/// close the connection with its sender's last data unacknowledged.
pub(crate) fn send(sender: &Sender, clock: Clock, end: Time, stop: &AtomicBool) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::new(format!("the sender of flow {}", sender.flow), error);
    if !wait_until(sender.start, clock, stop) {
        return Ok(());
    }
    let mut socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).map_err(failed)?;
    close_at_once(&socket).map_err(failed)?;
    socket.set_tcp_congestion(sender.kernel_name.as_bytes()).map_err(failed)?;
    setsockopt(&socket, sockopt::SndBufForce, &BUFFER_BYTES).map_err(|error| failed(error.into()))?;
    socket.set_tcp_notsent_lowat(UNSENT.get() as u32).map_err(failed)?;
    socket.bind(&SocketAddr::from(addresses::sender(sender.flow)).into()).map_err(failed)?;
    if !connect(&socket, addresses::receiver(sender.flow).into(), clock, end, stop).map_err(failed)? {
        return Ok(());
    }
    give(&mut socket, sender, clock, stop).map_err(failed)?;
    wait_until(end, clock, stop);
    Ok(())
}

/// Lets a connection end with its socket, be it by kill -9: one that waits for its last acknowledgement would keep its
/// namespace, where no packet comes any more.
fn close_at_once<'a, T>(socket: &'a T) -> std::io::Result<()>
where
    SockRef<'a>: From<&'a T>,
{
    SockRef::from(socket).set_linger(Some(Duration::ZERO))
}

/// Connects; returns whether the handshake completed before the end of the run and before the stop.
fn connect(socket: &Socket, to: SocketAddr, clock: Clock, end: Time, stop: &AtomicBool) -> std::io::Result<bool> {
    socket.set_nonblocking(true)?;
    match socket.connect(&to.into()) {
        Err(error) if error.raw_os_error() != Some(Errno::EINPROGRESS as i32) => return Err(error),
        _ => {}
    }
    while clock.now() < end && !stop.load(Ordering::Relaxed) {
        let mut ready = [PollFd::new(socket.as_fd(), PollFlags::POLLOUT)];
        if poll(&mut ready, NAP_MS).is_ok_and(|count| count > 0) {
            return socket.take_error()?.map_or(Ok(true), Err);
        }
    }
    Ok(false)
}

/// Writes what the kernel takes, each time that it asks for more: when half of [`UNSENT`] has left.
fn give(socket: &mut Socket, sender: &Sender, clock: Clock, stop: &AtomicBool) -> std::io::Result<()> {
    let data = vec![0; sender.payload * WRITE_SEGMENTS as usize];
    let mut left = sender.size.map_or(u64::MAX, Bytes::get);
    let mut takes_data = true;
    while left > 0 && clock.now() < sender.stop && !stop.load(Ordering::Relaxed) {
        if !takes_data {
            let mut ready = [PollFd::new(socket.as_fd(), PollFlags::POLLOUT)];
            takes_data = poll(&mut ready, NAP_MS).is_ok_and(|count| count > 0);
            continue;
        }
        let length = data.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match socket.write(&data[..length]) {
            Ok(written) => left -= written as u64,
            Err(error) if !is_wait(&error) => return Err(error),
            Err(_) => takes_data = false,
        }
    }
    Ok(())
}

/// Waits until this time; returns whether it came before the stop.
pub(crate) fn wait_until(time: Time, clock: Clock, stop: &AtomicBool) -> bool {
    while !stop.load(Ordering::Relaxed) {
        let left = Duration::from_nanos(time.since(clock.now()).as_nanos());
        if left.is_zero() {
            return true;
        }
        pause(left.min(NAP));
    }
    false
}

fn is_wait(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
