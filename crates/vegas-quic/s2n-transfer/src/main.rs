//! A transfer by s2n-quic, client and server in one process, with the algorithm of your choice:
//!
//!     cargo run --release -- streak 100000000
//!
//! In a directory of its own; `make quic-s2n` runs its test.

use std::error::Error;
use std::time::{Duration, Instant};

use s2n_quic::client::Connect;
use s2n_quic::{Client, Server};
use vegas_quic::VegasQuic;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let [name, bytes] = <[String; 2]>::try_from(std::env::args().skip(1).collect::<Vec<_>>())
        .map_err(|_| format!("arguments: ALGORITHM BYTES, of {:?}", VegasQuic::s2n_presets().collect::<Vec<_>>()))?;
    let (bytes, took) = transfer(VegasQuic::preset(&name)?, bytes.parse()?).await?;
    println!(
        "{name}: {bytes} bytes in {:.3} s, {:.1} Mb/s",
        took.as_secs_f64(),
        bytes as f64 * 8e-6 / took.as_secs_f64()
    );
    Ok(())
}

/// Sends `bytes` from a server to a client: how many arrived intact, and how long that took.
async fn transfer(algorithm: VegasQuic, bytes: usize) -> Fallible<(usize, Duration)> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let mut server = Server::builder()
        .with_tls((certificate.as_str(), key.as_str()))?
        .with_io("127.0.0.1:0")?
        .with_congestion_controller(algorithm.build_s2n()?)?
        .start()?;
    let address = server.local_addr()?;
    let serving = tokio::spawn(async move {
        let mut connection = server.accept().await.ok_or("no connection")?;
        let mut stream = connection.open_send_stream().await?;
        for start in (0..bytes).step_by(BLOCK_BYTES) {
            stream.send((start..bytes.min(start + BLOCK_BYTES)).map(pattern).collect::<Vec<u8>>().into()).await?;
        }
        stream.close().await?;
        // dropped, it closes: a client that has acknowledged every byte may not have accepted the stream yet
        Fallible::Ok(connection)
    });
    let client = Client::builder().with_tls(certificate.as_str())?.with_io("127.0.0.1:0")?.start()?;
    let began = Instant::now();
    let mut connection = client.connect(Connect::new(address).with_server_name("localhost")).await?;
    let mut stream = connection.accept_receive_stream().await?.ok_or("no stream")?;
    let mut received = 0;
    while let Some(chunk) = stream.receive().await? {
        for byte in &chunk {
            if *byte != pattern(received) {
                return Err(format!("byte {received} is wrong").into());
            }
            received += 1;
        }
    }
    let took = began.elapsed();
    drop(serving.await??);
    Ok((received, took))
}

const BLOCK_BYTES: usize = 1 << 16;

/// The byte at this place: its period is a prime, so that no packet's size is a multiple of it.
fn pattern(place: usize) -> u8 {
    (place % 251) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_preset_delivers_every_byte() {
        for name in VegasQuic::s2n_presets() {
            let algorithm = VegasQuic::preset(name).unwrap().ssthresh(1000);
            let (received, _) = transfer(algorithm, 3_000_000).await.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(received, 3_000_000, "{name}");
        }
    }
}
