//! Which congestion control a server uses for a connection: the client names it in the connection id that it chooses for
//! its first packet (RFC 9000, section 7.2: any of 8 to 20 bytes, unpredictable), so that the server knows it before it
//! sends anything. Eight bytes are drawn, the name follows.

use std::path::Path;
use std::sync::Arc;

use quinn::congestion::{BbrConfig, CubicConfig, NewRenoConfig};
use quinn::{ConnectionId, TransportConfig, VarInt};
use vegas_quic::VegasQuic;

use crate::numbers::{self, Number};
use crate::trace::Trace;
use crate::{Fallible, PathOptions, qlog};

const DRAWN_BYTES: usize = 8;
const NAME_BYTES_MAX: usize = 20 - DRAWN_BYTES;
/// quinn's own, to compare with.
const QUINN: [&str; 3] = ["quinn-cubic", "quinn-reno", "quinn-bbr"];
/// Before the first loss `dynamic` aims at a threshold: the window of 64 kB that receivers had in its paper's time.
const DYNAMIC_SSTHRESH_SEGMENTS: u32 = 45;

/// The connection id that asks for an algorithm.
pub(crate) fn ask(name: &str) -> Fallible<ConnectionId> {
    configure(name, &[], None, &mut TransportConfig::default())?;
    let mut bytes = [0; DRAWN_BYTES].to_vec();
    rustls::crypto::ring::default_provider().secure_random.fill(&mut bytes).map_err(|_| "no randomness to be had")?;
    bytes.extend_from_slice(name.as_bytes());
    Ok(ConnectionId::new(&bytes))
}

/// The name in a connection id.
pub(crate) fn asked(id: &ConnectionId) -> Option<&str> {
    std::str::from_utf8(id.get(DRAWN_BYTES..)?).ok()
}

/// What a transport is to do beside sending.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) numbers: &'a [Number],
    pub(crate) path: PathOptions,
    /// Printed under this number of the connection.
    pub(crate) trace: Option<u64>,
    pub(crate) qlog: Option<(qlog::Side, &'a Path)>,
}

/// A transport with the algorithm of this name; no flow control in the way of a transfer.
pub(crate) fn transport(name: &str, wanted: Wanted<'_>) -> Fallible<TransportConfig> {
    let mut transport = TransportConfig::default();
    let window = 1_u32 << 28;
    transport.stream_receive_window(window.into()).receive_window(VarInt::MAX).send_window(u64::from(window));
    configure(name, wanted.numbers, wanted.trace.map(Trace::new), &mut transport)?;
    if let Some(size) = wanted.path.udp_payload {
        transport.initial_mtu(size).mtu_discovery_config(None);
    }
    if let Some((side, path)) = wanted.qlog {
        transport.qlog_stream(qlog::create(path, side, &format!("vegaslab {name}"))?);
    }
    Ok(transport)
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
    let mut algorithm = VegasQuic::preset(name).map_err(|_| unknown(name))?;
    if name == "dynamic" {
        algorithm = algorithm.ssthresh(DYNAMIC_SSTHRESH_SEGMENTS);
    }
    let algorithm = numbers::with(algorithm, numbers);
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
            assert_ne!(ask(name).unwrap(), id, "drawn anew each time");
            transport(name, Wanted::default()).unwrap();
        }
        assert_eq!(asked(&ConnectionId::new(b"1234567")), None);
        assert!(ask("rovegas").unwrap_err().to_string().contains("host: quic"));
        assert!(ask("tahoe").unwrap_err().to_string().contains("there are reno, "));
        assert!(ask("a-name-that-is-much-too-long").is_err());
    }
}
