//! A client of the example `server`. It needs no algorithm of the family: each endpoint chooses for what it sends.
//!
//!     cargo run --release -p vegas-quic --example client -- 127.0.0.1:4433 certificate.der

use std::error::Error;

#[path = "transfer/fetching.rs"]
mod fetching;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, file] = arguments.as_slice() else {
        return Err("arguments: ADDRESS CERTIFICATE".into());
    };
    let received = fetching::fetch(server.parse()?, std::fs::read(file)?.into()).await?;
    println!("{received} bytes");
    Ok(())
}
