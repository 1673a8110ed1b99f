//! A server that sends data by QUIC to every client, with an algorithm of the family. It writes its certificate into a
//! file for the example `client`:
//!
//!     cargo run --release -p vegas-quic --example server -- gallop 127.0.0.1:4433 100000000 certificate.der

use std::error::Error;

use quinn::TransportConfig;
use vegas_quic::VegasQuic;

#[path = "transfer/serving.rs"]
mod serving;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, address, bytes, file] = arguments.as_slice() else {
        return Err("arguments: ALGORITHM ADDRESS BYTES CERTIFICATE".into());
    };
    let bytes = bytes.parse()?;
    let mut transport = TransportConfig::default();
    VegasQuic::preset(algorithm)?.install(&mut transport)?;
    let (endpoint, certificate) = serving::open(address.parse()?, transport)?;
    std::fs::write(file, certificate)?;
    println!("{algorithm} on {}", endpoint.local_addr()?);
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            if let Err(error) = serving::send(incoming, bytes).await {
                eprintln!("{error}");
            }
        });
    }
    Ok(())
}
