//! The client: one transfer, timed from the first packet to the last byte.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::{ClientConfig, Connection, Endpoint, VarInt};
use serde_json::{Value, json};

use crate::{Fallible, Fetch, algorithm, tls};

const PROGRESS: Duration = Duration::from_secs(1);
/// Longer than any report.
const REPORT_BYTES_MAX: usize = 4096;

pub(crate) async fn fetch(arguments: Fetch) -> Fallible<()> {
    let id = algorithm::ask(&arguments.algorithm)?;
    let mut config = ClientConfig::new(Arc::new(tls::client(arguments.fingerprint)?));
    // the client sends requests and acknowledgements only: its own algorithm matters little
    config.transport_config(Arc::new(algorithm::transport("vegas", arguments.qlog.as_deref())?));
    config.initial_dst_cid_provider(Arc::new(move || id));
    let any = if arguments.address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let endpoint = Endpoint::client(any.parse()?)?;
    let limit = Duration::from_secs(arguments.max_seconds);
    let started = Instant::now();
    let run = async {
        let connection = endpoint.connect_with(config, arguments.address, tls::SERVER_NAME)?.await?;
        let counted = transfer(&connection, arguments.bytes, started).await?;
        connection.close(VarInt::from_u32(0), b"done");
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(counted)
    };
    let done = tokio::time::timeout(limit, run).await;
    let (seconds, sender) = done
        .map_err(|_| format!("{}: no end after {} s", arguments.address, limit.as_secs()))?
        .map_err(|error| format!("{}: {error}", arguments.address))?;
    let mbps = arguments.bytes as f64 * 8e-6 / seconds;
    println!("{}", json!({ "completion_s": seconds, "throughput_mbps": mbps, "sender": sender }));
    endpoint.wait_idle().await;
    Ok(())
}

/// Seconds from `started` to the last byte, and what the sender counted.
async fn transfer(connection: &Connection, bytes: u64, started: Instant) -> Fallible<(f64, Value)> {
    let (mut request, mut answer) = connection.open_bi().await?;
    request.write_all(&bytes.to_be_bytes()).await?;
    request.finish()?;
    let (mut received, mut told) = (0, started);
    while let Some(chunk) = answer.read_chunk(usize::MAX, true).await? {
        received += chunk.bytes.len() as u64;
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            println!("{}", json!({ "received_bytes": received, "elapsed_s": started.elapsed().as_secs_f64() }));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    if received != bytes {
        return Err(format!("{received} of {bytes} bytes came").into());
    }
    let report = connection.accept_uni().await?.read_to_end(REPORT_BYTES_MAX).await?;
    Ok((seconds, serde_json::from_slice(&report)?))
}
