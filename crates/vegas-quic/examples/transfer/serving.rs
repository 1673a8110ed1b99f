//! The server's side of a transfer. It sends the data, so the algorithm is its own.

use std::net::SocketAddr;
use std::sync::Arc;

use quinn::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use quinn::{Endpoint, Incoming, ServerConfig, TransportConfig};

use crate::Fallible;

/// The name in the certificate.
const NAME: &str = "localhost";

/// Opens an endpoint with a certificate that it signs itself, and returns both.
pub(crate) fn open(address: SocketAddr, transport: TransportConfig) -> Fallible<(Endpoint, CertificateDer<'static>)> {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()])?;
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
    let mut config = ServerConfig::with_single_cert(vec![certificate.clone()], key)?;
    config.transport_config(Arc::new(transport));
    Ok((Endpoint::server(config, address)?, certificate))
}

/// Sends this many bytes to one client, and waits until it has closed the connection.
pub(crate) async fn send(incoming: Incoming, bytes: usize) -> Fallible<()> {
    let connection = incoming.await?;
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; bytes]).await?;
    stream.finish()?;
    connection.closed().await;
    Ok(())
}
