//! An algorithm of one's own parts and numbers, and an observer of what it does; client and server in one process:
//!
//!     cargo run --release -p vegas-quic --example custom -- 100000000

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use quinn::TransportConfig;
use vegas_quic::vegas_core::units::Segments;
use vegas_quic::vegas_core::{Composition, Parameters, SlowStart, registry};
use vegas_quic::{Event, Observer, VegasController, VegasQuic};

#[path = "transfer/fetching.rs"]
mod fetching;
#[path = "transfer/serving.rs"]
mod serving;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let bytes = std::env::args().nth(1).ok_or("argument: BYTES")?.parse()?;
    let (received, seen) = transfer(bytes).await?;
    println!("{received} bytes; {seen:?}");
    Ok(())
}

/// Vegas with Gallop's slow start, which ends at a backlog of three packets.
fn mine() -> Fallible<VegasQuic> {
    let vegas = registry::preset("vegas").ok_or("no preset")?;
    // what QUIC does itself is left to it
    let composition = Composition { slow_start: SlowStart::GallopJoining, ..vegas.composition.left_to_quic() };
    let parameters = Parameters { gamma: Segments(3), ..vegas.parameters.left_to_quic() };
    Ok(VegasQuic::new(composition, parameters))
}

/// What the observer has seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    acked_bytes: u64,
    lost_bytes: u64,
    largest_window: u32,
}

/// Counts on all paths of all connections.
#[derive(Debug, Default)]
struct Counting(Mutex<Seen>);

impl Counting {
    fn seen(&self) -> Seen {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Counting {
    fn on_event(&self, _now: Instant, event: Event, controller: &VegasController) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Acked { bytes, .. } => seen.acked_bytes += bytes,
            Event::Congested { bytes, .. } => seen.lost_bytes += bytes,
            // versions to come may report more
            _ => {}
        }
        seen.largest_window = seen.largest_window.max(controller.status().window.floor().0);
    }
}

/// Sends this many bytes over loopback: how many arrived, and what the observer saw.
async fn transfer(bytes: usize) -> Fallible<(usize, Seen)> {
    let observer = Arc::new(Counting::default());
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(mine()?.build()?.observed(observer.clone()));
    let (endpoint, certificate) = serving::open((Ipv4Addr::LOCALHOST, 0).into(), transport)?;
    let server = endpoint.local_addr()?;
    let sending = tokio::spawn(async move {
        let incoming = endpoint.accept().await.ok_or("no connection")?;
        serving::send(incoming, bytes).await
    });
    let received = fetching::fetch(server, certificate).await?;
    sending.await??;
    Ok((received, observer.seen()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_byte_arrives_and_is_observed() {
        let (received, seen) = transfer(1_000_000).await.unwrap();
        assert_eq!(received, 1_000_000);
        // headers and handshake are more, and the last acknowledgements may come after the connection is closed
        assert!(seen.acked_bytes + seen.lost_bytes > 500_000, "{seen:?}");
        assert!(seen.largest_window > 10, "{seen:?}");
    }
}
