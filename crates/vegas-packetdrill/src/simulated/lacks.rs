//! What scripts may need that the simulated hosts do not model, by the name under which it is reported.

use crate::script::{Action, Call, Expression};
use crate::segment::{Flags, Segment, TcpOption};

/// Names of arguments, with what they stand for.
const ARGUMENTS: [(&str, &str); 20] = [
    ("TCP_FASTOPEN", "fast open"),
    ("TCP_FASTOPEN_CONNECT", "fast open"),
    ("TCP_FASTOPEN_KEY", "fast open"),
    ("TCP_FASTOPEN_NO_COOKIE", "fast open"),
    ("MSG_FASTOPEN", "fast open"),
    ("SO_ZEROCOPY", "sending without a copy"),
    ("MSG_ZEROCOPY", "sending without a copy"),
    ("MSG_ERRQUEUE", "the queue of errors"),
    ("SO_TIMESTAMPING", "time stamps of the application's data"),
    ("TCP_MD5SIG", "TCP MD5"),
    ("TCP_CORK", "corked writes"),
    ("MSG_MORE", "corked writes"),
    ("TCP_INQ", "the queue's length beside data"),
    ("TCP_USER_TIMEOUT", "the user's timeout"),
    ("TCP_SYNCNT", "retries of one socket's SYN"),
    ("SO_KEEPALIVE", "keepalive"),
    ("SO_MARK", "marks of sockets"),
    ("SO_LINGER", "lingering"),
    ("IPPROTO_UDP", "UDP"),
    ("SO_RCVLOWAT", "the application's low watermark"),
];

/// The socket options that a host takes.
pub(super) const SOCKET_OPTIONS: [&str; 16] = [
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_ERROR",
    "SO_PRIORITY",
    "TCP_NODELAY",
    "TCP_MAXSEG",
    "TCP_CONGESTION",
    "TCP_NOTSENT_LOWAT",
    "TCP_QUICKACK",
    "IP_TOS",
    "IP_MTU_DISCOVER",
    "IP_FREEBIND",
    "IPV6_V6ONLY",
    "TCP_DEFER_ACCEPT",
];

/// The system calls that a host carries out.
const CALLS: [&str; 19] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "connect",
    "read",
    "recv",
    "recvfrom",
    "write",
    "send",
    "sendto",
    "sendmsg",
    "close",
    "shutdown",
    "setsockopt",
    "getsockopt",
    "fcntl",
    "ioctl",
    "poll",
];

/// Says what a host lacks for an action.
pub(super) fn of_action(action: &Action) -> Option<String> {
    match action {
        Action::Arrives(segment) => of_segment(segment),
        Action::Sends(segment) => of_segment(segment)
            .or_else(|| segment.window.is_some().then(|| "the receive window that a host advertises".to_owned())),
        Action::Calls(call) => of_call(call),
        Action::Shell(_) | Action::Code(_) | Action::OtherPacket(_) => None,
    }
}

fn of_segment(segment: &Segment) -> Option<String> {
    const BLOCKS_MAX: usize = 3;
    let of_option = |option: &TcpOption| match option {
        TcpOption::Other("FO" | "FOEXP", _) => Some("fast open"),
        TcpOption::Other("md5", _) => Some("TCP MD5"),
        TcpOption::Sack(blocks) if blocks.len() > BLOCKS_MAX => Some("more than three blocks of SACK"),
        _ => None,
    };
    let lacks = segment.meaningful_options().find_map(of_option).or_else(|| {
        let of_flags = [
            (segment.flags.has(Flags::URG), "urgent data"),
            (segment.flags.has(Flags::SYN) && segment.length > 0, "data in a SYN"),
        ];
        of_flags.into_iter().find(|(has, _)| *has).map(|(_, name)| name)
    });
    lacks.map(str::to_owned)
}

fn of_call(call: &Call) -> Option<String> {
    if !CALLS.contains(&call.name.as_str()) {
        return Some(format!("the call {}", call.name));
    }
    let mut names = Vec::new();
    call.arguments.iter().for_each(|argument| collect(argument, &mut names));
    let known = names.iter().find_map(|name| ARGUMENTS.iter().find(|(known, _)| known == name));
    if let Some((_, thing)) = known {
        return Some((*thing).to_owned());
    }
    match (call.name.as_str(), call.arguments.get(2)) {
        ("setsockopt" | "getsockopt", Some(Expression::Name(name))) if !SOCKET_OPTIONS.contains(&name.as_str()) => {
            Some(format!("the socket option {name}"))
        }
        ("ioctl", _) if names.contains(&"SIOCINQ") => None,
        ("ioctl", _) => Some(format!("the call ioctl with {}", names.join(" "))),
        _ => None,
    }
}

/// Collects the names in an argument.
fn collect<'a>(expression: &'a Expression, names: &mut Vec<&'a str>) {
    match expression {
        Expression::Name(name) => names.push(name),
        Expression::List(items) | Expression::Or(items) | Expression::Function(_, items) => {
            items.iter().for_each(|item| collect(item, names));
        }
        Expression::Fields(fields) => fields.iter().for_each(|(_, value)| collect(value, names)),
        Expression::Number(_) | Expression::Text(_) | Expression::Any => {}
    }
}
