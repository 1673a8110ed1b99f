//! The choice of a connection's congestion control. The client names it in the connection id that it chooses for its
//! first packet (RFC 9000, section 7.2: any of 8 to 20 bytes, unpredictable), so that the server knows it before it
//! sends anything. Eight bytes are random, the name follows.

use std::path::Path;
use std::sync::Arc;

use quinn::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use quinn::{ConnectionId, TransportConfig};
use vegas_quic::VegasQuic;

use crate::numbers::{self, Number};
use crate::qlog::{self, Side};
use crate::trace::Trace;
use crate::{Fallible, PathOptions};

/// The most bytes sent and not yet acknowledged, or received and not yet read: 10 Gb/s times 200 ms.
const TRANSFER_WINDOW_BYTES: u32 = 1 << 28;
/// The most bytes of a request that the server keeps.
const REQUEST_WINDOW_BYTES: u32 = 1 << 10;
const DRAWN_BYTES: usize = 8;
const NAME_BYTES_MAX: usize = 20 - DRAWN_BYTES;
/// quinn's own algorithms, for comparison.
const QUINN: [&str; 3] = ["quinn-cubic", "quinn-reno", "quinn-bbr"];

/// Makes the connection id that asks for an algorithm.
pub(crate) fn ask(name: &str) -> Fallible<ConnectionId> {
    configure(name, &[], None, &mut TransportConfig::default())?;
    let mut bytes = [0; DRAWN_BYTES].to_vec();
    rustls::crypto::ring::default_provider().secure_random.fill(&mut bytes).map_err(|_| "no randomness to be had")?;
    bytes.extend_from_slice(name.as_bytes());
    Ok(ConnectionId::new(&bytes))
}

/// Returns the name in a connection id.
pub(crate) fn asked(id: &ConnectionId) -> Option<&str> {
    std::str::from_utf8(id.get(DRAWN_BYTES..)?).ok()
}

/// The options of a transport besides its algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) numbers: &'a [Number],
    pub(crate) path: PathOptions,
    /// The connection's number in the printed trace; `None` prints no trace.
    pub(crate) trace: Option<u64>,
    pub(crate) qlog: Option<&'a Path>,
}

/// Makes a transport for this end of a connection, with the algorithm of this name.
pub(crate) fn transport(side: Side, name: &str, wanted: Wanted<'_>) -> Fallible<TransportConfig> {
    let mut transport = TransportConfig::default();
    limit_flows(side, &mut transport);
    configure(name, wanted.numbers, wanted.trace.map(Trace::new), &mut transport)?;
    if let Some(size) = wanted.path.udp_payload {
        transport.initial_mtu(size).mtu_discovery_config(None);
    }
    if let Some(path) = wanted.qlog {
        transport.qlog_stream(qlog::create(path, side, &format!("vegaslab {name}"))?);
    }
    Ok(transport)
}

/// Sets flow control: it never limits a transfer, and there is no room for anything else. A client sends a request, a
/// server the bytes and its report.
fn limit_flows(side: Side, transport: &mut TransportConfig) {
    let (streams, uni_streams, unread_bytes) = match side {
        Side::Client => (0_u32, 1_u32, TRANSFER_WINDOW_BYTES),
        Side::Server => (1, 0, REQUEST_WINDOW_BYTES),
    };
    transport
        .max_concurrent_bidi_streams(streams.into())
        .max_concurrent_uni_streams(uni_streams.into())
        .stream_receive_window(unread_bytes.into())
        .receive_window(unread_bytes.into())
        .send_window(TRANSFER_WINDOW_BYTES.into())
        .datagram_receive_buffer_size(None);
}

fn configure(name: &str, numbers: &[Number], trace: Option<Trace>, transport: &mut TransportConfig) -> Fallible<()> {
    match name {
        _ if QUINN.contains(&name) && !(numbers.is_empty() && trace.is_none()) => {
            return Err(format!("{name}: is quinn's own; it takes neither --set nor --trace").into());
        }
        "quinn-cubic" => transport.congestion_controller_factory(Arc::new(CubicConfig::default())),
        "quinn-reno" => transport.congestion_controller_factory(Arc::new(NewRenoConfig::default())),
        "quinn-bbr" => transport.congestion_controller_factory(Arc::new(BbrConfig::default())),
        _ if name.len() > NAME_BYTES_MAX => return Err(unknown(name).into()),
        _ => return configure_ours(name, numbers, trace, transport),
    };
    Ok(())
}

fn configure_ours(
    name: &str,
    numbers: &[Number],
    trace: Option<Trace>,
    transport: &mut TransportConfig,
) -> Fallible<()> {
    let algorithm = numbers::with(VegasQuic::preset(name).map_err(|_| unknown(name))?, numbers);
    let refused = |refusal| format!("{name}: {refusal}");
    algorithm.install(transport).map_err(refused)?;
    if let Some(trace) = trace {
        transport.congestion_controller_factory(algorithm.build().map_err(refused)?.observed(Arc::new(trace)));
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = VegasQuic::presets().chain(QUINN).collect();
    format!("no algorithm is called {name:?}; there are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_fits_and_comes_back() {
        for name in VegasQuic::presets().chain(QUINN) {
            let id = ask(name).unwrap();
            assert_eq!(asked(&id), Some(name));
            assert_ne!(ask(name).unwrap(), id, "drawn again each time");
            transport(Side::Server, name, Wanted::default()).unwrap();
        }
        assert_eq!(asked(&ConnectionId::new(b"1234567")), None);
        assert!(ask("rovegas").unwrap_err().to_string().contains("host: quic"));
        assert!(ask("tahoe").unwrap_err().to_string().contains("there are reno, "));
        assert!(ask("a-name-that-is-much-too-long").is_err());
    }
}
