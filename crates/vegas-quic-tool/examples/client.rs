//! A client that picks its algorithm for each connection: one endpoint, one configuration a connection.
//!
//!     cargo run --release -p vegas-quic-tool --example client -- 127.0.0.1:4433 cert.der vegas gallop

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{ClientConfig, Endpoint, TransportConfig, VarInt};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use vegas_quic::VegasQuic;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("arguments: ADDRESS:PORT CERTIFICATE-FILE ALGORITHM...".into());
    };
    let server: SocketAddr = address.parse()?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(std::fs::read(file)?))?;
    let base = ClientConfig::with_root_certificates(Arc::new(roots))?;
    let endpoint = Endpoint::client("0.0.0.0:0".parse()?)?;
    for name in arguments {
        let mut transport = TransportConfig::default();
        VegasQuic::preset(&name)?.install(&mut transport)?;
        let mut config = base.clone();
        config.transport_config(Arc::new(transport));
        let connection = endpoint.connect_with(config, server, "localhost")?.await?;
        let received = connection.accept_uni().await?.read_to_end(10_000_000).await?;
        println!("{name}: {} bytes, window {} bytes", received.len(), connection.stats().path.cwnd);
        connection.close(VarInt::from_u32(0), b"done");
    }
    endpoint.wait_idle().await;
    Ok(())
}
