//! The client: one transfer, timed from the first packet to the last byte.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::{ClientConfig, Connection, VarInt};
use serde_json::{Value, json};

use crate::algorithm::{self, Wanted};
use crate::qlog::Side;
use crate::{Fallible, Fetch, runtime, tls};

const PROGRESS: Duration = Duration::from_secs(1);
/// Longer than any report.
const REPORT_BYTES_MAX: usize = 4096;

pub(crate) async fn fetch(arguments: Fetch) -> Fallible<()> {
    let id = algorithm::ask(&arguments.algorithm)?;
    let mut config = ClientConfig::new(Arc::new(tls::client(arguments.fingerprint)?));
    // the client sends requests and acknowledgements only: its own algorithm matters little
    let wanted = Wanted {
        path: arguments.path,
        qlog: arguments.qlog.as_deref().map(|file| (Side::Client, file)),
        ..Wanted::default()
    };
    config.transport_config(Arc::new(algorithm::transport("vegas", wanted)?));
    config.initial_dst_cid_provider(Arc::new(move || id));
    let any = if arguments.address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let endpoint = runtime::endpoint(any.parse()?, None)?;
    let limit = Duration::from_secs(arguments.max_seconds);
    let started = Instant::now();
    // a span too long for the clock is no end
    let end = arguments.seconds.and_then(|seconds| started.checked_add(seconds.0));
    let run = async {
        let connection = endpoint.connect_with(config, arguments.address, tls::SERVER_NAME)?.await?;
        let fetched = transfer(&connection, arguments.bytes, started, end).await?;
        connection.close(VarInt::from_u32(0), b"done");
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(fetched)
    };
    let done = tokio::time::timeout(limit, run).await;
    let fetched = done
        .map_err(|_| format!("{}: no end after {} s", arguments.address, limit.as_secs()))?
        .map_err(|error| format!("{}: {error}", arguments.address))?;
    println!("{}", fetched.to_json());
    endpoint.wait_idle().await;
    Ok(())
}

/// What came, from the client's first packet on.
struct Fetched {
    bytes: u64,
    seconds: f64,
    /// What the sender counted; none of a transfer that was cut short.
    sender: Option<Value>,
}

impl Fetched {
    fn to_json(&self) -> Value {
        json!({
            "bytes": self.bytes,
            "elapsed_s": self.seconds,
            "completion_s": self.sender.as_ref().map(|_| self.seconds),
            "throughput_mbps": self.bytes as f64 * 8e-6 / self.seconds,
            "sender": self.sender,
        })
    }
}

/// Reads all that was asked for, or what comes until `end`.
async fn transfer(connection: &Connection, bytes: u64, started: Instant, end: Option<Instant>) -> Fallible<Fetched> {
    let (mut request, mut answer) = connection.open_bi().await?;
    request.write_all(&bytes.to_be_bytes()).await?;
    request.finish()?;
    let (mut received, mut told) = (0, started);
    loop {
        let next = answer.read_chunk(usize::MAX, true);
        let chunk = match end {
            None => next.await?,
            Some(end) => match tokio::time::timeout_at(end.into(), next).await {
                Ok(chunk) => chunk?,
                Err(_) => {
                    let seconds = started.elapsed().as_secs_f64();
                    return Ok(Fetched { bytes: received, seconds, sender: None });
                }
            },
        };
        let Some(chunk) = chunk else { break };
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
    Ok(Fetched { bytes, seconds, sender: Some(serde_json::from_slice(&report)?) })
}
