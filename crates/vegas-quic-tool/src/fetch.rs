//! The client: one transfer, timed from the first packet to the last byte.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::{ClientConfig, Connection, ConnectionError, ReadError};
use serde_json::{Value, json};

use crate::algorithm::{self, Wanted};
use crate::ending::Signal;
use crate::qlog::Side;
use crate::{Fallible, Fetch, REFUSED, ending, runtime, tls};

const PROGRESS: Duration = Duration::from_secs(1);
/// The longest report, bytes: more than any has.
const REPORT_BYTES_MAX: usize = 4096;

pub(crate) async fn fetch(arguments: Fetch) -> Fallible<()> {
    let id = algorithm::ask(&arguments.algorithm)?;
    let mut config = ClientConfig::new(Arc::new(tls::client(arguments.fingerprint)?));
    // the client sends requests and acknowledgements only: its own algorithm matters little
    let wanted = Wanted { path: arguments.path, qlog: arguments.qlog.as_deref(), ..Wanted::default() };
    config.transport_config(Arc::new(algorithm::transport(Side::Client, "vegas", wanted)?));
    config.initial_dst_cid_provider(Arc::new(move || id));
    let any = if arguments.address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let endpoint = runtime::endpoint(any.parse()?, None)?;
    let limit = Duration::from_secs(arguments.max_seconds);
    let started = Instant::now();
    // a span too long for the clock sets no end
    let end = arguments.seconds.and_then(|seconds| started.checked_add(seconds.0));
    let mut received = 0;
    let run = async {
        let connection = endpoint.connect_with(config, arguments.address, tls::SERVER_NAME)?.await?;
        transfer(&connection, arguments.bytes, started, end, &mut received).await
    };
    let done: Fallible<Fetched> = tokio::select! {
        done = tokio::time::timeout(limit, run) => {
            done.unwrap_or_else(|_| Err(format!("no end after {} s", limit.as_secs()).into()))
        }
        signal = ending::signal() => Err(signal?.into()),
    };
    let told = match &done {
        Ok(fetched) => Some(fetched.to_json()),
        Err(error) => loss(error.as_ref()).map(|reason| lost(received, started, &reason)),
    };
    if let Some(told) = told {
        println!("{told}");
    }
    ending::close(&endpoint, "done").await;
    match done {
        Err(error) if !error.is::<Signal>() => Err(format!("{}: {}", arguments.address, said(error.as_ref())).into()),
        done => done.map(drop),
    }
}

/// Returns the reason for which a connection was lost; `None` if the peer closed or refused it.
fn loss(error: &(dyn Error + Send + Sync + 'static)) -> Option<ConnectionError> {
    use ConnectionError::{Reset, TimedOut};
    ended(error).filter(|reason| matches!(reason, TimedOut | Reset)).cloned()
}

/// Returns how a connection ended, if an error is of that.
fn ended<'a>(error: &'a (dyn Error + Send + Sync + 'static)) -> Option<&'a ConnectionError> {
    let by_stream = || match error.downcast_ref::<ReadError>()? {
        ReadError::ConnectionLost(reason) => Some(reason),
        _ => None,
    };
    error.downcast_ref::<ConnectionError>().or_else(by_stream)
}

/// Returns an error's text: of a connection that the peer closed, what the peer said. A terminal must not obey it.
fn said(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let text = match ended(error) {
        Some(ConnectionError::ApplicationClosed(close)) => {
            let way = if close.error_code == REFUSED { "refused" } else { "closed by the peer" };
            format!("{way}: {}", String::from_utf8_lossy(&close.reason))
        }
        Some(reason) => reason.to_string(),
        None => error.to_string(),
    };
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// Returns the result of a transfer when its connection was lost.
fn lost(bytes: u64, started: Instant, reason: &ConnectionError) -> Value {
    let fetched = Fetched { bytes, seconds: started.elapsed().as_secs_f64(), sender: None };
    let mut told = fetched.to_json();
    told["lost"] = reason.to_string().into();
    told
}

/// The data received, counted from the client's first packet on.
struct Fetched {
    bytes: u64,
    seconds: f64,
    /// The sender's counts; `None` for a transfer that was cut short.
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

/// Reads all bytes that were asked for, or those that arrive until `end`; returns what it received. They are read as
/// they arrive: quinn closes a connection with more than 1024 gaps in what is to be read in order.
async fn transfer(
    connection: &Connection,
    bytes: u64,
    started: Instant,
    end: Option<Instant>,
    received: &mut u64,
) -> Fallible<Fetched> {
    let (mut request, mut answer) = connection.open_bi().await?;
    request.write_all(&bytes.to_be_bytes()).await?;
    request.finish()?;
    let mut told = started;
    loop {
        let next = answer.read_chunk(usize::MAX, false);
        let chunk = match end {
            None => next.await?,
            Some(end) => match tokio::time::timeout_at(end.into(), next).await {
                Ok(chunk) => chunk?,
                Err(_) => {
                    let seconds = started.elapsed().as_secs_f64();
                    return Ok(Fetched { bytes: *received, seconds, sender: None });
                }
            },
        };
        let Some(chunk) = chunk else { break };
        *received += chunk.bytes.len() as u64;
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            println!("{}", json!({ "received_bytes": received, "elapsed_s": started.elapsed().as_secs_f64() }));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    if *received != bytes {
        return Err(format!("{received} of {bytes} bytes came").into());
    }
    let report = connection.accept_uni().await?.read_to_end(REPORT_BYTES_MAX).await?;
    Ok(Fetched { bytes, seconds, sender: Some(serde_json::from_slice(&report)?) })
}
