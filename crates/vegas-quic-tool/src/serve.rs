//! The server: it sends the bytes that a client asks for, within limits, and reads nothing else.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quinn::{Connection, Endpoint, Incoming, SendStream, ServerConfig};
use tokio::sync::Semaphore;

use crate::algorithm::{self, Wanted};
use crate::qlog::Side;
use crate::trace::Trace;
use crate::{Fallible, REFUSED, Serve, ending, runtime, tls};

/// The data that is sent, repeatedly.
static BLOCK: [u8; 1 << 16] = [0x56; 1 << 16];

pub(crate) async fn serve(arguments: Serve) -> Fallible<()> {
    let (certificate, key, fingerprint) = tls::certificate()?;
    let base = ServerConfig::with_single_cert(vec![certificate], key)?;
    let endpoint = runtime::endpoint(arguments.listen, Some(base.clone()))
        .map_err(|error| format!("--listen {}: {error}", arguments.listen))?;
    println!("{} {fingerprint}", endpoint.local_addr()?);
    if arguments.trace {
        Trace::print_columns();
    }
    let arguments = Arc::new(arguments);
    tokio::select! {
        () = accept(&endpoint, &base, &arguments) => {}
        signal = ending::signal() => drop(signal?),
    }
    ending::close(&endpoint, "the server ends").await;
    Ok(())
}

async fn accept(endpoint: &Endpoint, base: &ServerConfig, arguments: &Arc<Serve>) {
    // quinn's count of connections would not do: it includes closed ones for three probe timeouts each
    let places = Arc::new(Semaphore::new(arguments.max_connections as usize));
    let mut served = 0_u64;
    while let Some(incoming) = endpoint.accept().await {
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            incoming.refuse();
            continue;
        };
        served += 1;
        let answer = answer(incoming, base.clone(), served, Arc::clone(arguments));
        tokio::spawn(async move {
            answer.await;
            drop(place);
        });
    }
}

/// Serves one connection; an error in it does not affect the server.
async fn answer(incoming: Incoming, base: ServerConfig, number: u64, arguments: Arc<Serve>) {
    let peer = incoming.remote_address();
    let longest = Duration::from_secs(arguments.max_seconds);
    match tokio::time::timeout(longest, connection(incoming, base, number, &arguments)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => eprintln!("{peer}: {error}"),
        Err(_) => eprintln!("{peer}: closed after {} s", longest.as_secs()),
    }
}

async fn connection(incoming: Incoming, mut base: ServerConfig, number: u64, arguments: &Serve) -> Fallible<()> {
    let id = incoming.orig_dst_cid();
    let qlog = arguments.qlog.as_ref().map(|folder| folder.join(format!("server-{number}.sqlog")));
    let trace = arguments.trace.then_some(number);
    let wanted = Wanted { numbers: &arguments.sets, path: arguments.path, trace, qlog: qlog.as_deref() };
    let transport = match algorithm::asked(&id).map(|name| algorithm::transport(Side::Server, name, wanted)) {
        Some(Ok(transport)) => transport,
        Some(Err(error)) => {
            incoming.refuse();
            return Err(error);
        }
        None => {
            incoming.refuse();
            return Err("it names no algorithm".into());
        }
    };
    base.transport_config(Arc::new(transport));
    let connection = incoming.accept_with(Arc::new(base))?.await?;
    let closed = transfer(&connection, arguments.max_bytes).await;
    match &closed {
        Err(error) => connection.close(REFUSED, error.to_string().as_bytes()),
        // the client closes when it has everything
        Ok(()) => drop(connection.closed().await),
    }
    closed
}

/// Serves a request: the number of bytes, 8 bytes big-endian. The answer is that number of bytes, and then the sender's
/// counts.
async fn transfer(connection: &Connection, max_bytes: u64) -> Fallible<()> {
    let (mut answer, mut request) = connection.accept_bi().await?;
    let mut asked = [0; 8];
    request.read_exact(&mut asked).await?;
    let bytes = u64::from_be_bytes(asked);
    if bytes > max_bytes {
        return Err(format!("asks for {bytes} bytes; {max_bytes} are allowed").into());
    }
    give(&mut answer, bytes).await?;
    answer.finish()?;
    answer.stopped().await?;
    let path = connection.stats().path;
    let counted = serde_json::json!({
        "sent_packets": path.sent_packets,
        "lost_packets": path.lost_packets,
        "congestion_events": path.congestion_events,
        "rtt_ms": path.rtt.as_secs_f64() * 1e3,
        "cwnd_bytes": path.cwnd,
        "mtu_bytes": path.current_mtu,
    });
    let mut report = connection.open_uni().await?;
    report.write_all(counted.to_string().as_bytes()).await?;
    report.finish()?;
    Ok(())
}

/// Sends the bytes as blocks of one shared memory: data that waits for clients takes its room only once.
async fn give(answer: &mut SendStream, mut left: u64) -> Fallible<()> {
    while left > 0 {
        let size = left.min(BLOCK.len() as u64);
        answer.write_chunk(Bytes::from_static(&BLOCK[..size as usize])).await?;
        left -= size;
    }
    Ok(())
}
