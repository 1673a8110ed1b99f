//! QUIC without its cryptography, for simulation only: packets are neither encrypted nor authenticated, and nobody proves
//! who they are. What is kept is what the network sees: the handshake's flights (RFC 9001, section 4) and their sizes, and
//! a tag of 16 bytes on each packet.
//!
//! Real TLS draws keys, so the same scenario would not give the same run; and it takes most of the time.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

/// Keys, sessions and tokens that protect nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NullCrypto;

const TAG_BYTES: usize = 16;
const TAG: [u8; TAG_BYTES] = *b"simulated packet";

/// Least sizes of TLS's messages with an ECDSA certificate that signs itself: ClientHello and ServerHello; from
/// EncryptedExtensions to the server's Finished; the client's Finished.
const HELLO_BYTES: usize = 250;
const SERVER_FLIGHT_BYTES: usize = 650;
const FINISHED_BYTES: usize = 36;

/// One end's handshake.
struct NullSession {
    side: Side,
    parameters: Vec<u8>,
    peer: Option<TransportParameters>,
    /// What the peer has sent and no whole message yet.
    received: Vec<u8>,
    /// Messages read and flights written.
    read: u8,
    written: u8,
}

impl NullSession {
    fn new(side: Side, parameters: &TransportParameters) -> Self {
        let mut encoded = Vec::new();
        parameters.write(&mut encoded);
        NullSession { side, parameters: encoded, peer: None, received: Vec::new(), read: 0, written: 0 }
    }

    /// Messages that this end waits for: the client for the server's hello and flight, the server for the client's hello
    /// and Finished.
    fn on_message(&mut self, content: &[u8]) -> Result<(), TransportError> {
        let carries_parameters = match self.side {
            Side::Client => self.read == 1,
            Side::Server => self.read == 0,
        };
        if carries_parameters {
            self.peer = Some(TransportParameters::read(self.side, &mut &content[..])?);
        }
        self.read += 1;
        Ok(())
    }
}

/// Length of the content, its bytes, and zeros up to the least size.
fn message(buf: &mut Vec<u8>, content: &[u8], least: usize) {
    let start = buf.len();
    let size = least.max(content.len() + 4);
    buf.extend_from_slice(&(size as u16).to_be_bytes());
    buf.extend_from_slice(&(content.len() as u16).to_be_bytes());
    buf.extend_from_slice(content);
    buf.resize(start + size, 0);
}

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.read < 2
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.received.extend_from_slice(buf);
        while let [a, b, c, d, ..] = self.received[..] {
            let (size, content) = (usize::from(u16::from_be_bytes([a, b])), usize::from(u16::from_be_bytes([c, d])));
            if self.received.len() < size {
                break;
            }
            let whole: Vec<u8> = self.received.drain(..size).collect();
            self.on_message(&whole[4..4 + content])?;
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        match (self.side, self.written, self.read) {
            (Side::Client, 0, _) => message(buf, &self.parameters, HELLO_BYTES),
            (Side::Client, 1, 1..) => {}
            (Side::Client, 2, 2..) => message(buf, &[], FINISHED_BYTES),
            (Side::Server, 0, 1..) => message(buf, &[], HELLO_BYTES),
            (Side::Server, 1, 1..) => message(buf, &self.parameters, SERVER_FLIGHT_BYTES),
            _ => return None,
        }
        self.written += 1;
        // a client's hello brings no keys
        (self.side == Side::Server || self.written > 1).then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(NullCrypto), remote: Box::new(NullCrypto) })
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(NullCrypto), remote: Box::new(NullCrypto) },
        packet: KeyPair { local: Box::new(NullCrypto), remote: Box::new(NullCrypto) },
    }
}

impl ClientConfig for NullCrypto {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(Side::Client, params)))
    }
}

impl ServerConfig for NullCrypto {
    fn initial_keys(&self, _version: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _: &ConnectionId, _packet: &[u8]) -> [u8; 16] {
        TAG
    }

    fn start_session(self: Arc<Self>, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, params))
    }
}

impl PacketKey for NullCrypto {
    fn encrypt(&self, _packet: u64, buf: &mut [u8], _header_len: usize) {
        let tag = buf.len() - TAG_BYTES;
        buf[tag..].copy_from_slice(&TAG);
    }

    fn decrypt(&self, _packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let content = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        if payload[content..] != TAG {
            return Err(CryptoError);
        }
        payload.truncate(content);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for NullCrypto {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        16
    }
}

/// Tokens of stateless resets, which a simulated host never sends: as many as there are connection ids.
impl HmacKey for NullCrypto {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        signature_out.fill(0xff);
        let length = data.len().min(signature_out.len());
        signature_out[..length].copy_from_slice(&data[..length]);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }
}

/// Tokens of address validation, which a simulated host never sends.
impl HandshakeTokenKey for NullCrypto {
    fn aead_from_hkdf(&self, _random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(NullCrypto)
    }
}

impl AeadKey for NullCrypto {
    fn seal(&self, data: &mut Vec<u8>, _additional_data: &[u8]) -> Result<(), CryptoError> {
        data.extend_from_slice(&TAG);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional_data: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let content = data.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        Ok(&mut data[..content])
    }
}
