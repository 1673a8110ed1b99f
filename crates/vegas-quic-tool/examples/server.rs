//! A server that picks the algorithm of each connection by the client's distance: on a long path Gallop-Vegas, which
//! does not fill the path's queue while it opens the window, and on a short one CUBIC.
//!
//!     cargo run --release -p vegas-quic-tool --example server -- 127.0.0.1:4433 cert.der
//!
//! It writes its certificate into the file, for the example `client`.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use quinn::{Endpoint, ServerConfig, TransportConfig};
use vegas_quic::VegasQuic;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let [address, file] = <[String; 2]>::try_from(std::env::args().skip(1).collect::<Vec<_>>())
        .map_err(|_| "arguments: ADDRESS:PORT CERTIFICATE-FILE")?;
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    std::fs::write(file, made.cert.der())?;
    let key = made.signing_key.serialize_der().try_into()?;
    let base = ServerConfig::with_single_cert(vec![made.cert.der().clone()], key)?;
    let endpoint = Endpoint::server(base.clone(), address.parse()?)?;
    while let Some(incoming) = endpoint.accept().await {
        let mut config = base.clone();
        config.transport_config(Arc::new(transport_for(incoming.remote_address())?));
        let connecting = incoming.accept_with(Arc::new(config))?;
        tokio::spawn(async move {
            let connection = connecting.await?;
            let mut stream = connection.open_uni().await?;
            stream.write_all(&[b'v'; 1_000_000]).await?;
            stream.finish()?;
            connection.closed().await;
            Ok::<(), Box<dyn Error + Send + Sync>>(())
        });
    }
    Ok(())
}

fn transport_for(client: SocketAddr) -> Result<TransportConfig, Box<dyn Error>> {
    let is_near = match client.ip() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback(),
    };
    let algorithm = if is_near { VegasQuic::cubic() } else { VegasQuic::gallop().gamma(2) };
    let mut transport = TransportConfig::default();
    algorithm.install(&mut transport)?;
    Ok(transport)
}
