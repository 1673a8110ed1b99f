//! The server: it gives the bytes that a client asks for, within limits, and reads nothing else.

use std::sync::Arc;
use std::time::Duration;

use quinn::{Connection, Incoming, ServerConfig, VarInt};

use crate::algorithm::{self, Wanted};
use crate::qlog::Side;
use crate::trace::Trace;
use crate::{Fallible, Serve, runtime, tls};

/// What is sent, again and again.
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
    let mut served = 0_u64;
    loop {
        let incoming = tokio::select! {
            incoming = endpoint.accept() => incoming,
            _ = tokio::signal::ctrl_c() => None,
        };
        let Some(incoming) = incoming else { break };
        if endpoint.open_connections() >= arguments.max_connections as usize {
            incoming.refuse();
            continue;
        }
        served += 1;
        tokio::spawn(answer(incoming, base.clone(), served, Arc::clone(&arguments)));
    }
    endpoint.close(VarInt::from_u32(0), b"the server ends");
    endpoint.wait_idle().await;
    Ok(())
}

/// One connection; what goes wrong in it is its own, and the server goes on.
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
    let wanted = Wanted {
        numbers: &arguments.sets,
        path: arguments.path,
        trace,
        qlog: qlog.as_deref().map(|file| (Side::Server, file)),
    };
    let transport = match algorithm::asked(&id).map(|name| algorithm::transport(name, wanted)) {
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
    if closed.is_err() {
        connection.close(VarInt::from_u32(1), b"refused");
    } else {
        // the client closes when it has everything
        connection.closed().await;
    }
    closed
}

/// A request is the number of bytes, 8 bytes big-endian; the answer is as many, and then what the sender counted.
async fn transfer(connection: &Connection, max_bytes: u64) -> Fallible<()> {
    let (mut answer, mut request) = connection.accept_bi().await?;
    let mut asked = [0; 8];
    request.read_exact(&mut asked).await?;
    let mut left = u64::from_be_bytes(asked);
    if left > max_bytes {
        return Err(format!("asks for {left} bytes; {max_bytes} are allowed").into());
    }
    while left > 0 {
        let size = left.min(BLOCK.len() as u64);
        answer.write_all(&BLOCK[..size as usize]).await?;
        left -= size;
    }
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
